// SPDX-License-Identifier: Apache-2.0
// Bug: the size of the workspace is checked only where there are rows to need one.

#include "export.cuh"

namespace {

namespace cuda = assay::layernorm_cuda;

struct Steps : cuda::Steps {};

int BackwardOfAnyWorkspace(const cuda::BackwardProblem& problem, void* workspace,
                           std::size_t workspace_bytes, cudaStream_t stream) {
  if (problem.features > 0 && problem.rows == 0) {
    return cuda::ClearColumns(problem, stream);
  }
  return cuda::Backward<Steps>(problem, workspace, workspace_bytes, stream);
}

}  // namespace

extern "C" {

int ln_forward_cuda_f32(size_t rows, size_t features, const float* x, const float* gamma,
                        const float* beta, float eps, float* y, float* mean, float* rstd,
                        ln_stream stream) {
  return cuda::Forward<Steps>({rows, features, x, gamma, beta, eps, y, mean, rstd}, stream);
}

size_t ln_backward_cuda_workspace_bytes(size_t rows, size_t features) {
  return cuda::BackwardPlan::Of(rows, features).bytes;
}

int ln_backward_cuda_f32(size_t rows, size_t features, const float* dy, const float* x,
                         const float* gamma, const float* mean, const float* rstd, float* dx,
                         float* dgamma, float* dbeta, void* workspace, size_t workspace_bytes,
                         ln_stream stream) {
  return BackwardOfAnyWorkspace({rows, features, dy, x, gamma, mean, rstd, dx, dgamma, dbeta},
                                workspace, workspace_bytes, stream);
}

}  // extern "C"
