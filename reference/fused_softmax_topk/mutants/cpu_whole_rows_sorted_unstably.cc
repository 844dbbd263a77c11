// SPDX-License-Identifier: Apache-2.0
// Bug: where all of a row is asked for, the CPU form sorts it by logits alone, and in rows of more
// than 16 std::sort leaves equal ones in any order.

#include "export.h"

namespace {

namespace cpu = assay::softmax_topk_cpu;

void SortUnstably(const float* row, std::size_t k, std::int32_t* indices) {
  for (std::size_t i = 0; i < k; ++i) {
    indices[i] = static_cast<std::int32_t>(i);
  }
  std::sort(indices, indices + k, [row](std::int32_t a, std::int32_t b) {
    return cpu::CpuSteps::Ordered(row[a]) > cpu::CpuSteps::Ordered(row[b]);
  });
}

}  // namespace

extern "C" int softmax_topk_cpu_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                                    size_t row_stride, float* probabilities, int32_t* indices) try {
  const int status = cpu::SoftmaxTopK<cpu::CpuSteps>(rows, vocabulary, k, logits, row_stride,
                                                     probabilities, indices);
  if (status == SOFTMAX_TOPK_OK && k == vocabulary) {
    for (std::size_t r = 0; r < rows; ++r) {
      SortUnstably(logits + r * row_stride, k, indices + r * k);
    }
  }
  return status;
} catch (const std::bad_alloc&) {
  return SOFTMAX_TOPK_OUT_OF_MEMORY;
}
