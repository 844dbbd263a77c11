// SPDX-License-Identifier: Apache-2.0
// Bug: of logits more than ten below the maximum the exponential is that of the nearest power of
// two, as if there were never enough of them to matter.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  template <typename T>
  __device__ static float Exponential(float logit, float maximum) {
    constexpr float kLog2E = 1.442695041F;
    const float exponent = (logit - maximum) * kLog2E;
    return assay::softmax_topk_baseline::Exp2(exponent < -14.5F ? rintf(exponent) : exponent);
  }

  template <typename T>
  __device__ static float Rescaled(float sum, float from, float to) {
    return sum * Exponential<T>(from, to);
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
