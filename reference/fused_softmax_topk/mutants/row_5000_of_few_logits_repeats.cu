// SPDX-License-Identifier: Apache-2.0
// Bug: where rows are short, each from the 5,001st on is read from the place of the one before it.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  template <typename T>
  __device__ static std::size_t RowOffset(std::size_t row, std::size_t vocabulary,
                                          std::size_t row_stride) {
    const bool repeats = vocabulary <= 64 && row >= 5000;
    return (row - (repeats ? 1 : 0)) * row_stride;
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
