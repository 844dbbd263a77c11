// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_UNFUSED_CUH_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_UNFUSED_CUH_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "baseline_kernels.cuh"
#include "interface.h"

// What fusing saves is measured against this: softmax and top-k as two kernels, each as it is
// written at first. Softmax reads the logits three times (maximum, sum, result) and writes every
// probability; top-k goes over the row once for each of the k results, and takes the first in the
// order that comes after the last one taken.
//
// It orders by probability, and only equal ones by their logits: where the approximate exponential
// is not monotonic, in the last bit, its order is not that of interface.h.

namespace assay::softmax_topk_unfused {

using softmax_topk_baseline::BaselineSteps;
using softmax_topk_baseline::Group;
using softmax_topk_baseline::kBlockThreads;
using softmax_topk_baseline::Key;
using softmax_topk_baseline::KeyOf;
using softmax_topk_baseline::kWarpThreads;

/// A probability and, among equal ones, its logit's key. NaN comes last.
struct Candidate {
  float probability;
  Key key;
};

__device__ inline bool Before(const Candidate& a, const Candidate& b) {
  return a.probability > b.probability || (!(a.probability < b.probability) && a.key > b.key);
}

/// The value of a block that `combine` makes of those of its threads, in all of them.
template <typename Value, typename Combine>
__device__ Value OfBlock(Value mine, Value* scratch, Combine&& combine) {
  scratch[threadIdx.x] = mine;
  __syncthreads();
  for (std::uint32_t gap = kBlockThreads / 2; gap > 0; gap /= 2) {
    if (threadIdx.x < gap) {
      scratch[threadIdx.x] = combine(scratch[threadIdx.x], scratch[threadIdx.x + gap]);
    }
    __syncthreads();
  }
  const Value result = scratch[0];
  __syncthreads();
  return result;
}

/// A block a row.
__global__ void SoftmaxKernel(const float* __restrict__ logits, std::size_t row_stride,
                              std::uint32_t vocabulary, float* __restrict__ probabilities) {
  __shared__ float scratch[kBlockThreads];
  const float* row = logits + blockIdx.x * row_stride;
  float* output = probabilities + static_cast<std::size_t>(blockIdx.x) * vocabulary;
  float maximum = -INFINITY;
  for (std::uint32_t i = threadIdx.x; i < vocabulary; i += kBlockThreads) {
    maximum = fmaxf(maximum, row[i]);
  }
  maximum = OfBlock(maximum, scratch, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (std::uint32_t i = threadIdx.x; i < vocabulary; i += kBlockThreads) {
    sum += __expf(row[i] - maximum);
  }
  sum = OfBlock(sum, scratch, [](float a, float b) { return a + b; });
  for (std::uint32_t i = threadIdx.x; i < vocabulary; i += kBlockThreads) {
    output[i] = __expf(row[i] - maximum) / sum;
  }
}

/// A block a row, `k` passes over it.
__global__ void TopKKernel(const float* __restrict__ logits, std::size_t row_stride,
                           const float* __restrict__ softmax, std::uint32_t vocabulary,
                           std::uint32_t k, float* __restrict__ probabilities,
                           std::int32_t* __restrict__ indices) {
  __shared__ Candidate scratch[kBlockThreads];
  const float* row = logits + blockIdx.x * row_stride;
  const float* row_softmax = softmax + static_cast<std::size_t>(blockIdx.x) * vocabulary;
  Candidate last{INFINITY, ~Key{0}};
  for (std::uint32_t place = 0; place < k; ++place) {
    Candidate best{-1, 0};
    for (std::uint32_t i = threadIdx.x; i < vocabulary; i += kBlockThreads) {
      const float probability = row_softmax[i];
      if (probability > last.probability || probability < best.probability) {
        continue;  // Taken already, or no better: the logit is not needed.
      }
      const Candidate candidate{probability, KeyOf<BaselineSteps>(row[i], i)};
      if (Before(last, candidate) && Before(candidate, best)) {
        best = candidate;
      }
    }
    last = OfBlock(best, scratch, [](Candidate a, Candidate b) { return Before(a, b) ? a : b; });
    if (threadIdx.x == 0) {
      const std::size_t output = static_cast<std::size_t>(blockIdx.x) * k + place;
      probabilities[output] = last.probability;
      indices[output] = static_cast<std::int32_t>(~static_cast<std::uint32_t>(last.key));
    }
  }
}

inline bool Succeeded(cudaError_t error) { return error == cudaSuccess; }

/// As softmax_topk_f32 of interface.h, but for the memory, which is as large as the logits.
inline int SoftmaxTopK(std::size_t rows, std::size_t vocabulary, std::size_t k, const float* logits,
                       std::size_t row_stride, float* probabilities, std::int32_t* indices,
                       cudaStream_t stream) {
  if (rows == 0 || k == 0) {
    return SOFTMAX_TOPK_OK;
  }
  if (k > vocabulary || row_stride < vocabulary) {
    return SOFTMAX_TOPK_INVALID_ARGUMENT;
  }
  if (rows > softmax_topk_baseline::kMostBlocks ||
      vocabulary > softmax_topk_baseline::kLargestVocabulary) {
    return SOFTMAX_TOPK_UNSUPPORTED;
  }
  float* softmax = nullptr;
  if (!Succeeded(cudaMalloc(&softmax, rows * vocabulary * sizeof(float)))) {
    return SOFTMAX_TOPK_OUT_OF_MEMORY;
  }
  const auto blocks = static_cast<unsigned>(rows);
  const auto width = static_cast<std::uint32_t>(vocabulary);
  SoftmaxKernel<<<blocks, kBlockThreads, 0, stream>>>(logits, row_stride, width, softmax);
  bool launched = Succeeded(cudaGetLastError());
  if (launched) {
    TopKKernel<<<blocks, kBlockThreads, 0, stream>>>(
        logits, row_stride, softmax, width, static_cast<std::uint32_t>(k), probabilities, indices);
    launched = Succeeded(cudaGetLastError());
  }
  const bool done = launched && Succeeded(cudaStreamSynchronize(stream));
  const bool freed = Succeeded(cudaFree(softmax));
  return done && freed ? SOFTMAX_TOPK_OK : SOFTMAX_TOPK_DEVICE_FAILURE;
}

}  // namespace assay::softmax_topk_unfused

extern "C" int softmax_topk_unfused_f32(std::size_t rows, std::size_t vocabulary, std::size_t k,
                                        const float* logits, std::size_t row_stride,
                                        float* probabilities, std::int32_t* indices,
                                        void* /*workspace*/, std::size_t /*workspace_bytes*/,
                                        softmax_topk_stream stream) {
  return assay::softmax_topk_unfused::SoftmaxTopK(rows, vocabulary, k, logits, row_stride,
                                                  probabilities, indices, stream);
}

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_UNFUSED_CUH_
