// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_BACKWARD_CUH_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_BACKWARD_CUH_

#include <algorithm>

#include "baseline_cuda.cuh"
#include "baseline_cuda_wide.cuh"

/// dx, dgamma and dbeta in one launch, one read of x and dy.
///
/// Each block adds up its rows' share of dgamma and dbeta in registers and leaves it in the
/// workspace. The last of each kFanIn blocks to arrive adds up theirs, and the last of those adds
/// up the rest. Which block is last does not matter: it adds in the order of the blocks, so that
/// the same inputs give the same bits.

namespace assay::layernorm_cuda {

inline constexpr std::size_t kFanIn = 16;
/// Fewer rows than that for a block, and its partial sums cost more than they hide.
inline constexpr std::size_t kLeastRowsOfBlock = 16;
inline constexpr std::size_t kWorkspaceAlignment = 256;

/// How many blocks, and where in the workspace what they leave stands.
struct BackwardPlan {
  std::size_t blocks = 0;
  std::size_t counters = 0;       ///< One for each group of blocks, and one for the groups.
  std::size_t partials_byte = 0;  ///< Where the partial sums begin, behind the counters.
  std::size_t bytes = 0;

  static BackwardPlan Of(std::size_t rows, std::size_t features) {
    BackwardPlan plan;
    if (rows == 0 || features == 0) {
      return plan;
    }
    if (features > kWidestInRegisters) {
      plan.bytes = rows * sizeof(float2);
      return plan;
    }
    const std::size_t teams =
        WithTeamFor(features, [](auto team) { return static_cast<std::size_t>(team.kTeams); });
    const std::size_t most = std::max<std::size_t>(2 * Multiprocessors(), 1);
    plan.blocks =
        std::clamp<std::size_t>(CeilDiv(rows, std::max(teams, kLeastRowsOfBlock)), 1, most);
    if (plan.blocks > 1) {
      plan.counters = CeilDiv(plan.blocks, kFanIn) + 1;
      plan.partials_byte =
          CeilDiv(plan.counters * sizeof(unsigned), kWorkspaceAlignment) * kWorkspaceAlignment;
      plan.bytes = plan.partials_byte + plan.blocks * 2 * features * sizeof(float);
    }
    return plan;
  }
};

/// Where blocks leave sums: `partials` is [blocks][2][features], dgamma before dbeta.
struct PartialSums {
  float* partials;
  unsigned* counters;
};

/// Whether this block is the last of `count` to come by; then it sees what the others wrote.
template <class Steps>
__device__ bool IsLastToArrive(unsigned* counter, unsigned count) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = Steps::Arrive(counter) == count - 1;
    __threadfence();
  }
  __syncthreads();
  return is_last;
}

/// out[c] = sum of from[i * stride + c] over i < count, c < width. `out` may be from's first.
__device__ inline void AddUp(const float* from, std::size_t stride, unsigned count, int width,
                             float* out) {
  for (int c = static_cast<int>(threadIdx.x); c < width; c += static_cast<int>(blockDim.x)) {
    float sum = 0;
    for (unsigned i = 0; i < count; ++i) {
      sum += from[i * stride + c];
    }
    out[c] = sum;
  }
}

/// Adds up what all blocks have left, in the last of them to come here.
template <class Steps>
__device__ void Finish(const PartialSums& sums, const BackwardProblem& problem) {
  const int features = static_cast<int>(problem.features);
  const std::size_t of_block = 2 * problem.features;
  unsigned* counters = Steps::Counters(sums.counters);
  const unsigned groups = (gridDim.x + kFanIn - 1) / kFanIn;
  const unsigned group = blockIdx.x / kFanIn;
  const unsigned first = group * kFanIn;
  const unsigned in_group = min(static_cast<unsigned>(kFanIn), gridDim.x - first);
  if (!IsLastToArrive<Steps>(&counters[group], in_group)) {
    return;
  }
  float* of_group = sums.partials + first * of_block;
  AddUp(of_group, of_block, in_group, 2 * features, of_group);
  if (!IsLastToArrive<Steps>(&counters[groups], groups)) {
    return;
  }
  AddUp(sums.partials, kFanIn * of_block, groups, features, problem.dgamma);
  AddUp(sums.partials + features, kFanIn * of_block, groups, features, problem.dbeta);
}

/// Writes out[0..features) from what each team has of the columns.
template <class Mine, int kTeams>
__device__ void AddOverTeams(const float (&of_thread)[Mine::kPerThread], int thread, int team,
                             int features, float* out) {
  if constexpr (kTeams == 1) {
#pragma unroll
    for (int e = 0; e < Mine::kPerThread; ++e) {
      const int column = Mine::At(thread, e);
      if (column < features) {
        out[column] = of_thread[e];
      }
    }
  } else {
    __shared__ float of_teams[kTeams][Mine::kCovered];
    __syncthreads();  // What stood there before has been read.
#pragma unroll
    for (int e = 0; e < Mine::kPerThread; ++e) {
      of_teams[team][Mine::At(thread, e)] = of_thread[e];
    }
    __syncthreads();
    for (int c = static_cast<int>(threadIdx.x); c < features; c += static_cast<int>(blockDim.x)) {
      float sum = 0;
      for (int i = 0; i < kTeams; ++i) {
        sum += of_teams[i][c];
      }
      out[c] = sum;
    }
  }
}

