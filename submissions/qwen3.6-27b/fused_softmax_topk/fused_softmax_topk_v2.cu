// Fused softmax + top-K, version 2: as version 1, with
//
//   - float4 loads wherever 16-byte alignment allows them. A row begins anywhere, so up to three
//     elements before the first aligned address (the head) and up to three behind the last whole
//     float4 (the tail) are loaded one by one:
//
//         row:  h h | v v v v | v v v v | ... | v v v v | t t t
//                   ^ 16-byte boundary
//
//   - maximum and sum in one pass, online: a new maximum rescales the sum. Then one pass for the
//     top K: two passes in place of three.

#include <cfloat>

#include "topk_heap.cuh"

namespace {

using namespace fused;

// The maximum begins at a finite value, so that a -infinity only ever adds exp(-infinity) = 0.
struct MaxSum {
  float max = -FLT_MAX;
  float sum = 0.0f;
};

__device__ __forceinline__ void online_update(MaxSum& state, float x) {
  if (x <= state.max) {
    state.sum += expf(x - state.max);
  } else {  // a new maximum, or a NaN
    const float new_max = fmaxf(state.max, x);
    state.sum = state.sum * expf(state.max - new_max) + expf(x - new_max);
    state.max = new_max;
  }
}

__device__ __forceinline__ MaxSum online_combine(MaxSum a, MaxSum b) {
  MaxSum result;
  result.max = fmaxf(a.max, b.max);
  result.sum = a.sum * expf(a.max - result.max) + b.sum * expf(b.max - result.max);
  return result;
}

// Updates the state with the four elements of a vector.
__device__ __forceinline__ void process_float4(MaxSum& state, float4 v) {
  const float new_max = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), state.max);
  state.sum = state.sum * expf(state.max - new_max) + expf(v.x - new_max) +
              expf(v.y - new_max) + expf(v.z - new_max) + expf(v.w - new_max);
  state.max = new_max;
}

// Merges the sorted lists of the lanes of a warp, best element first.
template <int K>
__device__ void warp_topk_merge(float* values, int* indices) {
  for (int i = 0; i < K; ++i) {
    float best = values[i];
    int best_index = indices[i];
    for (int offset = kWarpSize / 2; offset > 0; offset >>= 1) {
      const float other = __shfl_xor_sync(kFullMask, best, offset);
      const int other_index = __shfl_xor_sync(kFullMask, best_index, offset);
      if (ranks_before(other, other_index, best, best_index)) {
        best = other;
        best_index = other_index;
      }
    }
    values[i] = best;
    indices[i] = best_index;
  }
}

// Where the aligned part of a row lies.
struct RowLayout {
  int head;     // elements before it
  int vectors;  // float4s in it
  int tail;     // elements behind it
};

__device__ __forceinline__ RowLayout layout_of(const float* row, int vocabulary) {
  const int misaligned = static_cast<int>(reinterpret_cast<uintptr_t>(row) / sizeof(float) % 4);
  const int head = min(misaligned == 0 ? 0 : 4 - misaligned, vocabulary);
  return {head, (vocabulary - head) / 4, (vocabulary - head) % 4};
}

template <int K>
__device__ MaxSum block_combine(SharedTopK<K>& shared, MaxSum state) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset >>= 1) {
    MaxSum other;
    other.max = __shfl_xor_sync(kFullMask, state.max, offset);
    other.sum = __shfl_xor_sync(kFullMask, state.sum, offset);
    state = online_combine(state, other);
  }
  if (threadIdx.x % kWarpSize == 0) {
    shared.partial_max[threadIdx.x / kWarpSize] = state.max;
    shared.partial_sum[threadIdx.x / kWarpSize] = state.sum;
  }
  __syncthreads();
  state.max = shared.partial_max[0];
  state.sum = shared.partial_sum[0];
#pragma unroll
  for (int warp = 1; warp < kNumWarps; ++warp) {
    MaxSum other;
    other.max = shared.partial_max[warp];
    other.sum = shared.partial_sum[warp];
    state = online_combine(state, other);
  }
  return state;
}

