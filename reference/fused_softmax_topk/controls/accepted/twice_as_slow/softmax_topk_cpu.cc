// SPDX-License-Identifier: Apache-2.0
// The work of the CPU half of the baseline, twice.

#include "baseline_cpu.h"

extern "C" int softmax_topk_cpu_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                                    size_t row_stride, float* probabilities, int32_t* indices) {
  using assay::softmax_topk_cpu::CpuSteps;
  int status = SOFTMAX_TOPK_OK;
  for (int round = 0; round < 2 && status == SOFTMAX_TOPK_OK; ++round) {
    status = assay::softmax_topk_cpu::SoftmaxTopK<CpuSteps>(rows, vocabulary, k, logits, row_stride,
                                                            probabilities, indices);
  }
  return status;
}