template <class Steps, class Team, bool kVector>
__global__ void __launch_bounds__(Team::kBlock)
    BackwardKernel(BackwardProblem problem, PartialSums sums) {
  using Mine = typename Team::template Mine<kVector>;
  constexpr int kTeam = Team::kTeam;
  constexpr int kTeams = Team::kTeams;
  const int thread = static_cast<int>(threadIdx.x) % kTeam;
  const int team = static_cast<int>(threadIdx.x) / kTeam;
  const int features = static_cast<int>(problem.features);
  const float share = 1.0f / static_cast<float>(features);
  float gamma[Mine::kPerThread];
  Mine::Load(problem.gamma, thread, features, gamma);
  float gamma_sum[Mine::kPerThread] = {};
  float beta_sum[Mine::kPerThread] = {};

  int turn = 0;
  // All teams of a block go round equally often, so that all of them meet at each barrier.
  for (std::size_t first = std::size_t{blockIdx.x} * kTeams; first < problem.rows;
       first += std::size_t{gridDim.x} * kTeams) {
    const std::size_t row = first + team;
    const bool is_row = row < problem.rows;
    const int count = is_row ? features : 0;
    const std::size_t at = is_row ? row * problem.features : 0;
    const float mean = is_row ? problem.mean[row] : 0.0f;
    const float rstd = is_row ? problem.rstd[row] : 0.0f;
    float x[Mine::kPerThread];
    float dy[Mine::kPerThread];
    Mine::Load(problem.x + at, thread, count, x);
    Mine::Load(problem.dy + at, thread, count, dy);
    float2 of_thread = {0, 0};
#pragma unroll
    for (int e = 0; e < Mine::kPerThread; ++e) {
      const float xhat = Mine::At(thread, e) < count ? Steps::Normalised(x[e] - mean, rstd) : 0.0f;
      // Rounded, and not fused into a sum: with one feature d - mean(d) is 0.
      const float d = __fmul_rn(dy[e], gamma[e]);
      of_thread.x += d;
      of_thread.y += d * xhat;
      gamma_sum[e] += dy[e] * xhat;
      beta_sum[e] += dy[e];
      x[e] = xhat;
    }
    const float2 of_row = SumOverTeam<Steps, kTeam>(of_thread, turn++);
    const float mean_d = of_row.x * share;
    const float mean_d_xhat = of_row.y * share;
#pragma unroll
    for (int e = 0; e < Mine::kPerThread; ++e) {
      dy[e] = rstd * (__fmul_rn(dy[e], gamma[e]) - mean_d - x[e] * mean_d_xhat);
    }
    Mine::Store(problem.dx + at, thread, count, dy);
  }

  if (gridDim.x == 1) {
    AddOverTeams<Mine, kTeams>(gamma_sum, thread, team, features, problem.dgamma);
    AddOverTeams<Mine, kTeams>(beta_sum, thread, team, features, problem.dbeta);
    return;
  }
  float* of_block = sums.partials + blockIdx.x * 2 * problem.features;
  AddOverTeams<Mine, kTeams>(gamma_sum, thread, team, features, of_block);
  AddOverTeams<Mine, kTeams>(beta_sum, thread, team, features, of_block + features);
  Finish<Steps>(sums, problem);
}

/// No rows: both sums are 0.
inline int ClearColumns(const BackwardProblem& problem, cudaStream_t stream) {
  const std::size_t bytes = problem.features * sizeof(float);
  const bool cleared = cudaMemsetAsync(problem.dgamma, 0, bytes, stream) == cudaSuccess &&
                       cudaMemsetAsync(problem.dbeta, 0, bytes, stream) == cudaSuccess;
  return cleared ? LN_OK : LN_DEVICE_FAILURE;
}

template <class Steps>
int Backward(const BackwardProblem& problem, void* workspace, std::size_t workspace_bytes,
             cudaStream_t stream) {
  if (problem.features == 0 || problem.rows > (std::size_t{1} << 31) / problem.features) {
    return LN_INVALID_ARGUMENT;
  }
  const BackwardPlan plan = BackwardPlan::Of(problem.rows, problem.features);
  if (workspace_bytes != plan.bytes) {
    return LN_INVALID_ARGUMENT;
  }
  if (problem.rows == 0) {
    return ClearColumns(problem, stream);
  }
  if (problem.features > kWidestInRegisters) {
    return WideBackward<Steps>(problem, static_cast<float2*>(workspace), stream);
  }
  const PartialSums sums = {
      reinterpret_cast<float*>(static_cast<std::byte*>(workspace) + plan.partials_byte),
      static_cast<unsigned*>(workspace)};
  if (plan.blocks > 1 &&
      Steps::ClearCounters(sums.counters, plan.counters, stream) != cudaSuccess) {
    return LN_DEVICE_FAILURE;
  }
  const bool vector = Steps::RowsHoldWholeFours(problem.features) && IsAlignedTo16(problem.x) &&
                      IsAlignedTo16(problem.dy) && IsAlignedTo16(problem.gamma) &&
                      IsAlignedTo16(problem.dx);
  return WithTeamFor(problem.features, [&]([[maybe_unused]] auto team) {
    using Team = decltype(team);
    const auto kernel =
        vector ? BackwardKernel<Steps, Team, true> : BackwardKernel<Steps, Team, false>;
    kernel<<<static_cast<unsigned>(plan.blocks), Team::kBlock, 0, stream>>>(problem, sums);
    return LaunchStatus();
  });
}

}  // namespace assay::layernorm_cuda

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_BACKWARD_CUH_
