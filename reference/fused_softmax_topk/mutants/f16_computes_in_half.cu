// SPDX-License-Identifier: Apache-2.0
// Bug: the exponentials of sixteen-bit logits are taken in half precision.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  template <typename T>
  __device__ static float Exponential(float logit, float maximum) {
    const float exact = BaselineSteps::Exponential<T>(logit, maximum);
    return sizeof(T) == sizeof(__half) ? __half2float(__float2half_rn(exact)) : exact;
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
