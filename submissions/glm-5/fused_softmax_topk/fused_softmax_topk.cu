// Fused softmax + top-k in a single pass: every logit is read from global memory exactly once, and
// nothing of the size of the vocabulary is ever written.
//
// Online softmax (Milakov & Gimelshein, 2018). Keep a running maximum m and the sum s of
// exp(x - m). A new x either leaves m alone, s += exp(x - m), or raises it, s = s * exp(m - x) + 1.
// Two partial results combine the same way, so lanes and warps can work on disjoint parts:
//
//   m = max(m1, m2)        s = s1 * exp(m1 - m) + s2 * exp(m2 - m)
//
// softmax is monotone, so the top k of the logits are the top k of the probabilities: only k
// exponentials are needed at the end.
//
// Mapping: one warp per row.
//
//   row     x0 x1 x2 ... x31 | x32 ...        lane l reads x[l], x[l + 32], ...: coalesced
//   lane    m, s, sorted array of K (value, index) in registers
//   warp    butterfly shuffles combine m and s; K rounds of argmax pop the lanes' arrays
//   block   every warp puts its top K into shared memory; the warps are merged serially
//
// The array is indexed by constants only, so that it stays in registers: K is a template parameter
// and all of its loops are unrolled. K <= 32; beyond that it would spill.

#include <cuda_runtime.h>

#include <cfloat>
#include <climits>
#include <cstddef>
#include <cstdint>

#include "interface.h"

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarpsPerBlock = 8;
constexpr unsigned kFullMask = 0xffffffffu;

// An empty slot sorts behind everything: a NaN with the largest index.
constexpr int kEmpty = INT_MAX;

// Larger values first, then lower indices; NaN behind every number.
__device__ __forceinline__ bool before(float a, int ia, float b, int ib) {
  if (a == b || (isnan(a) && isnan(b))) return ia < ib;
  return a > b || isnan(b);
}

struct OnlineSoftmax {
  float m = -FLT_MAX;  // finite, so that m - m is never NaN while nothing has been seen
  float s = 0.0f;

  __device__ __forceinline__ void add(float x) {
    if (x > m) {
      s = s * expf(m - x) + 1.0f;
      m = x;
    } else {
      s += expf(x - m);
    }
  }

  __device__ __forceinline__ void combine(float m2, float s2) {
    const float m_new = fmaxf(m, m2);
    s = s * expf(m - m_new) + s2 * expf(m2 - m_new);
    m = m_new;
  }
};

template <int K>
struct RegisterTopK {
  float value[K];
  int index[K];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < K; ++i) {
      value[i] = NAN;
      index[i] = kEmpty;
    }
  }

  // Insertion sort: the new element sinks from the end until its neighbour is better.
  __device__ __forceinline__ void insert(float x, int at) {
    if (!before(x, at, value[K - 1], index[K - 1])) return;
    value[K - 1] = x;
    index[K - 1] = at;
#pragma unroll
    for (int i = K - 1; i > 0; --i) {
      if (before(value[i], index[i], value[i - 1], index[i - 1])) {
        const float v = value[i];
        value[i] = value[i - 1];
        value[i - 1] = v;
        const int n = index[i];
        index[i] = index[i - 1];
        index[i - 1] = n;
      }
    }
  }

  __device__ __forceinline__ void pop() {
#pragma unroll
    for (int i = 0; i + 1 < K; ++i) {
      value[i] = value[i + 1];
      index[i] = index[i + 1];
    }
    value[K - 1] = NAN;
    index[K - 1] = kEmpty;
  }
};

__device__ __forceinline__ void warp_combine(OnlineSoftmax& softmax) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const float m2 = __shfl_xor_sync(kFullMask, softmax.m, offset);
    const float s2 = __shfl_xor_sync(kFullMask, softmax.s, offset);
    softmax.combine(m2, s2);
  }
}

// The best of the 32 candidates, known to every lane.
__device__ __forceinline__ void warp_best(float& value, int& index) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
    const float v = __shfl_xor_sync(kFullMask, value, offset);
    const int n = __shfl_xor_sync(kFullMask, index, offset);
    if (before(v, n, value, index)) {
      value = v;
      index = n;
    }
  }
}

