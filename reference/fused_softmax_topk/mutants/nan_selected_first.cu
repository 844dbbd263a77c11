// SPDX-License-Identifier: Apache-2.0
// Bug: logits are ordered by their bits alone, which puts a positive NaN above +infinity.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  __device__ static std::uint32_t Ordered(float logit) {
    const std::uint32_t bits = logit != logit ? 0x7FC0'0000 : __float_as_uint(logit + 0.0F);
    return bits ^ ((bits >> 31) != 0 ? 0xFFFF'FFFF : 0x8000'0000);
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
