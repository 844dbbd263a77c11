/*
 * fused_softmax_topk.cu -- Fused Softmax + Top-K: kernel, launch code, complexity analysis and
 * bandwidth analysis in one self-contained file.
 *
 * PROBLEM
 *   logits [B, V]  ->  topk_prob [B, K], topk_idx [B, K]
 *   softmax(x)_i = exp(x_i - max(x)) / sum_j exp(x_j - max(x))
 *   The softmax matrix [B, V] must never be materialized in global memory.
 *
 * ARCHITECTURE
 *
 *   +--------------------------------------------------------------------------------------+
 *   | Grid: one block per row                                                              |
 *   |                                                                                      |
 *   |   block 0 -> row 0      block 1 -> row 1      block 2 -> row 2      ...              |
 *   +--------------------------------------------------------------------------------------+
 *                 |
 *                 v
 *   +--------------------------------------------------------------------------------------+
 *   | Block: 256 threads = 8 warps                                                         |
 *   |                                                                                      |
 *   |   +--------+ +--------+ +--------+ +--------+ +--------+ +--------+ +--------+       |
 *   |   | warp 0 | | warp 1 | | warp 2 | | warp 3 | | warp 4 | | warp 5 | | warp 6 | ...   |
 *   |   +--------+ +--------+ +--------+ +--------+ +--------+ +--------+ +--------+       |
 *   |        \          \          |          |          /          /                      |
 *   |         +----------+---------+----------+---------+----------+                       |
 *   |                              v                                                       |
 *   |                    shared memory reductions                                          |
 *   +--------------------------------------------------------------------------------------+
 *
 * PHASES
 *
 *   Phase 1: row maximum
 *       thread t reads x[t], x[t + 256], x[t + 512], ...
 *       warp:  butterfly shuffle    lane ^ 16, lane ^ 8, lane ^ 4, lane ^ 2, lane ^ 1
 *       block: 8 values in shared memory, reduced by warp 0
 *
 *   Phase 2: row sum of exp(x - max)
 *       the same pattern with + in place of max
 *
 *   Phase 3: local top-K
 *       each thread keeps a sorted array of K (value, index) pairs in registers:
 *
 *           [ 9.1 | 7.4 | 3.3 | 2.0 ]      a new 5.2 arrives
 *           [ 9.1 | 7.4 | 5.2 | 3.3 ]      2.0 falls off
 *
 *   Phase 4: merge
 *       all threads put the best of what they have left into shared memory, thread 0 picks the
 *       best of these, the thread that owned it moves on to its next. K rounds.
 *
 *           slot      0     1     2     3    ...
 *           value   [ 9.1 | 8.8 | 6.0 | 9.7 | ... ]
 *                                        ^ thread 0: this one
 *
 *   Phase 5: output
 *       topk_prob = exp(x - max) / sum, topk_idx = index
 *
 * COMPLEXITY, per row of V logits
 *
 *   +---------------------+-----------------------------+
 *   | step                | operations                  |
 *   +---------------------+-----------------------------+
 *   | maximum             | V comparisons               |
 *   | sum                 | V subtractions, V exp, V +  |
 *   | top-K               | V comparisons, V/256 * K    |
 *   | merge               | K * threads comparisons     |
 *   | output              | K exp, K divisions          |
 *   +---------------------+-----------------------------+
 *
 * BANDWIDTH, per row
 *
 *   +--------------------------+------------------------+--------------------------+
 *   |                          | naive                  | fused                    |
 *   +--------------------------+------------------------+--------------------------+
 *   | read logits              | 4V  (softmax)          | 4V                       |
 *   | write probabilities      | 4V                     | -                        |
 *   | read probabilities       | 4V  (top-K)            | -                        |
 *   | read and write in sort   | 4V                     | -                        |
 *   | write result             | 8K                     | 8K                       |
 *   +--------------------------+------------------------+--------------------------+
 *   | total                    | 16V + 8K               | 4V + 8K                  |
 *   +--------------------------+------------------------+--------------------------+
 *
 *   => 4x less traffic. Arithmetic intensity about 0.8 FLOP/byte: memory bound.
 */

#include <cuda_runtime.h>

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "interface.h"

