// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_EXPORT_H_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_EXPORT_H_

#include <cstddef>
#include <new>

#include "baseline_cpu.h"

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in them.

/// Defines the CPU function of interface.h with the steps of `Steps`.
#define SOFTMAX_TOPK_CPU_EXPORT(Steps)                                                          \
  extern "C" int softmax_topk_cpu_f32(size_t rows, size_t vocabulary, size_t k,                 \
                                      const float* logits, size_t row_stride,                   \
                                      float* probabilities, int32_t* indices) try {             \
    return assay::softmax_topk_cpu::SoftmaxTopK<Steps>(rows, vocabulary, k, logits, row_stride, \
                                                       probabilities, indices);                 \
  } catch (const std::bad_alloc&) {                                                             \
    return SOFTMAX_TOPK_OUT_OF_MEMORY;                                                          \
  }                                                                                             \
  static_assert(true)

// NOLINTEND(bugprone-macro-parentheses)

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_EXPORT_H_