template <int K>
__global__ void fused_softmax_topk_kernel(int rows, int vocabulary, int k,
                                          const float* __restrict__ logits, size_t row_stride,
                                          float* __restrict__ probabilities,
                                          int32_t* __restrict__ indices) {
  __shared__ float heap_value[kMaxWarpsPerBlock][K];
  __shared__ int heap_index[kMaxWarpsPerBlock][K];

  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps_per_block = blockDim.x / kWarpSize;
  const int row = blockIdx.x * warps_per_block + warp;

  // Phase 1: one pass over the row.
  OnlineSoftmax softmax;
  RegisterTopK<K> top;
  top.clear();
  if (row < rows) {
    const float* x = logits + row * row_stride;
    for (int i = lane; i < vocabulary; i += kWarpSize) {
      const float logit = x[i];
      softmax.add(logit);
      top.insert(logit, i);
    }
  }

  // Phase 2: within the warp, by shuffles.
  warp_combine(softmax);
  for (int i = 0; i < k; ++i) {
    float value = top.value[0];
    int index = top.index[0];
    warp_best(value, index);
    if (index == top.index[0]) top.pop();
    if (lane == 0) {
      heap_value[warp][i] = value;
      heap_index[warp][i] = index;
    }
  }
  __syncthreads();

  // Phase 3: across the warps of the block, serially by each warp's first lane. The heaps are
  // sorted, so the best of what is left is at one of their heads.
  if (lane == 0 && row < rows) {
    int head[kMaxWarpsPerBlock] = {};
    for (int i = 0; i < k; ++i) {
      int best = 0;
      float value = NAN;
      int index = kEmpty;
#pragma unroll
      for (int w = 0; w < kMaxWarpsPerBlock; ++w) {
        if (w < warps_per_block && head[w] < k &&
            before(heap_value[w][head[w]], heap_index[w][head[w]], value, index)) {
          best = w;
          value = heap_value[w][head[w]];
          index = heap_index[w][head[w]];
        }
      }
#pragma unroll
      for (int w = 0; w < kMaxWarpsPerBlock; ++w) head[w] += w == best ? 1 : 0;
      const size_t out = static_cast<size_t>(row) * k + i;
      probabilities[out] = expf(value - softmax.m) / softmax.s;
      indices[out] = index;
    }
  }
}

template <int K>
int launch(size_t rows, size_t vocabulary, size_t k, const float* logits, size_t row_stride,
           float* probabilities, int32_t* indices, cudaStream_t stream) {
  // A single row has no use for more than one warp.
  const int warps_per_block = rows > 1 ? kMaxWarpsPerBlock : 1;
  const unsigned blocks = static_cast<unsigned>((rows + warps_per_block - 1) / warps_per_block);
  fused_softmax_topk_kernel<K><<<blocks, warps_per_block * kWarpSize, 0, stream>>>(
      static_cast<int>(rows), static_cast<int>(vocabulary), static_cast<int>(k), logits,
      row_stride, probabilities, indices);
  return cudaGetLastError() == cudaSuccess ? SOFTMAX_TOPK_OK : SOFTMAX_TOPK_DEVICE_FAILURE;
}

}  // namespace

extern "C" size_t softmax_topk_workspace_bytes(size_t, size_t, size_t) { return 0; }

extern "C" int softmax_topk_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                                size_t row_stride, float* probabilities, int32_t* indices, void*,
                                size_t, softmax_topk_stream stream) {
  if (rows == 0 || k == 0) return SOFTMAX_TOPK_OK;
  if (k > vocabulary || row_stride < vocabulary) return SOFTMAX_TOPK_INVALID_ARGUMENT;
  if (rows > INT_MAX - kMaxWarpsPerBlock || vocabulary > INT_MAX - kWarpSize) {
    return SOFTMAX_TOPK_UNSUPPORTED;
  }
  switch ((k + 7) / 8) {
    case 1:
      return launch<8>(rows, vocabulary, k, logits, row_stride, probabilities, indices, stream);
    case 2:
      return launch<16>(rows, vocabulary, k, logits, row_stride, probabilities, indices, stream);
    case 3:
    case 4:
      return launch<32>(rows, vocabulary, k, logits, row_stride, probabilities, indices, stream);
    default:
      return SOFTMAX_TOPK_UNSUPPORTED;
  }
}