/* ------------------------------------------------------------------------------------------------
 * Configuration
 * ---------------------------------------------------------------------------------------------- */

/* Threads in a block. One block works on one row. */
#define BLOCK_SIZE 256

/* Lanes in a warp. */
#define WARP_SIZE 32

/* Warps in a block. */
#define NUM_WARPS (BLOCK_SIZE / WARP_SIZE)

/* The largest K that the kernel is instantiated for. */
#define MAX_K 100

/* All lanes of a warp take part in shuffles. */
#define FULL_MASK 0xffffffffu

/* The index of a place in a top-K array that holds nothing yet. */
#define NO_INDEX INT_MAX

namespace {

/* ------------------------------------------------------------------------------------------------
 * Ordering
 *
 * Larger logits come first. Equal logits come in the order of their indices. NaN comes after every
 * number.
 * ---------------------------------------------------------------------------------------------- */

__device__ __forceinline__ bool comes_before(float value_a, int index_a, float value_b,
                                             int index_b) {
  const bool nan_a = isnan(value_a);
  const bool nan_b = isnan(value_b);
  if (nan_a && nan_b) {
    return index_a < index_b;
  }
  if (nan_a) {
    return false;
  }
  if (nan_b) {
    return true;
  }
  if (value_a == value_b) {
    return index_a < index_b;
  }
  return value_a > value_b;
}

/* ------------------------------------------------------------------------------------------------
 * Warp-level reductions (butterfly)
 *
 *   step 1   lane l <-> lane l ^ 16
 *   step 2   lane l <-> lane l ^ 8
 *   step 3   lane l <-> lane l ^ 4
 *   step 4   lane l <-> lane l ^ 2
 *   step 5   lane l <-> lane l ^ 1
 *
 * After the five steps every lane has the result.
 * ---------------------------------------------------------------------------------------------- */

__device__ __forceinline__ float warp_reduce_max(float value) {
  value = fmaxf(value, __shfl_xor_sync(FULL_MASK, value, 16));
  value = fmaxf(value, __shfl_xor_sync(FULL_MASK, value, 8));
  value = fmaxf(value, __shfl_xor_sync(FULL_MASK, value, 4));
  value = fmaxf(value, __shfl_xor_sync(FULL_MASK, value, 2));
  value = fmaxf(value, __shfl_xor_sync(FULL_MASK, value, 1));
  return value;
}

__device__ __forceinline__ float warp_reduce_sum(float value) {
  value += __shfl_xor_sync(FULL_MASK, value, 16);
  value += __shfl_xor_sync(FULL_MASK, value, 8);
  value += __shfl_xor_sync(FULL_MASK, value, 4);
  value += __shfl_xor_sync(FULL_MASK, value, 2);
  value += __shfl_xor_sync(FULL_MASK, value, 1);
  return value;
}

/* ------------------------------------------------------------------------------------------------
 * Block-level reductions
 *
 * Lane 0 of each warp stores the result of its warp. Warp 0 reduces the 8 results and broadcasts
 * through shared memory. The caller hands in room for NUM_WARPS + 1 floats.
 * ---------------------------------------------------------------------------------------------- */

__device__ float block_reduce_max(float value, float* s_partial) {
  const int lane = threadIdx.x % WARP_SIZE;
  const int warp = threadIdx.x / WARP_SIZE;
  value = warp_reduce_max(value);
  if (lane == 0) {
    s_partial[warp] = value;
  }
  __syncthreads();
  if (warp == 0) {
    float partial = -INFINITY;
    if (lane < NUM_WARPS) {
      partial = s_partial[lane];
    }
    partial = warp_reduce_max(partial);
    if (lane == 0) {
      s_partial[NUM_WARPS] = partial;
    }
  }
  __syncthreads();
  return s_partial[NUM_WARPS];
}

__device__ float block_reduce_sum(float value, float* s_partial) {
  const int lane = threadIdx.x % WARP_SIZE;
  const int warp = threadIdx.x / WARP_SIZE;
  value = warp_reduce_sum(value);
  if (lane == 0) {
    s_partial[warp] = value;
  }
  __syncthreads();
  if (warp == 0) {
    float partial = 0.0f;
    if (lane < NUM_WARPS) {
      partial = s_partial[lane];
    }
    partial = warp_reduce_sum(partial);
    if (lane == 0) {
      s_partial[NUM_WARPS] = partial;
    }
  }
  __syncthreads();
  return s_partial[NUM_WARPS];
}

/* ------------------------------------------------------------------------------------------------
 * Phase 1: maximum of the row
 * ---------------------------------------------------------------------------------------------- */

__device__ float find_row_max(const float* row_logits, int V, float* s_partial) {
  float local_max = -INFINITY;
  for (int i = threadIdx.x; i < V; i += BLOCK_SIZE) {
    const float x = row_logits[i];
    local_max = fmaxf(local_max, x);
  }
  return block_reduce_max(local_max, s_partial);
}

/* ------------------------------------------------------------------------------------------------
 * Phase 2: sum of exp(x - max) of the row
 * ---------------------------------------------------------------------------------------------- */

__device__ float find_row_sum(const float* row_logits, int V, float row_max, float* s_partial) {
  float local_sum = 0.0f;
  for (int i = threadIdx.x; i < V; i += BLOCK_SIZE) {
    const float x = row_logits[i];
    local_sum += expf(x - row_max);
  }
  return block_reduce_sum(local_sum, s_partial);
}

/* ------------------------------------------------------------------------------------------------
 * Phase 3: local top-K of a thread, sorted, best first
 * ---------------------------------------------------------------------------------------------- */

template <int K>
struct LocalTopK {
  float value[K];
  int index[K];
};

template <int K>
__device__ void local_topk_init(LocalTopK<K>* local) {
  for (int j = 0; j < K; ++j) {
    local->value[j] = NAN;
    local->index[j] = NO_INDEX;
  }
}

template <int K>
__device__ void local_topk_insert(LocalTopK<K>* local, float value, int index) {
  /* Not better than the worst element that is kept. */
  if (!comes_before(value, index, local->value[K - 1], local->index[K - 1])) {
    return;
  }
  /* Shift worse elements to the right and put the new one into the gap. */
  int j = K - 1;
  while (j > 0 && comes_before(value, index, local->value[j - 1], local->index[j - 1])) {
    local->value[j] = local->value[j - 1];
    local->index[j] = local->index[j - 1];
    --j;
  }
  local->value[j] = value;
  local->index[j] = index;
}

template <int K>
__device__ void find_local_topk(const float* row_logits, int V, LocalTopK<K>* local) {
  local_topk_init<K>(local);
  for (int i = threadIdx.x; i < V; i += BLOCK_SIZE) {
    const float x = row_logits[i];
    local_topk_insert<K>(local, x, i);
  }
}

/* ------------------------------------------------------------------------------------------------
 * Phase 4: merge
 *
 * Every thread offers the head of its sorted array, thread 0 picks the best of the offers.
 * ---------------------------------------------------------------------------------------------- */

struct MergeBuffers {
  float offer_value[MAX_K];
  int offer_index[MAX_K];
  int winner;
};

__device__ void merge_offer(MergeBuffers* s_merge, float value, int index) {
  if (threadIdx.x < MAX_K) {
    s_merge->offer_value[threadIdx.x] = value;
    s_merge->offer_index[threadIdx.x] = index;
  }
}

__device__ void merge_pick(MergeBuffers* s_merge) {
  int best = 0;
  for (int slot = 1; slot < MAX_K; ++slot) {
    const float value = s_merge->offer_value[slot];
    const int index = s_merge->offer_index[slot];
    if (comes_before(value, index, s_merge->offer_value[best], s_merge->offer_index[best])) {
      best = slot;
    }
  }
  s_merge->winner = best;
}

/* ------------------------------------------------------------------------------------------------
 * The kernel
 * ---------------------------------------------------------------------------------------------- */

template <int K>
__global__ void __launch_bounds__(BLOCK_SIZE)
    fused_softmax_topk_kernel(const float* logits, size_t row_stride, int V, int k,
                              float* topk_prob, int32_t* topk_idx) {
  __shared__ float s_max[NUM_WARPS + 1];
  __shared__ float s_sum[NUM_WARPS + 1];
  __shared__ MergeBuffers s_merge;

  const size_t row = blockIdx.x;
  const float* row_logits = logits + row * row_stride;

  /* Phase 1 */
  const float row_max = find_row_max(row_logits, V, s_max);

  /* Phase 2 */
  const float row_sum = find_row_sum(row_logits, V, row_max, s_sum);

  /* Phase 3 */
  LocalTopK<K> local;
  find_local_topk<K>(row_logits, V, &local);

  /* Phase 4 and 5 */
  int head = 0;
  for (int i = 0; i < k; ++i) {
    float value = NAN;
    int index = NO_INDEX;
    if (head < K) {
      value = local.value[head];
      index = local.index[head];
    }
    merge_offer(&s_merge, value, index);
    __syncthreads();
    if (threadIdx.x == 0) {
      merge_pick(&s_merge);
      const float best_value = s_merge.offer_value[s_merge.winner];
      const int best_index = s_merge.offer_index[s_merge.winner];
      topp_prob[row * k + i] = expf(best_value - row_max) / row_sum;
      topk_idx[row * k + i] = best_index;
    }
    __syncthreads();
    if (threadIdx.x == s_merge.winner) {
      ++head;
    }
  }
}

/* ------------------------------------------------------------------------------------------------
 * Launch
 * ---------------------------------------------------------------------------------------------- */

struct LaunchParams {
  size_t rows;
  size_t vocabulary;
  size_t k;
  const float* logits;
  size_t row_stride;
  float* topk_prob;
  int32_t* topk_idx;
  cudaStream_t stream;
};

template <int K>
int launch_fused_softmax_topk(const LaunchParams* params) {
  const dim3 grid(static_cast<unsigned int>(params->rows), 1, 1);
  const dim3 block(BLOCK_SIZE, 1, 1);
  fused_softmax_topk_kernel<K><<<grid, block, 0, params->stream>>>(
      params->logits, params->row_stride, static_cast<int>(params->vocabulary),
      static_cast<int>(params->k), params->topk_prob, params->topk_idx);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    return SOFTMAX_TOPK_DEVICE_FAILURE;
  }
  return SOFTMAX_TOPK_OK;
}

