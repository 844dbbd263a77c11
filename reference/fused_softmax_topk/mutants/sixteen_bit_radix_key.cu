// SPDX-License-Identifier: Apache-2.0
// Bug: logits are ordered by the upper 16 bits of their keys, as after two of four radix passes.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  __device__ static std::uint32_t Ordered(float logit) {
    return BaselineSteps::Ordered(__uint_as_float(__float_as_uint(logit) & 0xFFFF'0000));
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
