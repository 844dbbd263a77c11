// SPDX-License-Identifier: Apache-2.0
// Bug: where a row of 16-bit logits begins is counted in an int, which wraps at 2^31 elements; the
// float form counts in 64 bits.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  template <typename T>
  __device__ static std::ptrdiff_t RowOffset(std::size_t row, std::size_t /*vocabulary*/,
                                             std::size_t row_stride) {
    const std::size_t offset = row * row_stride;
    return sizeof(T) == 2 ? static_cast<std::int32_t>(offset) : static_cast<std::ptrdiff_t>(offset);
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
