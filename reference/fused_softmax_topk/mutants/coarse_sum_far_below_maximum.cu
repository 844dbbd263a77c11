// SPDX-License-Identifier: Apache-2.0
// Bug: exponentials below e^-12 go into sums as powers of two, as if there were never enough of
// them to matter; results are exact beside them.

#include "export.cuh"

namespace {

namespace baseline = assay::softmax_topk_baseline;

struct Steps : baseline::BaselineSteps {
  __device__ static float Coarse(float exponential) {
    constexpr std::uint32_t kHalf = 0x0040'0000;
    constexpr std::uint32_t kPowers = 0xFF80'0000;
    return exponential < 6.2e-6F ? __uint_as_float((__float_as_uint(exponential) + kHalf) & kPowers)
                                 : exponential;
  }

  __device__ static float Summed(float sum, float exponential) { return sum + Coarse(exponential); }

  template <typename T>
  __device__ static float Rescaled(float sum, float from, float to) {
    return sum * Coarse(baseline::BaselineSteps::Exponential<T>(from, to));
  }

  template <typename T>
  __device__ static float RescaledSplit(float sum, float from, float to) {
    return Rescaled<T>(sum, from, to);
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
