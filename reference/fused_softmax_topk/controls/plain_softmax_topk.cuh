// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_CONTROLS_PLAIN_SOFTMAX_TOPK_CUH_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_CONTROLS_PLAIN_SOFTMAX_TOPK_CUH_

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>
#include <cstdint>

#include "interface.h"

/// A right and slow implementation for controls to spoil: one block a row, a pass for the maximum,
/// one for the sum, up to eight that narrow down the k-th largest element eight bits at a time, and
/// one that collects.
namespace plain {

constexpr int kThreads = 256;
constexpr int kLargestK = 1024;
constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;

/// The arguments of softmax_topk_f32 and its like.
template <class T>
struct CallOf {
  std::size_t rows, vocabulary, k;
  const T* logits;
  std::size_t row_stride;
  float* probabilities;
  std::int32_t* indices;
  void* workspace;
  std::size_t workspace_bytes;
  cudaStream_t stream;
};
using Call = CallOf<float>;

/// A logit as float.
__device__ inline float ToFloat(float logit) { return logit; }

/// Larger keys come first: the order of logits above that of their indices. No two are equal, and
/// none is 0.
__device__ inline std::uint64_t Key(float logit, std::uint32_t index) {
  std::uint32_t order = 1;  // NaN: behind -infinity, whose order is 0x007fffff.
  if (!isnan(logit)) {
    const std::uint32_t bits = __float_as_uint(logit == 0 ? 0.0F : logit);
    order = bits & 0x80000000U ? ~bits : bits | 0x80000000U;
  }
  return std::uint64_t{order} << 32 | (0xffffffffU - index);
}

__device__ inline std::uint32_t IndexOf(std::uint64_t key) {
  return 0xffffffffU - static_cast<std::uint32_t>(key);
}

/// The sum or, with NaN left out, the maximum of the block's values, known to all its threads.
template <bool kIsSum>
__device__ float Reduce(float value, float* scratch) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float a = scratch[threadIdx.x];
      const float b = scratch[threadIdx.x + half];
      scratch[threadIdx.x] = kIsSum ? a + b : fmaxf(a, b);
    }
    __syncthreads();
  }
  const float result = scratch[0];
  __syncthreads();
  return result;
}

/// What select needs to remember between its passes.
struct Selection {
  unsigned counts[kDigits];
  std::uint64_t prefix;  ///< The leading digits of the k-th largest key.
  unsigned wanted;       ///< How many keys with this prefix are among the k largest.
  unsigned with_prefix;  ///< How many there are.
};

/// A key, of the k largest keys of the row the smallest or a smaller one that is no other's: the k
/// largest are those not below it.
template <class T>
__device__ std::uint64_t SmallestOfLargest(const T* row, int vocabulary, int k, Selection& s) {
  if (threadIdx.x == 0) {
    s.prefix = 0;
    s.wanted = k;
    s.with_prefix = vocabulary;
  }
  int shift = 64;
  __syncthreads();
  while (s.wanted != s.with_prefix) {
    shift -= kDigitBits;
    s.counts[threadIdx.x] = 0;
    const std::uint64_t prefix = s.prefix;
    __syncthreads();
    for (int i = threadIdx.x; i < vocabulary; i += kThreads) {
      const std::uint64_t key = Key(ToFloat(row[i]), i);
      if (shift == 64 - kDigitBits || key >> (shift + kDigitBits) == prefix) {
        atomicAdd(&s.counts[key >> shift & (kDigits - 1)], 1U);
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int digit = kDigits - 1;
      for (; s.counts[digit] < s.wanted; --digit) s.wanted -= s.counts[digit];
      s.prefix = prefix << kDigitBits | digit;
      s.with_prefix = s.counts[digit];
    }
    __syncthreads();
  }
  return shift == 64 ? 0 : s.prefix << shift;
}

/// Sorts `count` keys, largest first, by rounds of exchanges of neighbours: bitonic, with count
/// rounded up to a power of two and filled with 0.
__device__ inline void Sort(std::uint64_t* keys, int count) {
  int size = 1;
  while (size < count) size *= 2;
  for (int i = count + threadIdx.x; i < size; i += kThreads) keys[i] = 0;
  __syncthreads();
  for (int run = 2; run <= size; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      for (int i = threadIdx.x; i < size; i += kThreads) {
        const int other = i ^ distance;
        const bool descending = (i & run) == 0;
        if (other > i && (keys[i] < keys[other]) == descending) {
          const std::uint64_t key = keys[i];
          keys[i] = keys[other];
          keys[other] = key;
        }
      }
      __syncthreads();
    }
  }
}

