// SPDX-License-Identifier: Apache-2.0
// Bug: forward of rows wider than registers has a block for each row, and no more blocks than two
// for each multiprocessor: rows behind them are left out.

#include <algorithm>

#include "export.cuh"

namespace {

namespace cuda = assay::layernorm_cuda;

struct Steps : cuda::Steps {};

int ForwardOfTheFirstRows(cuda::ForwardProblem problem, cudaStream_t stream) {
  if (problem.features > cuda::kWidestInRegisters) {
    problem.rows = std::min(problem.rows, 2 * cuda::Multiprocessors());
  }
  return cuda::Forward<Steps>(problem, stream);
}

}  // namespace

extern "C" {

int ln_forward_cuda_f32(size_t rows, size_t features, const float* x, const float* gamma,
                        const float* beta, float eps, float* y, float* mean, float* rstd,
                        ln_stream stream) {
  return ForwardOfTheFirstRows({rows, features, x, gamma, beta, eps, y, mean, rstd}, stream);
}

size_t ln_backward_cuda_workspace_bytes(size_t rows, size_t features) {
  return cuda::BackwardPlan::Of(rows, features).bytes;
}

int ln_backward_cuda_f32(size_t rows, size_t features, const float* dy, const float* x,
                         const float* gamma, const float* mean, const float* rstd, float* dx,
                         float* dgamma, float* dbeta, void* workspace, size_t workspace_bytes,
                         ln_stream stream) {
  return cuda::Backward<Steps>({rows, features, dy, x, gamma, mean, rstd, dx, dgamma, dbeta},
                               workspace, workspace_bytes, stream);
}

}  // extern "C"
