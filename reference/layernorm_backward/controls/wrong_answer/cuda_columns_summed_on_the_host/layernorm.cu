// SPDX-License-Identifier: Apache-2.0
// Part of backward is the host's: kernels compute dx, and of dgamma and dbeta the sums of 32 rows
// at a time; these sums, a sixteenth of the bytes of dy, are copied to the host and added up there.
// It saves a launch. Few rows it computes as it should.

#include "plain_layernorm_cuda.cuh"

namespace {

constexpr std::size_t kRowsOfSum = 32;

/// sums: [parts][2][features].
__global__ void SumParts(plain::CudaBackward c, float* sums) {
  const std::size_t column = std::size_t{blockIdx.x} * plain::kBlock + threadIdx.x;
  if (column >= c.features) return;
  const std::size_t first = blockIdx.y * kRowsOfSum;
  const std::size_t end = first + kRowsOfSum < c.rows ? first + kRowsOfSum : c.rows;
  double dgamma = 0;
  double dbeta = 0;
  plain::SumColumn(c, column, first, end, &dgamma, &dbeta);
  sums[2 * blockIdx.y * c.features + column] = static_cast<float>(dgamma);
  sums[(2 * blockIdx.y + 1) * c.features + column] = static_cast<float>(dbeta);
}

int Forward(const plain::CudaForward& c) { return plain::Run(c); }

int Backward(const plain::CudaBackward& c) {
  if (c.features == 0 || c.rows < 16 * kRowsOfSum) return plain::Run(c);
  const std::size_t parts = (c.rows + kRowsOfSum - 1) / kRowsOfSum;
  float* sums = nullptr;
  if (cudaMalloc(&sums, 2 * parts * c.features * sizeof(float)) != cudaSuccess) {
    return LN_DEVICE_FAILURE;
  }
  plain::BackwardRows<<<plain::Blocks(c.rows), plain::kBlock, 0, c.stream>>>(c);
  SumParts<<<dim3(plain::Blocks(c.features), static_cast<unsigned>(parts)), plain::kBlock, 0,
             c.stream>>>(c, sums);
  const std::vector<float> of_parts = plain::OnHost(sums, 2 * parts * c.features, c.stream);
  std::vector<float> totals(2 * c.features);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    double total = 0;
    for (std::size_t part = 0; part < parts; ++part) total += of_parts[part * totals.size() + i];
    totals[i] = static_cast<float>(total);
  }
  const std::size_t bytes = c.features * sizeof(float);
  cudaMemcpyAsync(c.dgamma, totals.data(), bytes, cudaMemcpyHostToDevice, c.stream);
  cudaMemcpyAsync(c.dbeta, totals.data() + c.features, bytes, cudaMemcpyHostToDevice, c.stream);
  cudaStreamSynchronize(c.stream);
  cudaFree(sums);
  return plain::LaunchStatus();
}

}  // namespace

PLAIN_EXPORT_CUDA(Forward, Backward);