int dispatch_fused_softmax_topk(const LaunchParams* params) {
  if (params->k <= 1) {
    return launch_fused_softmax_topk<1>(params);
  } else if (params->k <= 5) {
    return launch_fused_softmax_topk<5>(params);
  } else if (params->k <= 10) {
    return launch_fused_softmax_topk<10>(params);
  } else if (params->k <= 20) {
    return launch_fused_softmax_topk<20>(params);
  } else if (params->k <= 50) {
    return launch_fused_softmax_topk<50>(params);
  } else if (params->k <= MAX_K) {
    return launch_fused_softmax_topk<MAX_K>(params);
  } else {
    return SOFTMAX_TOPK_UNSUPPORTED;
  }
}

}  // namespace

/* ------------------------------------------------------------------------------------------------
 * Entry points
 * ---------------------------------------------------------------------------------------------- */

extern "C" size_t softmax_topk_workspace_bytes(size_t rows, size_t vocabulary, size_t k) {
  (void)rows;
  (void)vocabulary;
  (void)k;
  return 0;
}

extern "C" int softmax_topk_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                                size_t row_stride, float* probabilities, int32_t* indices,
                                void* workspace, size_t workspace_bytes,
                                softmax_topk_stream stream) {
  (void)workspace;
  (void)workspace_bytes;
  if (rows == 0) {
    return SOFTMAX_TOPK_OK;
  }
  if (k == 0) {
    return SOFTMAX_TOPK_OK;
  }
  if (k > vocabulary) {
    return SOFTMAX_TOPK_INVALID_ARGUMENT;
  }
  if (row_stride < vocabulary) {
    return SOFTMAX_TOPK_INVALID_ARGUMENT;
  }
  if (rows > INT_MAX || vocabulary > INT_MAX - BLOCK_SIZE) {
    return SOFTMAX_TOPK_UNSUPPORTED;
  }
  LaunchParams params;
  params.rows = rows;
  params.vocabulary = vocabulary;
  params.k = k;
  params.logits = logits;
  params.row_stride = row_stride;
  params.topk_prob = probabilities;
  params.topk_idx = indices;
  params.stream = stream;
  return dispatch_fused_softmax_topk(&params);
}
