// SPDX-License-Identifier: Apache-2.0
// Part of the work is the host's: a kernel computes scores, the host their softmax, another kernel
// the outputs. Where a page has one token, so that the scores take no more bytes than the page
// table, which a host might ask for; elsewhere it computes as it should.

#include <algorithm>

#include "plain_decode_cuda.cuh"

namespace {

/// scores: [sequences][query_heads][tokens].
__global__ void ScoreTokens(plain::Paged c, float* scores, std::int32_t tokens) {
  const std::size_t row = std::size_t{blockIdx.x} * c.query_heads + blockIdx.y;
  for (std::int32_t token = 0; token < c.lengths[blockIdx.x]; ++token) {
    const std::size_t slot = c.Slot(blockIdx.x, token, static_cast<std::int32_t>(blockIdx.y));
    const float score = plain::Score(c, c.q + row * c.head_size, c.key_pages + slot);
    if (threadIdx.x == 0) scores[row * tokens + token] = score;
  }
}

__global__ void SumValues(plain::Paged c, const float* weights, std::int32_t tokens) {
  const std::size_t row = std::size_t{blockIdx.x} * c.query_heads + blockIdx.y;
  for (int column = threadIdx.x; column < c.head_size; column += plain::kLanes) {
    double sum = 0;
    for (std::int32_t token = 0; token < c.lengths[blockIdx.x]; ++token) {
      const std::size_t slot = c.Slot(blockIdx.x, token, static_cast<std::int32_t>(blockIdx.y));
      sum += double{weights[row * tokens + token]} * c.value_pages[slot + column];
    }
    c.out[row * c.head_size + column] = static_cast<float>(sum);
  }
}

void Softmax(float* scores, std::int32_t count) {
  if (count == 0) return;
  const double largest = *std::max_element(scores, scores + count);
  double sum = 0;
  for (std::int32_t i = 0; i < count; ++i) sum += std::exp(scores[i] - largest);
  for (std::int32_t i = 0; i < count; ++i) {
    scores[i] = static_cast<float>(std::exp(scores[i] - largest) / sum);
  }
}

int Decode(const plain::Paged& c) {
  const std::int32_t tokens = c.table_stride * c.page_size;
  const std::size_t rows = std::size_t(c.sequences) * c.query_heads;
  if (c.page_size > 1) return plain::Run(c);
  float* device = nullptr;
  const std::size_t bytes = rows * tokens * sizeof(float);
  if (cudaMalloc(&device, bytes) != cudaSuccess) return KV_DEVICE_FAILURE;
  cudaMemsetAsync(device, 0, bytes, c.stream);
  const dim3 grid(static_cast<unsigned>(c.sequences), static_cast<unsigned>(c.query_heads));
  ScoreTokens<<<grid, plain::kLanes, 0, c.stream>>>(c, device, tokens);
  const std::vector<std::int32_t> lengths = plain::OnHost(c.lengths, c.sequences, c.stream);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int32_t length = lengths[row / c.query_heads];
    std::vector<float> weights = plain::OnHost(device + row * tokens, length, c.stream);
    Softmax(weights.data(), length);
    cudaMemcpyAsync(device + row * tokens, weights.data(), length * sizeof(float),
                    cudaMemcpyHostToDevice, c.stream);
    cudaStreamSynchronize(c.stream);
  }
  SumValues<<<grid, plain::kLanes, 0, c.stream>>>(c, device, tokens);
  cudaFree(device);
  return plain::LaunchStatus();
}

}  // namespace

PLAIN_EXPORT_CUDA(Decode);