template <class T>
__global__ void SoftmaxTopK(CallOf<T> c) {
  __shared__ float scratch[kThreads];
  __shared__ Selection selection;
  __shared__ std::uint64_t keys[kLargestK];
  __shared__ int collected;
  const std::size_t row_index = blockIdx.x;
  const T* row = c.logits + row_index * c.row_stride;
  const int vocabulary = static_cast<int>(c.vocabulary);
  const int k = static_cast<int>(c.k);

  float largest = -INFINITY;
  for (int i = threadIdx.x; i < vocabulary; i += kThreads) {
    largest = fmaxf(largest, ToFloat(row[i]));
  }
  largest = Reduce<false>(largest, scratch);
  float sum = 0;
  for (int i = threadIdx.x; i < vocabulary; i += kThreads) sum += expf(ToFloat(row[i]) - largest);
  sum = Reduce<true>(sum, scratch);

  const std::uint64_t smallest = SmallestOfLargest(row, vocabulary, k, selection);
  if (threadIdx.x == 0) collected = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < vocabulary; i += kThreads) {
    const std::uint64_t key = Key(ToFloat(row[i]), i);
    if (key >= smallest) keys[atomicAdd(&collected, 1)] = key;
  }
  __syncthreads();
  Sort(keys, k);
  for (int i = threadIdx.x; i < k; i += kThreads) {
    const std::uint32_t index = IndexOf(keys[i]);
    c.probabilities[row_index * k + i] = expf(ToFloat(row[index]) - largest) / sum;
    c.indices[row_index * k + i] = static_cast<std::int32_t>(index);
  }
}

/// Whether there is anything to compute; if not, *status is the reply.
template <class T>
bool HasWork(const CallOf<T>& c, int* status) {
  *status = SOFTMAX_TOPK_OK;
  if (c.rows == 0 || c.k == 0) return false;
  if (c.k > c.vocabulary || c.row_stride < c.vocabulary) {
    *status = SOFTMAX_TOPK_INVALID_ARGUMENT;
  } else if (c.k > kLargestK || c.rows > INT_MAX || c.vocabulary > INT_MAX - kThreads) {
    *status = SOFTMAX_TOPK_UNSUPPORTED;
  }
  return *status == SOFTMAX_TOPK_OK;
}

inline int LaunchStatus() {
  return cudaGetLastError() == cudaSuccess ? SOFTMAX_TOPK_OK : SOFTMAX_TOPK_DEVICE_FAILURE;
}

template <class T>
int Run(const CallOf<T>& c) {
  int status = SOFTMAX_TOPK_OK;
  if (!HasWork(c, &status)) return status;
  SoftmaxTopK<T><<<static_cast<unsigned>(c.rows), kThreads, 0, c.stream>>>(c);
  return LaunchStatus();
}

/// Copies outputs from elsewhere on the device to those of `c`, ordered on its stream.
inline bool CopyAnswer(const Call& c, const float* probabilities, const std::int32_t* indices) {
  const std::size_t count = c.rows * c.k;
  return cudaMemcpyAsync(c.probabilities, probabilities, count * sizeof(float), cudaMemcpyDefault,
                         c.stream) == cudaSuccess &&
         cudaMemcpyAsync(c.indices, indices, count * sizeof(std::int32_t), cudaMemcpyDefault,
                         c.stream) == cudaSuccess;
}

}  // namespace plain

/// The required functions from one int(const plain::Call&).
#define PLAIN_EXPORT(Function)                                                                   \
  extern "C" std::size_t softmax_topk_workspace_bytes(std::size_t /*rows*/, std::size_t /*v*/,   \
                                                      std::size_t /*k*/) {                       \
    return 0;                                                                                    \
  }                                                                                              \
  extern "C" int softmax_topk_f32(std::size_t rows, std::size_t vocabulary, std::size_t k,       \
                                  const float* logits, std::size_t row_stride,                   \
                                  float* probabilities, std::int32_t* indices, void* workspace,  \
                                  std::size_t workspace_bytes, softmax_topk_stream stream) {     \
    return Function(plain::Call{rows, vocabulary, k, logits, row_stride, probabilities, indices, \
                                workspace, workspace_bytes, stream});                            \
  }                                                                                              \
  static_assert(true)

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_CONTROLS_PLAIN_SOFTMAX_TOPK_CUH_
