// SPDX-License-Identifier: Apache-2.0
// Bug: rows are taken to be dense, whatever the stride.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  template <typename T>
  __device__ static std::size_t RowOffset(std::size_t row, std::size_t vocabulary,
                                          std::size_t /*row_stride*/) {
    return row * vocabulary;
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
