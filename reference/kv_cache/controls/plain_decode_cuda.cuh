// SPDX-License-Identifier: Apache-2.0
#ifndef PLAIN_DECODE_CUDA_CUH_
#define PLAIN_DECODE_CUDA_CUH_

// A right and plain paged decode in CUDA that controls are made of, a warp for each query head of
// each sequence, and the same on the host, which is where some of them do their work. Copied beside
// a control's own sources like plain_kv.h.

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interface.h"

namespace plain {

constexpr int kLanes = 32;
constexpr int kMostHeadSize = 256;
constexpr int kMostColumns = kMostHeadSize / kLanes;  // Of a lane.

struct Paged {
  std::int32_t sequences, query_heads, kv_heads, head_size, page_size;
  const float *q, *key_pages, *value_pages;
  const std::int32_t* page_table;
  std::int32_t table_stride;
  const std::int32_t* lengths;
  float* out;
  cudaStream_t stream;

  /// Where a token of a sequence begins in the pools, for a query head.
  __host__ __device__ std::size_t Slot(std::size_t sequence, std::int32_t token,
                                       std::int32_t head) const {
    const auto page = static_cast<std::size_t>(
        page_table[sequence * static_cast<std::size_t>(table_stride) + token / page_size]);
    const std::size_t kv_head = static_cast<std::size_t>(head / (query_heads / kv_heads));
    return ((page * kv_heads + kv_head) * page_size + token % page_size) * head_size;
  }
  [[nodiscard]] std::size_t OutputElements() const {
    return static_cast<std::size_t>(sequences) * query_heads * head_size;
  }
};

__device__ inline float Score(const Paged& c, const float* q, const float* k) {
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < c.head_size; i += kLanes) sum += q[i] * k[i];
  for (int step = kLanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(~0U, sum, step);
  return sum / sqrtf(static_cast<float>(c.head_size));
}

/// Block (sequence, head). Tokens in turn, with a running maximum.
inline __global__ void DecodeHeads(Paged c) {
  const std::size_t row = std::size_t{blockIdx.x} * c.query_heads + blockIdx.y;
  const float* q = c.q + row * c.head_size;
  double sums[kMostColumns] = {};
  float largest = -INFINITY;
  double weights = 0;
  for (std::int32_t token = 0; token < c.lengths[blockIdx.x]; ++token) {
    const std::size_t slot = c.Slot(blockIdx.x, token, static_cast<std::int32_t>(blockIdx.y));
    const float score = Score(c, q, c.key_pages + slot);
    const float now = fmaxf(largest, score);
    const double before = largest == now ? 1 : exp(double{largest} - now);
    const double weight = exp(double{score} - now);
    largest = now;
    weights = weights * before + weight;
    for (int i = 0; i < kMostColumns; ++i) {
      const int column = static_cast<int>(threadIdx.x) + i * kLanes;
      if (column < c.head_size) {
        sums[i] = sums[i] * before + weight * c.value_pages[slot + column];
      }
    }
  }
  for (int i = 0; i < kMostColumns; ++i) {
    const int column = static_cast<int>(threadIdx.x) + i * kLanes;
    if (column < c.head_size) {
      c.out[row * c.head_size + column] = weights == 0 ? 0 : static_cast<float>(sums[i] / weights);
    }
  }
}

/// All of `c` in memory that the host can read: one head of one sequence.
inline void DecodeOnHost(const Paged& c, std::size_t sequence, std::int32_t head, float* out) {
  const float* q = c.q + (sequence * c.query_heads + head) * c.head_size;
  std::vector<double> scores(static_cast<std::size_t>(c.lengths[sequence]));
  double largest = -INFINITY;
  for (std::size_t token = 0; token < scores.size(); ++token) {
    const float* k = c.key_pages + c.Slot(sequence, static_cast<std::int32_t>(token), head);
    for (int i = 0; i < c.head_size; ++i) scores[token] += double{q[i]} * k[i];
    scores[token] /= std::sqrt(static_cast<double>(c.head_size));
    largest = std::fmax(largest, scores[token]);
  }
  std::vector<double> sums(static_cast<std::size_t>(c.head_size));
  double weights = 0;
  for (std::size_t token = 0; token < scores.size(); ++token) {
    const float* v = c.value_pages + c.Slot(sequence, static_cast<std::int32_t>(token), head);
    const double weight = std::exp(scores[token] - largest);
    weights += weight;
    for (int i = 0; i < c.head_size; ++i) sums[i] += weight * v[i];
  }
  for (int i = 0; i < c.head_size; ++i) {
    out[i] = weights == 0 ? 0 : static_cast<float>(sums[i] / weights);
  }
}

/// Whether there is anything to compute; if not, *status is the reply.
inline bool HasWork(const Paged& c, std::size_t workspace_bytes, int* status) {
  *status = KV_OK;
  if (c.sequences < 0 || c.query_heads < 1 || c.kv_heads < 1 || c.head_size < 1 ||
      c.page_size < 1 || c.table_stride < 1 || c.query_heads % c.kv_heads != 0 ||
      workspace_bytes != 0) {
    *status = KV_INVALID_ARGUMENT;
  } else if (c.head_size > kMostHeadSize) {
    *status = KV_UNSUPPORTED;
  }
  return *status == KV_OK && c.sequences > 0;
}

inline int LaunchStatus() { return cudaGetLastError() == cudaSuccess ? KV_OK : KV_DEVICE_FAILURE; }

inline int Run(const Paged& c) {
  DecodeHeads<<<dim3(static_cast<unsigned>(c.sequences), static_cast<unsigned>(c.query_heads)),
                kLanes, 0, c.stream>>>(c);
  return LaunchStatus();
}

/// `count` elements of device memory, copied to the host and waited for.
template <class T>
std::vector<T> OnHost(const T* device, std::size_t count, cudaStream_t stream) {
  std::vector<T> host(count);
  cudaMemcpyAsync(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return host;
}

}  // namespace plain

/// The CUDA functions from int(const plain::Paged&), which is called where there is work.
#define PLAIN_EXPORT_CUDA(Decode)                                                                 \
  extern "C" size_t kv_paged_decode_cuda_workspace_bytes(int32_t, int32_t, int32_t, int32_t,      \
                                                         int32_t, int32_t) {                      \
    return 0;                                                                                     \
  }                                                                                               \
  extern "C" int kv_paged_decode_f32_cuda(                                                        \
      int32_t sequences, int32_t query_heads, int32_t kv_heads, int32_t head_size,                \
      int32_t page_size, const float* q, const float* key_pages, const float* value_pages,        \
      const int32_t* page_table, int32_t table_stride, const int32_t* lengths, float* out, void*, \
      size_t workspace_bytes, kv_stream stream) {                                                 \
    const plain::Paged call{sequences, query_heads, kv_heads,    head_size,  page_size,           \
                            q,         key_pages,   value_pages, page_table, table_stride,        \
                            lengths,   out,         stream};                                      \
    int status = KV_OK;                                                                           \
    return plain::HasWork(call, workspace_bytes, &status) ? (Decode)(call) : status;              \
  }                                                                                               \
  static_assert(true)

#endif  // PLAIN_DECODE_CUDA_CUH_
