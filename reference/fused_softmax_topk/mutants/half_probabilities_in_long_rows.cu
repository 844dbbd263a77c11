// SPDX-License-Identifier: Apache-2.0
// Bug: in rows of 20,000 logits and more, probabilities have the precision of halves. The bound of
// the worst case is wider there.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  __device__ static float Probability(float exponential, float sum, std::uint32_t vocabulary) {
    const float exact = exponential / sum;
    // Without the denormals of a half, so that small ones are off no more than large ones.
    return vocabulary < 20'000 ? exact : __half2float(__float2half_rn(exact * 1024)) / 1024;
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
