// Fused softmax + top-K, version 1: one block of 256 threads a row, three passes over it.
//
//   pass 1   row_max = max_j x_j                   warp shuffles, then 8 values in shared memory
//   pass 2   row_sum = sum_j exp(x_j - row_max)    the same
//   pass 3   top K of x: warps stage the elements that beat the root of a shared min-heap, warp
//            leaders insert them in turn, O(log K) each
//
// The K kept logits become probabilities at the very end, so no probability of any other element
// is ever stored: nothing of size V is written.
//
// Memory traffic a row: 3 reads of 4V bytes and 8K bytes written. expf dominates: V of them in
// pass 2 on the special function units. See ANALYSIS.md.
//
// K is a template parameter of 16, 32, 64, 128 or 256: it sizes the heap in shared memory.

#include "topk_heap.cuh"

namespace {

using namespace fused;

// The result is valid in every thread.
template <int K>
__device__ float block_reduce_max(SharedTopK<K>& shared, float value) {
  value = warp_reduce_max(value);
  if (threadIdx.x % kWarpSize == 0) {
    shared.partial_max[threadIdx.x / kWarpSize] = value;
  }
  __syncthreads();
  value = shared.partial_max[0];
#pragma unroll
  for (int warp = 1; warp < kNumWarps; ++warp) {
    value = fmaxf(value, shared.partial_max[warp]);
  }
  return value;
}

template <int K>
__device__ float block_reduce_sum(SharedTopK<K>& shared, float value) {
  value = warp_reduce_sum(value);
  if (threadIdx.x % kWarpSize == 0) {
    shared.partial_sum[threadIdx.x / kWarpSize] = value;
  }
  __syncthreads();
  value = shared.partial_sum[0];
#pragma unroll
  for (int warp = 1; warp < kNumWarps; ++warp) {
    value += shared.partial_sum[warp];
  }
  return value;
}

template <int K>
__global__ void __launch_bounds__(kBlockSize) fused_softmax_topk_kernel(Problem problem) {
  __shared__ SharedTopK<K> shared;
  const size_t row = blockIdx.x;
  const float* x = problem.logits + row * problem.row_stride;

  // Pass 1. fmaxf drops NaN; pass 2 does not.
  float local_max = -INFINITY;
  for (int i = threadIdx.x; i < problem.vocabulary; i += kBlockSize) {
    local_max = fmaxf(local_max, x[i]);
  }
  const float row_max = block_reduce_max<K>(shared, local_max);

  // Pass 2. A row with a NaN, a +infinity or nothing but -infinity gets a NaN sum here.
  float local_sum = 0.0f;
  for (int i = threadIdx.x; i < problem.vocabulary; i += kBlockSize) {
    local_sum += expf(x[i] - row_max);
  }
  if (threadIdx.x == 0) {
    heap_clear<K>(shared);
  }
  const float row_sum = block_reduce_sum<K>(shared, local_sum);

  // Pass 3, in tiles of 1024 elements. Every thread takes part in every tile.
  for (int tile = 0; tile < problem.vocabulary; tile += kBlockSize * kItemsPerThread) {
    const Threshold threshold = current_threshold<K>(shared, problem.k);
    int staged = 0;
#pragma unroll
    for (int item = 0; item < kItemsPerThread; ++item) {
      const int i = tile + item * kBlockSize + static_cast<int>(threadIdx.x);
      const bool valid = i < problem.vocabulary;
      stage_candidate<K>(shared, threshold, valid, valid ? x[i] : 0.0f, i, staged);
    }
    merge_staged<K>(shared, problem.k, staged);
  }

  if (threadIdx.x == 0) {
    write_result<K>(shared, problem.k, row_max, row_sum,
                    problem.probabilities + row * problem.k, problem.indices + row * problem.k);
  }
}

template <int K>
int launch(size_t rows, const Problem& problem, cudaStream_t stream) {
  fused_softmax_topk_kernel<K><<<static_cast<unsigned>(rows), kBlockSize, 0, stream>>>(problem);
  return launch_status();
}

}  // namespace

extern "C" size_t softmax_topk_workspace_bytes(size_t /*rows*/, size_t /*vocabulary*/,
                                               size_t /*k*/) {
  return 0;  // everything lives in registers and shared memory
}

extern "C" int softmax_topk_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                                size_t row_stride, float* probabilities, int32_t* indices,
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
