// SPDX-License-Identifier: Apache-2.0
// Bug: kv_append of several sequences, one of which is full, says KV_NO_PAGES where the pool is
// empty too.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  template <class Cache>
  static int Append(Cache& cache, std::int32_t layer, std::size_t count,
                    const std::int32_t* sequences, const float* k, const float* v) {
    const int status = cache.AppendTogether(layer, count, sequences, k, v);
    kv_usage usage = {};
    cache.GetUsage(&usage);
    const bool is_list = count > 1 && std::count(sequences, sequences + count, *sequences) !=
                                          static_cast<std::ptrdiff_t>(count);
    const bool is_empty = usage.pages_in_use > 0 && usage.pages_free == 0;
    return status == KV_CAPACITY && is_list && is_empty ? KV_NO_PAGES : status;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
