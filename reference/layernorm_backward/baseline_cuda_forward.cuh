// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_FORWARD_CUH_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_FORWARD_CUH_

#include <algorithm>

#include "baseline_cuda.cuh"
#include "baseline_cuda_wide.cuh"

/// y, mean and rstd, one read of x. The variance is that of two passes, over registers.

namespace assay::layernorm_cuda {

template <class Steps, class Team, bool kVector>
__global__ void __launch_bounds__(Team::kBlock) ForwardKernel(ForwardProblem problem) {
  using Mine = typename Team::template Mine<kVector>;
  constexpr int kTeam = Team::kTeam;
  constexpr int kTeams = Team::kTeams;
  const int thread = static_cast<int>(threadIdx.x) % kTeam;
  const int team = static_cast<int>(threadIdx.x) / kTeam;
  const int features = static_cast<int>(problem.features);
  const float width = static_cast<float>(features);
  float gamma[Mine::kPerThread];
  float beta[Mine::kPerThread];
  Mine::Load(problem.gamma, thread, features, gamma);
  Mine::Load(problem.beta, thread, features, beta);

  // All teams of a block go round equally often, so that all of them meet at each barrier.
  for (std::size_t first = std::size_t{blockIdx.x} * kTeams; first < problem.rows;
       first += std::size_t{gridDim.x} * kTeams) {
    const std::size_t row = first + team;
    const bool is_row = row < problem.rows;
    const int count = is_row ? features : 0;
    const std::size_t at = is_row ? row * problem.features : 0;
    float x[Mine::kPerThread];
    Mine::Load(problem.x + at, thread, count, x);
    float2 sums = {0, 0};
#pragma unroll
    for (float value : x) {
      sums.x += value;
    }
    const float mean = SumOverTeam<Steps, kTeam>(sums, 0).x / width;
    sums = {0, 0};
#pragma unroll
    for (int e = 0; e < Mine::kPerThread; ++e) {
      const float deviation = Mine::At(thread, e) < count ? x[e] - mean : 0.0f;
      sums.x += deviation * deviation;
      x[e] = deviation;
    }
    const float rstd = 1.0f / sqrtf(SumOverTeam<Steps, kTeam>(sums, 1).x / width + problem.eps);
#pragma unroll
    for (int e = 0; e < Mine::kPerThread; ++e) {
      x[e] = x[e] * rstd * gamma[e] + beta[e];
    }
    Mine::Store(problem.y + at, thread, count, x);
    if (is_row && thread == 0) {
      problem.mean[row] = mean;
      problem.rstd[row] = rstd;
    }
  }
}

template <class Steps>
int Forward(const ForwardProblem& problem, cudaStream_t stream) {
  if (problem.features == 0 || problem.rows > (std::size_t{1} << 31) / problem.features) {
    return LN_INVALID_ARGUMENT;
  }
  if (problem.rows == 0) {
    return LN_OK;
  }
  if (problem.features > kWidestInRegisters) {
    return WideForward(problem, stream);
  }
  const bool vector = Steps::RowsHoldWholeFours(problem.features) && IsAlignedTo16(problem.x) &&
                      IsAlignedTo16(problem.gamma) && IsAlignedTo16(problem.beta) &&
                      IsAlignedTo16(problem.y);
  return WithTeamFor(problem.features, [&]([[maybe_unused]] auto team) {
    using Team = decltype(team);
    constexpr std::size_t kBlocksEach = 2048 / Team::kBlock;
    const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(
        Multiprocessors() * kBlocksEach, 1, CeilDiv(problem.rows, Team::kTeams)));
    const auto kernel =
        vector ? ForwardKernel<Steps, Team, true> : ForwardKernel<Steps, Team, false>;
    kernel<<<blocks, Team::kBlock, 0, stream>>>(problem);
    return LaunchStatus();
  });
}

}  // namespace assay::layernorm_cuda

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_FORWARD_CUH_
