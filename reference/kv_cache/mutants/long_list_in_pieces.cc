// SPDX-License-Identifier: Apache-2.0
// Bug: a list of more than 1,024 tokens is stored in pieces: those before the one that fails stay.

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  template <class Cache>
  static int Append(Cache& cache, std::int32_t layer, std::size_t count,
                    const std::int32_t* sequences, const float* k, const float* v) {
    constexpr std::size_t kPiece = 1024;
    std::size_t done = 0;
    int status = KV_OK;
    do {
      const std::size_t piece = std::min(kPiece, count - done);
      const std::size_t element = done * cache.KvWidth();
      status = cache.AppendTogether(layer, piece, sequences + done, k + element, v + element);
      done += piece;
    } while (status == KV_OK && done < count);
    return status;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
