// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_WIDE_CUH_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_WIDE_CUH_

#include <algorithm>

#include "baseline_cuda.cuh"

/// Rows that no block's registers hold: they are read twice. Forward has one block a row; backward
/// first takes both means of each row, then goes down the columns, whose sums need no partials.

namespace assay::layernorm_cuda {

/// The arguments of ln_forward_cuda_f32 and ln_backward_cuda_f32.
struct ForwardProblem {
  std::size_t rows;
  std::size_t features;
  const float* x;
  const float* gamma;
  const float* beta;
  float eps;
  float* y;
  float* mean;
  float* rstd;
};
struct BackwardProblem {
  std::size_t rows;
  std::size_t features;
  const float* dy;
  const float* x;
  const float* gamma;
  const float* mean;
  const float* rstd;
  float* dx;
  float* dgamma;
  float* dbeta;
};

inline constexpr int kWideThreads = 512;
/// Blocks that rows share; each takes every so many rows.
inline constexpr std::size_t kWideBlocks = 1024;

/// Count, mean and sum of squared deviations of some numbers, which two of them merge to (Chan,
/// Golub, LeVeque 1983).
struct Moments {
  float count = 0;
  float mean = 0;
  float squares = 0;

  __device__ void Add(float value) {
    count += 1;
    const float deviation = value - mean;
    mean += deviation / count;
    squares += deviation * (value - mean);
  }
  __device__ void Merge(const Moments& other) {
    if (other.count == 0) {
      return;
    }
    const float total = count + other.count;
    const float deviation = other.mean - mean;
    mean += deviation * (other.count / total);
    squares += other.squares + deviation * deviation * (count / total * other.count);
    count = total;
  }
};

/// Of the whole block, for its thread 0.
__device__ inline Moments MergeOverBlock(Moments moments) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    moments.Merge({__shfl_down_sync(kAllLanes, moments.count, step),
                   __shfl_down_sync(kAllLanes, moments.mean, step),
                   __shfl_down_sync(kAllLanes, moments.squares, step)});
  }
  __shared__ Moments of_warps[kWideThreads / kWarp];
  if (threadIdx.x % kWarp == 0) {
    of_warps[threadIdx.x / kWarp] = moments;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < kWideThreads / kWarp; ++warp) {
      moments.Merge(of_warps[warp]);
    }
  }
  return moments;
}

// `inline` for a template's linkage: every mutant's object has these kernels.
template <int kThreads = kWideThreads>
__global__ void __launch_bounds__(kThreads) WideForwardKernel(ForwardProblem problem) {
  __shared__ float mean;
  __shared__ float rstd;
  for (std::size_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    const float* x = problem.x + row * problem.features;
    Moments moments;
    for (std::size_t j = threadIdx.x; j < problem.features; j += kThreads) {
      moments.Add(x[j]);
    }
    moments = MergeOverBlock(moments);
    if (threadIdx.x == 0) {
      mean = moments.mean;
      rstd = 1.0f / sqrtf(moments.squares / static_cast<float>(problem.features) + problem.eps);
      problem.mean[row] = mean;
      problem.rstd[row] = rstd;
    }
    __syncthreads();
    float* y = problem.y + row * problem.features;
    for (std::size_t j = threadIdx.x; j < problem.features; j += kThreads) {
      y[j] = (x[j] - mean) * rstd * problem.gamma[j] + problem.beta[j];
    }
    __syncthreads();  // The next row's mean is not written while this one's is read.
  }
}

inline int WideForward(const ForwardProblem& problem, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(std::min(problem.rows, kWideBlocks));
  WideForwardKernel<><<<blocks, kWideThreads, 0, stream>>>(problem);
  return LaunchStatus();
}

/// means[row] = (mean of d, mean of d * xhat).
template <class Steps>
__global__ void __launch_bounds__(kWideThreads)
    WideMeansKernel(BackwardProblem problem, float2* means) {
  int turn = 0;
  for (std::size_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    const std::size_t at = row * problem.features;
    const float mean = problem.mean[row];
    const float rstd = problem.rstd[row];
    float2 sums = {0, 0};
    for (std::size_t j = threadIdx.x; j < problem.features; j += kWideThreads) {
      const float d = problem.dy[at + j] * problem.gamma[j];
      sums.x += d;
      sums.y += d * ((problem.x[at + j] - mean) * rstd);
    }
    sums = SumOverTeam<Steps, kWideThreads>(sums, turn++);
    if (threadIdx.x == 0) {
      const float share = 1.0f / static_cast<float>(problem.features);
      means[row] = {sums.x * share, sums.y * share};
    }
  }
}

/// One thread a column.
template <int kThreads = kBlockThreads>
__global__ void __launch_bounds__(kThreads)
    WideColumnsKernel(BackwardProblem problem, const float2* means) {
  const std::size_t column = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (column >= problem.features) {
    return;
  }
  const float gamma = problem.gamma[column];
  float gamma_sum = 0;
  float beta_sum = 0;
  for (std::size_t row = 0; row < problem.rows; ++row) {
    const std::size_t at = row * problem.features + column;
    const float dy = problem.dy[at];
    const float rstd = problem.rstd[row];
    const float xhat = (problem.x[at] - problem.mean[row]) * rstd;
    const float2 of_row = means[row];
    problem.dx[at] = rstd * (dy * gamma - of_row.x - xhat * of_row.y);
    gamma_sum += dy * xhat;
    beta_sum += dy;
  }
  problem.dgamma[column] = gamma_sum;
  problem.dbeta[column] = beta_sum;
}

template <class Steps>
int WideBackward(const BackwardProblem& problem, float2* means, cudaStream_t stream) {
  const auto row_blocks = static_cast<unsigned>(std::min(problem.rows, kWideBlocks));
  const auto column_blocks = static_cast<unsigned>(CeilDiv(problem.features, kBlockThreads));
  WideMeansKernel<Steps><<<row_blocks, kWideThreads, 0, stream>>>(problem, means);
  WideColumnsKernel<><<<column_blocks, kBlockThreads, 0, stream>>>(problem, means);
  return LaunchStatus();
}

}  // namespace assay::layernorm_cuda

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_WIDE_CUH_
