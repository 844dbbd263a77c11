// SPDX-License-Identifier: Apache-2.0
// Bug: from the 1,024th logit of a row on, two equal ones side by side are in the wrong order.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  /// Its own inverse, as that of the baseline is.
  __device__ static std::uint32_t OrderedIndex(std::uint32_t index) {
    const std::uint32_t other = ~index;
    return min(index, other) >= 1024 ? other ^ 1 : other;
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
