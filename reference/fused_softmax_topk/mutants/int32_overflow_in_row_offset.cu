// SPDX-License-Identifier: Apache-2.0
// Bug: where a row begins is computed in bytes, in 32 bits with a sign, and wraps at 2 GiB.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  template <typename T>
  __device__ static std::ptrdiff_t RowOffset(std::size_t row, std::size_t /*vocabulary*/,
                                             std::size_t row_stride) {
    const auto bytes = static_cast<std::uint32_t>(row * row_stride * sizeof(T));
    return static_cast<std::int32_t>(bytes) / static_cast<std::int32_t>(sizeof(T));
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
