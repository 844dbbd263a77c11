// SPDX-License-Identifier: Apache-2.0
// Bug: the vectors of dx are taken to begin at 16 bytes where those of x, dy and gamma do.

#include "export.cuh"

namespace {

namespace cuda = assay::layernorm_cuda;

struct Steps : cuda::Steps {};

/// Of rows that registers hold: cuda::Backward but for what is said of dx.
int BackwardInFours(const cuda::BackwardProblem& problem, void* workspace,
                    std::size_t workspace_bytes, cudaStream_t stream) {
  const bool in_fours = problem.features % 4 == 0 && cuda::IsAlignedTo16(problem.x) &&
                        cuda::IsAlignedTo16(problem.dy) && cuda::IsAlignedTo16(problem.gamma);
  const auto plan = cuda::BackwardPlan::Of(problem.rows, problem.features);
  if (!in_fours || plan.blocks == 0 || problem.features > cuda::kWidestInRegisters ||
      workspace_bytes != plan.bytes) {
    return cuda::Backward<Steps>(problem, workspace, workspace_bytes, stream);
  }
  const cuda::PartialSums sums = {
      reinterpret_cast<float*>(static_cast<std::byte*>(workspace) + plan.partials_byte),
      static_cast<unsigned*>(workspace)};
  if (plan.blocks > 1 &&
      Steps::ClearCounters(sums.counters, plan.counters, stream) != cudaSuccess) {
    return LN_DEVICE_FAILURE;
  }
  return cuda::WithTeamFor(problem.features, [&]([[maybe_unused]] auto team) {
    using Team = decltype(team);
    cuda::BackwardKernel<Steps, Team, true>
        <<<static_cast<unsigned>(plan.blocks), Team::kBlock, 0, stream>>>(problem, sums);
    return cuda::LaunchStatus();
  });
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
  return BackwardInFours({rows, features, dy, x, gamma, mean, rstd, dx, dgamma, dbeta}, workspace,
                         workspace_bytes, stream);
}

}  // extern "C"