// The index of the element that a thread takes of head and tail, or -1.
__device__ __forceinline__ int edge_index(const RowLayout& layout, int thread) {
  if (thread < layout.head) {
    return thread;
  }
  return thread < layout.head + layout.tail ? thread + 4 * layout.vectors : -1;
}

template <int K>
__global__ void __launch_bounds__(kBlockSize) fused_softmax_topk_v2_kernel(Problem problem) {
  __shared__ SharedTopK<K> shared;
  const size_t row = blockIdx.x;
  const float* x = problem.logits + row * problem.row_stride;
  const RowLayout layout = layout_of(x, problem.vocabulary);
  const float4* vectors = reinterpret_cast<const float4*>(x + layout.head);
  const int edge = edge_index(layout, static_cast<int>(threadIdx.x));

  // Pass 1: maximum and sum.
  MaxSum state;
  if (edge >= 0) {
    online_update(state, x[edge]);
  }
  for (int i = threadIdx.x; i < layout.vectors; i += kBlockSize) {
    const float4 v = vectors[i];
    online_update(state, v.x);
    online_update(state, v.y);
    online_update(state, v.z);
    online_update(state, v.w);
  }
  if (threadIdx.x == 0) {
    heap_clear<K>(shared);
  }
  state = block_combine<K>(shared, state);

  // Pass 2: top K. Head and tail first, then tiles of 256 vectors.
  int staged = 0;
  stage_candidate<K>(shared, current_threshold<K>(shared, problem.k), edge >= 0,
                     edge >= 0 ? x[edge] : 0.0f, edge, staged);
  merge_staged<K>(shared, problem.k, staged);
  for (int tile = 0; tile < layout.vectors; tile += kBlockSize) {
    const int i = tile + static_cast<int>(threadIdx.x);
    const bool valid = i < layout.vectors;
    const float4 v = valid ? vectors[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const int index = layout.head + 4 * i;
    const Threshold threshold = current_threshold<K>(shared, problem.k);
    staged = 0;
    stage_candidate<K>(shared, threshold, valid, v.x, index, staged);
    stage_candidate<K>(shared, threshold, valid, v.y, index + 1, staged);
    stage_candidate<K>(shared, threshold, valid, v.z, index + 2, staged);
    stage_candidate<K>(shared, threshold, valid, v.w, index + 3, staged);
    merge_staged<K>(shared, problem.k, staged);
  }

  if (threadIdx.x == 0) {
    // A row of -infinity alone has the sum 0, and 0 / 0 is the NaN that it should give.
    write_result<K>(shared, problem.k, state.max, state.sum,
                    problem.probabilities + row * problem.k, problem.indices + row * problem.k);
  }
}

template <int K>
int launch(size_t rows, const Problem& problem, cudaStream_t stream) {
  fused_softmax_topk_v2_kernel<K><<<static_cast<unsigned>(rows), kBlockSize, 0, stream>>>(problem);
  return launch_status();
}

}  // namespace

extern "C" int softmax_topk_alternative_f32(size_t rows, size_t vocabulary, size_t k,
                                            const float* logits, size_t row_stride,
                                            float* probabilities, int32_t* indices,
                                            void* /*workspace*/, size_t /*workspace_bytes*/,
                                            softmax_topk_stream stream) {
  bool needed = false;
  const int status = check_arguments(rows, vocabulary, k, row_stride, &needed);
  if (!needed) {
    return status;
  }
  const Problem problem = {static_cast<int>(vocabulary), static_cast<int>(k), logits, row_stride,
                           probabilities, indices};
  if (k <= 16) return launch<16>(rows, problem, stream);
  if (k <= 32) return launch<32>(rows, problem, stream);
  if (k <= 64) return launch<64>(rows, problem, stream);
  if (k <= 128) return launch<128>(rows, problem, stream);
  return launch<256>(rows, problem, stream);
}
