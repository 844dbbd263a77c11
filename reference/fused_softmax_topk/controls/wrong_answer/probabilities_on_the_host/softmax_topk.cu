// SPDX-License-Identifier: Apache-2.0
// Part of the work is the host's: kernels select, and leave the logits of a row over its maximum
// and the sum of its exponentials; the host turns them into probabilities, in pinned memory, and
// sends them back. It needs no more bytes there than the outputs have. The numbers that it returns
// are right; one row at a time, so that these bytes are few.

#include <cmath>

#include "plain_softmax_topk.cuh"

namespace {

/// After the selection, in the place of probabilities: logits over their maximum. And *sum.
__global__ void Unfinished(plain::Call c, float* sum_of_row) {
  __shared__ float scratch[plain::kThreads];
  float largest = -INFINITY;
  for (std::size_t i = threadIdx.x; i < c.vocabulary; i += plain::kThreads) {
    largest = fmaxf(largest, c.logits[i]);
  }
  largest = plain::Reduce<false>(largest, scratch);
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < c.vocabulary; i += plain::kThreads) {
    sum += expf(c.logits[i] - largest);
  }
  sum = plain::Reduce<true>(sum, scratch);
  if (threadIdx.x == 0) *sum_of_row = sum;
  for (std::size_t i = threadIdx.x; i < c.k; i += plain::kThreads) {
    c.probabilities[i] = c.logits[c.indices[i]] - largest;
  }
}

int Answer(const plain::Call& c) {
  const int status = plain::Run(c);
  if (status != SOFTMAX_TOPK_OK || c.rows != 1 || c.k == 0) return status;
  float* sum = nullptr;
  float* host = nullptr;
  if (cudaMalloc(&sum, sizeof(float)) != cudaSuccess ||
      cudaMallocHost(&host, (c.k + 1) * sizeof(float)) != cudaSuccess) {
    return SOFTMAX_TOPK_DEVICE_FAILURE;
  }
  Unfinished<<<1, plain::kThreads, 0, c.stream>>>(c, sum);
  const std::size_t bytes = c.k * sizeof(float);
  cudaMemcpyAsync(host, c.probabilities, bytes, cudaMemcpyDeviceToHost, c.stream);
  cudaMemcpyAsync(host + c.k, sum, sizeof(float), cudaMemcpyDeviceToHost, c.stream);
  cudaStreamSynchronize(c.stream);
  for (std::size_t i = 0; i < c.k; ++i) host[i] = std::exp(host[i]) / host[c.k];
  cudaMemcpyAsync(c.probabilities, host, bytes, cudaMemcpyHostToDevice, c.stream);
  cudaStreamSynchronize(c.stream);
  cudaFreeHost(host);
  cudaFree(sum);
  return plain::LaunchStatus();
}

}  // namespace

PLAIN_EXPORT(Answer);
