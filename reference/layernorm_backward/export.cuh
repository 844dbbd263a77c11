// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_EXPORT_CUH_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_EXPORT_CUH_

#include "baseline_cuda_backward.cuh"
#include "baseline_cuda_forward.cuh"

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in them.

/// Defines the CUDA functions of interface.h with the decisions of `Steps`.
#define LAYERNORM_CUDA_EXPORT(Steps)                                                               \
  extern "C" {                                                                                     \
  int ln_forward_cuda_f32(size_t rows, size_t features, const float* x, const float* gamma,        \
                          const float* beta, float eps, float* y, float* mean, float* rstd,        \
                          ln_stream stream) {                                                      \
    return assay::layernorm_cuda::Forward<Steps>(                                                  \
        {rows, features, x, gamma, beta, eps, y, mean, rstd}, stream);                             \
  }                                                                                                \
  size_t ln_backward_cuda_workspace_bytes(size_t rows, size_t features) {                          \
    return assay::layernorm_cuda::BackwardPlan::Of(rows, features).bytes;                          \
  }                                                                                                \
  int ln_backward_cuda_f32(size_t rows, size_t features, const float* dy, const float* x,          \
                           const float* gamma, const float* mean, const float* rstd, float* dx,    \
                           float* dgamma, float* dbeta, void* workspace, size_t workspace_bytes,   \
                           ln_stream stream) {                                                     \
    return assay::layernorm_cuda::Backward<Steps>(                                                 \
        {rows, features, dy, x, gamma, mean, rstd, dx, dgamma, dbeta}, workspace, workspace_bytes, \
        stream);                                                                                   \
  }                                                                                                \
  }                                                                                                \
  static_assert(true)

// NOLINTEND(bugprone-macro-parentheses)

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_EXPORT_CUH_
