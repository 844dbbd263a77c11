// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_PROGRAMS_COMMON_PAGED_ATTENTION_CUH_
#define ASSAY_GPU_PROGRAMS_COMMON_PAGED_ATTENTION_CUH_

#include <cuda_fp16.h>

#include <cmath>
#include <vector>

/// One step of decoding: each sequence's query attends to its cached keys and values, which lie in
/// pages of a pool. Layouts: q and out [sequence][head][kDim]; pool [page][head][kPage][kDim];
/// table [sequence][max_pages].
namespace paged_attention {

constexpr int kDim = 128;
constexpr int kPage = 16;
constexpr int kWarps = 4;

struct Shape {
  int heads;
  int max_pages;
};

/// grid (head, sequence), kWarps * 32 threads; dynamic shared memory: a float a token.
__global__ void Decode(const __half* __restrict__ q, const __half* __restrict__ keys,
                       const __half* __restrict__ values, const int* __restrict__ table,
                       const int* __restrict__ lengths, __half* __restrict__ out, Shape shape,
                       float scale) {
  extern __shared__ float scores[];
  __shared__ float reduced[2][kWarps];
  const int head = blockIdx.x;
  const int sequence = blockIdx.y;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int length = lengths[sequence];
  const int* pages = table + sequence * shape.max_pages;
  const size_t query = (static_cast<size_t>(sequence) * shape.heads + head) * kDim;
  const auto cached = [&](int token) {
    return ((static_cast<size_t>(pages[token / kPage]) * shape.heads + head) * kPage +
            token % kPage) *
           kDim;
  };

  // Each lane holds four of the query's values; a warp takes a token at a time.
  const __half2* q2 = reinterpret_cast<const __half2*>(q + query) + 2 * lane;
  const float2 qa = __half22float2(q2[0]);
  const float2 qb = __half22float2(q2[1]);
  float maximum = -INFINITY;
  for (int token = warp; token < length; token += kWarps) {
    const __half2* k2 = reinterpret_cast<const __half2*>(keys + cached(token)) + 2 * lane;
    const float2 ka = __half22float2(k2[0]);
    const float2 kb = __half22float2(k2[1]);
    float dot = qa.x * ka.x + qa.y * ka.y + qb.x * kb.x + qb.y * kb.y;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
      dot += __shfl_xor_sync(0xFFFFFFFFU, dot, offset);
    }
    dot *= scale;
    if (lane == 0) {
      scores[token] = dot;
    }
    maximum = fmaxf(maximum, dot);
  }
  if (lane == 0) {
    reduced[0][warp] = maximum;
  }
  __syncthreads();
  for (int other = 0; other < kWarps; ++other) {
    maximum = fmaxf(maximum, reduced[0][other]);
  }
  float sum = 0;
  for (int token = threadIdx.x; token < length; token += kWarps * 32) {
    const float weight = __expf(scores[token] - maximum);
    scores[token] = weight;
    sum += weight;
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, offset);
  }
  if (lane == 0) {
    reduced[1][warp] = sum;
  }
  __syncthreads();
  sum = 0;
  for (int other = 0; other < kWarps; ++other) {
    sum += reduced[1][other];
  }
  static_assert(kDim == kWarps * 32, "a thread an output");
  float result = 0;
  for (int token = 0; token < length; ++token) {
    result += scores[token] * __half2float(values[cached(token) + threadIdx.x]);
  }
  out[query + threadIdx.x] = __float2half(result / sum);
}

struct Problem {
  int sequences, heads, max_pages;
  std::vector<int> lengths, table;
  std::vector<__half> q, keys, values;
};

/// Sequences of the given lengths, their pages scattered over a pool. `random` is check::Random.
template <class Random>
Problem Make(std::vector<int> lengths, int heads, Random random) {
  Problem p;
  p.sequences = static_cast<int>(lengths.size());
  p.heads = heads;
  p.max_pages = 0;
  for (const int length : lengths) {
    p.max_pages = std::max(p.max_pages, (length + kPage - 1) / kPage);
  }
  p.lengths = lengths;
  const int pool = p.sequences * p.max_pages;
  std::vector<int> pages(pool);
  for (int i = 0; i < pool; ++i) {
    pages[i] = i;
    std::swap(pages[i], pages[random.Below(i + 1)]);
  }
  p.table = pages;
  const auto halves = [&random](size_t size) {
    std::vector<__half> result(size);
    for (size_t i = 0; i < size; ++i) {
      result[i] = __float2half(random.Uniform(-1, 1));
    }
    return result;
  };
  p.q = halves(static_cast<size_t>(p.sequences) * heads * kDim);
  p.keys = halves(static_cast<size_t>(pool) * heads * kPage * kDim);
  p.values = halves(p.keys.size());
  return p;
}

inline std::vector<double> Compute(const Problem& p, double scale) {
  std::vector<double> out(p.q.size());
  for (int s = 0; s < p.sequences; ++s) {
    for (int h = 0; h < p.heads; ++h) {
      const size_t query = (static_cast<size_t>(s) * p.heads + h) * kDim;
      std::vector<double> weights(p.lengths[s]);
      const auto cached = [&](int token) {
        const size_t page = p.table[s * p.max_pages + token / kPage];
        return ((page * p.heads + h) * kPage + token % kPage) * kDim;
      };
      double maximum = -INFINITY;
      for (int token = 0; token < p.lengths[s]; ++token) {
        for (int d = 0; d < kDim; ++d) {
          weights[token] += static_cast<double>(__half2float(p.q[query + d])) *
                            __half2float(p.keys[cached(token) + d]);
        }
        weights[token] *= scale;
        maximum = std::fmax(maximum, weights[token]);
      }
      double sum = 0;
      for (double& weight : weights) {
        weight = std::exp(weight - maximum);
        sum += weight;
      }
      for (int token = 0; token < p.lengths[s]; ++token) {
        for (int d = 0; d < kDim; ++d) {
          out[query + d] += weights[token] / sum * __half2float(p.values[cached(token) + d]);
        }
      }
    }
  }
  return out;
}

}  // namespace paged_attention

#endif  // ASSAY_GPU_PROGRAMS_COMMON_PAGED_ATTENTION_CUH_
