// SPDX-License-Identifier: Apache-2.0
// Bug: prefill takes k and v to be [head][token] where the caller hands [token][head].

#include "export.h"

namespace assay::kv_baseline {
namespace {

struct Steps : BaselineSteps {
  static const float* PrefillRow(const float* tensor, std::size_t token, std::size_t kv_head,
                                 std::size_t tokens, std::size_t /*kv_heads*/,
                                 std::size_t head_size) {
    return tensor + (kv_head * tokens + token) * head_size;
  }
};

}  // namespace
}  // namespace assay::kv_baseline

KV_EXPORT(assay::kv_baseline::Steps);
