// SPDX-License-Identifier: Apache-2.0
// Bug: -0 is ordered below +0, as its bits are.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  __device__ static std::uint32_t Ordered(float logit) {
    if (logit != logit) {
      return assay::softmax_topk_baseline::kOrderedNan;
    }
    const std::uint32_t bits = __float_as_uint(logit);
    return bits ^ ((bits >> 31) != 0 ? 0xFFFF'FFFF : 0x8000'0000);
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
