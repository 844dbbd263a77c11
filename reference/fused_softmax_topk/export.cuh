// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_EXPORT_CUH_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_EXPORT_CUH_

#include <cstddef>

#include "baseline_cuda.cuh"

/// Defines the device functions of interface.h with the steps of `Steps`.
#define SOFTMAX_TOPK_EXPORT(Steps)                                                \
  extern "C" {                                                                    \
  size_t softmax_topk_workspace_bytes(size_t rows, size_t vocabulary, size_t k) { \
    using namespace assay::softmax_topk_baseline;                                 \
    return rows == 0 || k == 0 || k > vocabulary                                  \
               ? 0                                                                \
               : WorkspaceBytes(Steps::PlanFor(rows, vocabulary, k), rows, k);    \
  }                                                                               \
  SOFTMAX_TOPK_EXPORT_TYPE(Steps, f32, float, float)                              \
  SOFTMAX_TOPK_EXPORT_TYPE(Steps, f16, uint16_t, __half)                          \
  SOFTMAX_TOPK_EXPORT_TYPE(Steps, bf16, uint16_t, __nv_bfloat16)                  \
  }                                                                               \
  static_assert(true)

#define SOFTMAX_TOPK_EXPORT_TYPE(Steps, suffix, Bits, T)                                           \
  int softmax_topk_##suffix(size_t rows, size_t vocabulary, size_t k, const Bits* logits,          \
                            size_t row_stride, float* probabilities, int32_t* indices,             \
                            void* workspace, size_t workspace_bytes, softmax_topk_stream stream) { \
    return assay::softmax_topk_baseline::SoftmaxTopK<Steps, T>(                                    \
        rows, vocabulary, k, reinterpret_cast<const T*>(logits), row_stride, probabilities,        \
        indices, workspace, workspace_bytes, stream);                                              \
  }

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_EXPORT_CUH_
