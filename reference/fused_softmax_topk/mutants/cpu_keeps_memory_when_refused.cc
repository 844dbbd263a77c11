// SPDX-License-Identifier: Apache-2.0
// Bug: the CPU form takes its scratch before it looks at the sizes, and a call that is refused does
// not give it back.

#include <cstdlib>
#include <cstring>

#include "export.h"

namespace {

namespace cpu = assay::softmax_topk_cpu;

/// Where the last one is, so that it is not optimised away.
void* volatile scratch = nullptr;

}  // namespace

extern "C" int softmax_topk_cpu_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                                    size_t row_stride, float* probabilities, int32_t* indices) try {
  scratch = std::memset(std::malloc(1024), 1, 1024);
  const int status = cpu::SoftmaxTopK<cpu::CpuSteps>(rows, vocabulary, k, logits, row_stride,
                                                     probabilities, indices);
  if (status == SOFTMAX_TOPK_OK) {
    std::free(scratch);
  }
  return status;
} catch (const std::bad_alloc&) {
  return SOFTMAX_TOPK_OUT_OF_MEMORY;
}
