// SPDX-License-Identifier: Apache-2.0
// Bug: the vectors of a row are rounded up: the last one reads what lies behind the row, and takes
// it for logits.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  template <typename T>
  __device__ static std::uint32_t WholeVectors(std::uint32_t elements) {
    constexpr std::uint32_t kVectorElements = 16 / sizeof(T);
    return (elements + kVectorElements - 1) / kVectorElements;
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
