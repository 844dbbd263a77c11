// What both versions share: the order of logits, block reductions, and a min-heap in shared memory
// that is filled from per-warp staging buffers.

#pragma once

#include <cuda_runtime.h>

#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "interface.h"

namespace fused {

constexpr int kBlockSize = 256;
constexpr int kWarpSize = 32;
constexpr int kNumWarps = kBlockSize / kWarpSize;
constexpr int kItemsPerThread = 4;  // elements a thread looks at between two merges
constexpr unsigned kFullMask = 0xffffffffu;

// Order of the result: larger logits first, equal logits by index, NaN after every number.
__device__ __forceinline__ bool ranks_before(float a, int a_index, float b, int b_index) {
  const bool a_is_nan = isnan(a);
  const bool b_is_nan = isnan(b);
  if (a_is_nan || b_is_nan) {
    return a_is_nan == b_is_nan ? a_index < b_index : b_is_nan;
  }
  return a == b ? a_index < b_index : a > b;
}

__device__ __forceinline__ float warp_reduce_max(float value) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset >>= 1) {
    value = fmaxf(value, __shfl_xor_sync(kFullMask, value, offset));
  }
  return value;
}

__device__ __forceinline__ float warp_reduce_sum(float value) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset >>= 1) {
    value += __shfl_xor_sync(kFullMask, value, offset);
  }
  return value;
}

template <int K>
struct SharedTopK {
  // The heap: its root is the worst element kept, the one to beat.
  float heap_values[K];
  int heap_indices[K];
  int heap_size;
  // Candidates of each warp that beat the root when they were read.
  float staged_values[kNumWarps][kWarpSize * kItemsPerThread];
  int staged_indices[kNumWarps][kWarpSize * kItemsPerThread];
  // One slot a warp, for block reductions.
  float partial_max[kNumWarps];
  float partial_sum[kNumWarps];
};

// Called by one thread, before a barrier. The root is given a value although nothing is kept yet:
// threads may load it before they have looked at the size.
template <int K>
__device__ void heap_clear(SharedTopK<K>& shared) {
  shared.heap_size = 0;
  shared.heap_values[0] = 0.0f;
  shared.heap_indices[0] = 0;
}

// O(log K): sifts a new element down from the root.
template <int K>
__device__ void heap_sift_down(SharedTopK<K>& shared, int size, float value, int index) {
  int hole = 0;
  for (;;) {
    int child = 2 * hole + 1;
    if (child >= size) {
      break;
    }
    if (child + 1 < size && ranks_before(shared.heap_values[child], shared.heap_indices[child],
                                         shared.heap_values[child + 1],
                                         shared.heap_indices[child + 1])) {
      ++child;
    }
    if (!ranks_before(value, index, shared.heap_values[child], shared.heap_indices[child])) {
      break;
    }
    shared.heap_values[hole] = shared.heap_values[child];
    shared.heap_indices[hole] = shared.heap_indices[child];
    hole = child;
  }
  shared.heap_values[hole] = value;
  shared.heap_indices[hole] = index;
}

template <int K>
__device__ void heap_sift_up(SharedTopK<K>& shared, int hole, float value, int index) {
  while (hole > 0) {
    const int parent = (hole - 1) / 2;
    if (!ranks_before(shared.heap_values[parent], shared.heap_indices[parent], value, index)) {
      break;
    }
    shared.heap_values[hole] = shared.heap_values[parent];
    shared.heap_indices[hole] = shared.heap_indices[parent];
    hole = parent;
  }
  shared.heap_values[hole] = value;
  shared.heap_indices[hole] = index;
}

// Called by one thread at a time.
template <int K>
__device__ void heap_insert(SharedTopK<K>& shared, int k, float value, int index) {
  const int size = shared.heap_size;
  if (size < k) {
    heap_sift_up<K>(shared, size, value, index);
    shared.heap_size = size + 1;
  } else if (ranks_before(value, index, shared.heap_values[0], shared.heap_indices[0])) {
    heap_sift_down<K>(shared, size, value, index);
  }
}

// What an element must beat to get into the heap; the same during a whole tile.
struct Threshold {
  bool everything;  // the heap is not full yet
  float value;
  int index;
};

template <int K>
__device__ __forceinline__ Threshold current_threshold(const SharedTopK<K>& shared, int k) {
  if (shared.heap_size < k) {
    return {true, 0.0f, 0};
  }
  return {false, shared.heap_values[0], shared.heap_indices[0]};
}

// All lanes of a warp call it; `valid` says which bring an element. Elements that cannot make it
// into the heap are dropped here, so that a tile of ordinary data stages next to nothing.
template <int K>
__device__ __forceinline__ void stage_candidate(SharedTopK<K>& shared, const Threshold& threshold,
                                                bool valid, float value, int index, int& staged) {
  const int warp = threadIdx.x / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  const bool wanted = valid && (threshold.everything ||
                                ranks_before(value, index, threshold.value, threshold.index));
  const unsigned mask = __ballot_sync(kFullMask, wanted);
  if (wanted) {
    const int slot = staged + __popc(mask & ((1u << lane) - 1u));
    shared.staged_values[warp][slot] = value;
    shared.staged_indices[warp][slot] = index;
  }
  staged += __popc(mask);
}

// Merges what the warps staged, warp by warp: the leader of each inserts its warp's candidates
// while the others wait. The whole block calls it.
template <int K>
__device__ void merge_staged(SharedTopK<K>& shared, int k, int staged) {
  if (!__syncthreads_or(staged > 0)) {
    return;
  }
  const int warp = threadIdx.x / kWarpSize;
  for (int turn = 0; turn < kNumWarps; ++turn) {
    if (warp == turn && threadIdx.x % kWarpSize == 0) {
      for (int i = 0; i < staged; ++i) {
        heap_insert<K>(shared, k, shared.staged_values[warp][i], shared.staged_indices[warp][i]);
      }
    }
    __syncthreads();
  }
}

// Takes the heap apart, worst element first, and writes the result from its end. One thread.
template <int K>
__device__ void write_result(SharedTopK<K>& shared, int k, float row_max, float row_sum,
                             float* probabilities, int32_t* indices) {
  for (int size = k; size > 0; --size) {
    probabilities[size - 1] = expf(shared.heap_values[0] - row_max) / row_sum;
    indices[size - 1] = shared.heap_indices[0];
    const float value = shared.heap_values[size - 1];
    const int index = shared.heap_indices[size - 1];
    if (size > 1) {
      heap_sift_down<K>(shared, size - 1, value, index);
    }
  }
}

struct Problem {
  int vocabulary;
  int k;
  const float* logits;
  size_t row_stride;
  float* probabilities;
  int32_t* indices;
};

// Status of the arguments; SOFTMAX_TOPK_OK with *launch false means that there is nothing to do.
inline int check_arguments(size_t rows, size_t vocabulary, size_t k, size_t row_stride,
                           bool* launch) {
  *launch = false;
  if (rows == 0 || k == 0) {
    return SOFTMAX_TOPK_OK;
  }
  if (k > vocabulary || row_stride < vocabulary) {
    return SOFTMAX_TOPK_INVALID_ARGUMENT;
  }
  if (k > 256 || rows > INT_MAX || vocabulary > INT_MAX - kBlockSize * kItemsPerThread) {
    return SOFTMAX_TOPK_UNSUPPORTED;
  }
  *launch = true;
  return SOFTMAX_TOPK_OK;
}

inline int launch_status() {
  return cudaGetLastError() == cudaSuccess ? SOFTMAX_TOPK_OK : SOFTMAX_TOPK_DEVICE_FAILURE;
}

}  // namespace fused
