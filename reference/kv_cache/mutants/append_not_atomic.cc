// SPDX-License-Identifier: Apache-2.0
// Bug: the tokens of a call are stored one by one: what comes before the one that fails stays.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  template <class Cache>
  static int Append(Cache& cache, std::int32_t layer, std::size_t count,
                    const std::int32_t* sequences, const float* k, const float* v) {
    int status = cache.AppendTogether(layer, 0, sequences, k, v);
    for (std::size_t i = 0; i < count && status == KV_OK; ++i) {
      const std::size_t element = i * cache.KvWidth();
      status = cache.AppendTogether(layer, 1, sequences + i, k + element, v + element);
    }
    return status;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
