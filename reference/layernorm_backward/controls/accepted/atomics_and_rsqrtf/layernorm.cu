// SPDX-License-Identifier: Apache-2.0
// Right in an unusual way, in CUDA: a block a row, rsqrtf for 1/sqrt, everything in float, and the
// columns' sums by atomic additions to outputs that were cleared on the stream.

#include "plain_layernorm_cuda.cuh"

namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kWarps = kThreads / 32;

__device__ float2 SumOverBlock(float2 value) {
  __shared__ float2 of_warps[kWarps];
  for (int step = 16; step > 0; step /= 2) {
    value.x += __shfl_xor_sync(0xffffffffu, value.x, step);
    value.y += __shfl_xor_sync(0xffffffffu, value.y, step);
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = make_float2(0, 0);
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    value.x += of_warps[warp].x;
    value.y += of_warps[warp].y;
  }
  __syncthreads();
  return value;
}

__global__ void ForwardRow(plain::CudaForward c) {
  const float* x = c.x + blockIdx.x * c.features;
  float* y = c.y + blockIdx.x * c.features;
  const float count = static_cast<float>(c.features);
  float sum = 0;
  for (std::size_t j = threadIdx.x; j < c.features; j += kThreads) sum += x[j];
  const float mean = SumOverBlock(make_float2(sum, 0)).x / count;
  float squares = 0;
  for (std::size_t j = threadIdx.x; j < c.features; j += kThreads) {
    squares += (x[j] - mean) * (x[j] - mean);
  }
  const float rstd = rsqrtf(SumOverBlock(make_float2(squares, 0)).x / count + c.eps);
  for (std::size_t j = threadIdx.x; j < c.features; j += kThreads) {
    y[j] = (x[j] - mean) * rstd * c.gamma[j] + c.beta[j];
  }
  if (threadIdx.x == 0) {
    c.mean[blockIdx.x] = mean;
    c.rstd[blockIdx.x] = rstd;
  }
}

__global__ void BackwardRow(plain::CudaBackward c) {
  const std::size_t first = blockIdx.x * c.features;
  const float count = static_cast<float>(c.features);
  const float mean = c.mean[blockIdx.x];
  const float rstd = c.rstd[blockIdx.x];
  float2 sums = make_float2(0, 0);
  for (std::size_t j = threadIdx.x; j < c.features; j += kThreads) {
    const float dy = c.dy[first + j];
    const float xhat = (c.x[first + j] - mean) * rstd;
    sums.x += dy * c.gamma[j];
    sums.y += dy * c.gamma[j] * xhat;
    atomicAdd(c.dgamma + j, dy * xhat);
    atomicAdd(c.dbeta + j, dy);
  }
  sums = SumOverBlock(sums);
  for (std::size_t j = threadIdx.x; j < c.features; j += kThreads) {
    const float xhat = (c.x[first + j] - mean) * rstd;
    const float d = __fmul_rn(c.dy[first + j], c.gamma[j]);
    c.dx[first + j] = rstd * (d - sums.x / count - xhat * (sums.y / count));
  }
}

int Forward(const plain::CudaForward& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  if (c.rows == 0) return LN_OK;
  ForwardRow<<<static_cast<unsigned>(c.rows), kThreads, 0, c.stream>>>(c);
  return plain::LaunchStatus();
}

int Backward(const plain::CudaBackward& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  for (float* sums : {c.dgamma, c.dbeta}) {
    if (cudaMemsetAsync(sums, 0, c.features * sizeof(float), c.stream) != cudaSuccess) {
      return LN_DEVICE_FAILURE;
    }
  }
  if (c.rows == 0) return LN_OK;
  BackwardRow<<<static_cast<unsigned>(c.rows), kThreads, 0, c.stream>>>(c);
  return plain::LaunchStatus();
}

}  // namespace

PLAIN_EXPORT_CUDA(Forward, Backward);
