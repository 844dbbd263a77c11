// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_CUDA_DECODE_CUH_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_CUDA_DECODE_CUH_

#include <cmath>
#include <cstddef>

#include "baseline_cuda.cuh"

namespace assay::kv_cuda {

/// Parts of a sequence of that length. Rounded up without a sum, which 32 bits may not hold where a
/// part is nearly as long as they count.
__device__ inline int SplitsOf(const Plan& plan, int length) {
  return length / plan.split_tokens + (length % plan.split_tokens != 0 ? 1 : 0);
}

/// Which part of the work a block has.
struct BlockWork {
  int sequence;
  int kv_head;
  int first_index;  ///< First query head of the block among those of the KV head.
  int heads;
  int split;
  int splits;  ///< Of this sequence.
  int first;   ///< First token.
  int end;     ///< One past the last token; not before `first`.

  template <class Steps>
  __device__ static BlockWork Of(const Problem& problem, const Plan& plan) {
    unsigned block = blockIdx.x;
    BlockWork work{};
    // Splits outermost: the blocks of a launch that start first have tokens in every sequence.
    const unsigned chunks = static_cast<unsigned>(plan.blocks_of_group);
    work.first_index = static_cast<int>(block % chunks) * plan.heads_of_block;
    block /= chunks;
    work.kv_head = static_cast<int>(block % static_cast<unsigned>(problem.kv_heads));
    block /= static_cast<unsigned>(problem.kv_heads);
    work.sequence = static_cast<int>(block % static_cast<unsigned>(problem.sequences));
    work.split = static_cast<int>(block / static_cast<unsigned>(problem.sequences));
    const int group = problem.query_heads / problem.kv_heads;
    work.heads = min(plan.heads_of_block, group - work.first_index);
    const int length = problem.lengths[work.sequence];
    work.splits = SplitsOf(plan, length);
    work.first = work.split * plan.split_tokens;
    work.end = work.first + min(length - work.first, plan.split_tokens);
    return work;
  }
};

/// Where in the pools the tokens first, first + 1, ... of the block's KV head begin.
template <class Steps>
__device__ void FindRows(const Problem& problem, const BlockWork& work, int first, int count,
                         std::ptrdiff_t* rows) {
  if (static_cast<int>(threadIdx.x) >= count) {
    return;
  }
  const int token = first + static_cast<int>(threadIdx.x);
  const std::size_t entry = std::size_t(work.sequence) * std::size_t(problem.table_stride) +
                            std::size_t(token / problem.page_size);
  const auto page = std::size_t(problem.page_table[entry]);
  const std::size_t head = page * std::size_t(problem.kv_heads) + std::size_t(work.kv_head);
  const std::size_t slot =
      head * std::size_t(problem.page_size) + std::size_t(token % problem.page_size);
  rows[threadIdx.x] = Steps::SlotOffset(slot, problem.head_size);
}

/// Copies `count` rows of head_size floats, rows[i] + column of `pool`, to shared memory; rows from
/// `count` to kTile and columns from head_size on become 0.
template <bool kVector>
__device__ void Stage(const float* pool, const std::ptrdiff_t* rows, int count, int head_size,
                      int padded, int stride, float* staged) {
  if constexpr (kVector) {
    const int fours = padded / 4;
    for (int i = static_cast<int>(threadIdx.x); i < kTile * fours; i += kThreads) {
      const int token = i / fours;
      const int column = 4 * (i % fours);
      const float4 value = token < count
                               ? *reinterpret_cast<const float4*>(pool + rows[token] + column)
                               : make_float4(0, 0, 0, 0);
      *reinterpret_cast<float4*>(staged + token * stride + column) = value;
    }
  } else {
    for (int i = static_cast<int>(threadIdx.x); i < kTile * padded; i += kThreads) {
      const int token = i / padded;
      const int column = i % padded;
      staged[token * stride + column] =
          token < count && column < head_size ? pool[rows[token] + column] : 0.0f;
    }
  }
}

/// The query heads of the block, scaled so that scores are exponents of 2; head_size on become 0.
template <class Steps>
__device__ void StageQueries(const Problem& problem, const BlockWork& work, int padded,
                             float* queries) {
  const int group = problem.query_heads / problem.kv_heads;
  const float scale = kLog2E / sqrtf(static_cast<float>(problem.head_size));
  for (int i = static_cast<int>(threadIdx.x); i < work.heads * padded; i += kThreads) {
    const int column = i % padded;
    const int head =
        Steps::QueryHead(work.kv_head, work.first_index + i / padded, group, problem.kv_heads);
    const std::size_t row =
        std::size_t(work.sequence) * std::size_t(problem.query_heads) + std::size_t(head);
    queries[i] = column < problem.head_size
                     ? problem.q[row * std::size_t(problem.head_size) + std::size_t(column)] * scale
                     : 0.0f;
  }
}

/// weights[head][token] = q . k, in each of `parts` neighbouring threads a share of the columns.
__device__ inline void Scores(const float* queries, const float* keys, int heads, int padded,
                              int key_stride, float* weights) {
  // Threads for one score: as many as leave none idle where heads are few. A power of two.
  const int parts = heads >= 8 ? 1 : heads >= 4 ? 2 : heads >= 2 ? 4 : 8;
  const int part = static_cast<int>(threadIdx.x) % parts;
  // Rounded up, so that whole warps meet at the shuffles.
  const int scores = (heads * kTile * parts + kThreads - 1) / kThreads * kThreads / parts;
  for (int i = static_cast<int>(threadIdx.x) / parts; i < scores; i += kThreads / parts) {
    const int head = i / kTile;
    const int token = i % kTile;
    float score = 0;
    if (head < heads) {
      const float* q = queries + head * padded;
      const float* k = keys + token * key_stride;
      for (int column = 4 * part; column < padded; column += 4 * parts) {
        const float4 a = *reinterpret_cast<const float4*>(q + column);
        const float4 b = *reinterpret_cast<const float4*>(k + column);
        score += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
      }
    }
    for (int step = parts / 2; step > 0; step /= 2) {
      score += __shfl_xor_sync(kAllLanes, score, step);
    }
    if (part == 0 && head < heads) {
      weights[head * kTile + token] = score;
    }
  }
}

__device__ inline float WarpMax(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, step));
  }
  return value;
}

__device__ inline float WarpSum(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, step);
  }
  return value;
}

/// What a warp knows of the heads warp, warp + kWarps, ...: (largest score, sum of weights).
using HeadStates = float2[kMostHeads / kWarps];

/// Turns the scores of a tile into weights relative to the largest score so far, 0 from `count` on,
/// and says with which factor the sums so far are to be multiplied.
__device__ inline void Weigh(int heads, int count, HeadStates& states, float* weights,
                             float* factors) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int i = 0; i < kMostHeads / kWarps; ++i) {
    const int head = static_cast<int>(threadIdx.x) / kWarp + i * kWarps;
    if (head >= heads) {
      break;
    }
    const float score = lane < count ? weights[head * kTile + lane] : -INFINITY;
    const float largest = fmaxf(states[i].x, WarpMax(score));
    const float weight = lane < count ? exp2f(score - largest) : 0.0f;
    const float factor = exp2f(states[i].x - largest);
    states[i] = {largest, states[i].y * factor + WarpSum(weight)};
    weights[head * kTile + lane] = weight;
    if (lane == 0) {
      factors[head] = factor;
    }
  }
}

/// How the threads share the sums: each has four columns of some heads, and of some tokens where
/// heads are few.
struct SumShare {
  int column;  ///< First of four.
  int head;    ///< First head; then every head_step-th.
  int head_step;
  int token;  ///< First token; then every token_step-th.
  int token_step;
  bool works;

  __device__ static SumShare Of(int padded, int heads) {
    const int fours = padded / 4;
    const int rows = kThreads / fours;  // Of threads that cover all columns.
    const int row = static_cast<int>(threadIdx.x) / fours;
    SumShare share{};
    share.head_step = min(heads, rows);
    share.token_step = rows / share.head_step;
    share.column = 4 * (static_cast<int>(threadIdx.x) % fours);
    share.head = row % share.head_step;
    share.token = row / share.head_step;
    share.works = row < share.head_step * share.token_step;
    return share;
  }
};

/// Adds the values of a tile to the sums of the thread's heads.
template <int kHeads>
__device__ void AddValues(const SumShare& share, int heads, int count, int padded,
                          const float* values, const float* weights, const float* factors,
                          float4 (&sums)[kHeads]) {
#pragma unroll
  for (int i = 0; i < kHeads; ++i) {
    const int head = share.head + i * share.head_step;
    const float factor = head < heads ? factors[head] : 0.0f;
    sums[i] = {sums[i].x * factor, sums[i].y * factor, sums[i].z * factor, sums[i].w * factor};
  }
  for (int token = share.token; token < count; token += share.token_step) {
    const float4 v = *reinterpret_cast<const float4*>(values + token * padded + share.column);
#pragma unroll
    for (int i = 0; i < kHeads; ++i) {
      const int head = share.head + i * share.head_step;
      const float weight = head < heads ? weights[head * kTile + token] : 0.0f;
      sums[i].x += weight * v.x;
      sums[i].y += weight * v.y;
      sums[i].z += weight * v.z;
      sums[i].w += weight * v.w;
    }
  }
}

/// sums over the threads that share heads and columns, one token_step after the other, in `staged`
/// [heads][padded].
template <int kHeads>
__device__ void AddOverTokens(const SumShare& share, int heads, int padded,
                              const float4 (&sums)[kHeads], float* staged) {
  for (int turn = 0; turn < share.token_step; ++turn) {
    if (share.works && share.token == turn) {
#pragma unroll
      for (int i = 0; i < kHeads; ++i) {
        const int head = share.head + i * share.head_step;
        if (head < heads) {
          auto* at = reinterpret_cast<float4*>(staged + head * padded + share.column);
          const float4 before = turn == 0 ? make_float4(0, 0, 0, 0) : *at;
          *at = {before.x + sums[i].x, before.y + sums[i].y, before.z + sums[i].z,
                 before.w + sums[i].w};
        }
      }
    }
    __syncthreads();
  }
}

/// of_heads[head] from the warps that know them.
__device__ inline void StoreStates(int heads, const HeadStates& states, float2* of_heads) {
#pragma unroll
  for (int i = 0; i < kMostHeads / kWarps; ++i) {
    const int head = static_cast<int>(threadIdx.x) / kWarp + i * kWarps;
    if (head < heads && threadIdx.x % kWarp == 0) {
      of_heads[head] = states[i];
    }
  }
}

/// Writes outputs where the block had all tokens of the sequence, else what it has of them. `sums`
/// is [heads][padded].
template <class Steps>
__device__ void StoreOutputs(const Problem& problem, const Plan& plan, const BlockWork& work,
                             const Partials& partials, const float* sums, int padded,
                             const float2* of_heads) {
  const int group = problem.query_heads / problem.kv_heads;
  const auto head_size = std::size_t(problem.head_size);
  for (int i = static_cast<int>(threadIdx.x); i < work.heads * problem.head_size; i += kThreads) {
    const int index = i / problem.head_size;
    const int column = i % problem.head_size;
    const int head =
        Steps::QueryHead(work.kv_head, work.first_index + index, group, problem.kv_heads);
    const std::size_t row =
        std::size_t(work.sequence) * std::size_t(problem.query_heads) + std::size_t(head);
    const float sum = sums[index * padded + column];
    if (work.splits <= 1) {
      problem.out[row * head_size + std::size_t(column)] =
          work.splits == 0 ? 0.0f : sum / of_heads[index].y;
    } else {
      const std::size_t partial = row * std::size_t(plan.splits) + std::size_t(work.split);
      partials.sums[partial * head_size + std::size_t(column)] = sum;
      if (column == 0) {
        partials.states[partial] = of_heads[index];
      }
    }
  }
}

/// kHeads: query heads whose sums a thread has at most.
template <class Steps, int kHeads, bool kVector>
__global__ void __launch_bounds__(kThreads, 2)
    DecodeKernel(Problem problem, Plan plan, Partials partials) {
  extern __shared__ float4 shared_fours[];
  auto* shared = reinterpret_cast<float*>(shared_fours);
  const BlockWork work = BlockWork::Of<Steps>(problem, plan);
  if (work.split >= max(work.splits, 1)) {
    return;
  }
  const SharedLayout layout = SharedLayout::Of(problem.head_size, plan.heads_of_block);
  auto* rows = reinterpret_cast<std::ptrdiff_t*>(shared + layout.rows);
  float* keys = shared + layout.keys;
  float* values = shared + layout.values;
  float* queries = shared + layout.queries;
  float* weights = shared + layout.weights;
  float* factors = shared + layout.factors;
  StageQueries<Steps>(problem, work, layout.padded, queries);

  const SumShare share = SumShare::Of(layout.padded, work.heads);
  float4 sums[kHeads] = {};
  HeadStates states;
#pragma unroll
  for (float2& state : states) {
    state = {-INFINITY, 0};
  }
  const int length = problem.lengths[work.sequence];
  const int read_end = Steps::TokensRead(length, problem.page_size);
  for (int first = work.first; first < work.end; first += kTile) {
    const int count = min(kTile, work.end - first);
    const int staged = min(kTile, read_end - first);
    __syncthreads();  // The tile before has been used.
    FindRows<Steps>(problem, work, first, staged, rows);
    __syncthreads();
    Stage<kVector>(problem.key_pages, rows, staged, problem.head_size, layout.padded,
                   layout.key_stride, keys);
    Stage<kVector>(problem.value_pages, rows, staged, problem.head_size, layout.padded,
                   layout.padded, values);
    __syncthreads();
    Scores(queries, keys, work.heads, layout.padded, layout.key_stride, weights);
    __syncthreads();
    Weigh(work.heads, count, states, weights, factors);
    __syncthreads();
    if (share.works) {
      AddValues(share, work.heads, staged, layout.padded, values, weights, factors, sums);
    }
  }

  // The tiles are done with: sums take the place of the queries, states that of the factors.
  __syncthreads();
  AddOverTokens(share, work.heads, layout.padded, sums, queries);
  StoreStates(work.heads, states, reinterpret_cast<float2*>(factors));
  __syncthreads();
  StoreOutputs<Steps>(problem, plan, work, partials, queries, layout.padded,
                      reinterpret_cast<const float2*>(factors));
}

/// One block for each query head of each sequence; those of one split are done already.
template <class Steps>
__global__ void __launch_bounds__(kMostHeadSize)
    MergeKernel(Problem problem, Plan plan, Partials partials) {
  const std::size_t row = blockIdx.x;
  const int length = problem.lengths[row / std::size_t(problem.query_heads)];
  const int splits = SplitsOf(plan, length);
  const int column = static_cast<int>(threadIdx.x);
  if (splits <= 1 || column >= problem.head_size) {
    return;
  }
  const std::size_t first = row * std::size_t(plan.splits);
  float largest = -INFINITY;
  for (int split = 0; split < splits; ++split) {
    largest = fmaxf(largest, partials.states[first + split].x);
  }
  float sum = 0;
  float weights = 0;
  for (int split = 0; split < splits; ++split) {
    const float2 state = partials.states[first + split];
    const float factor = Steps::SplitFactor(state.x, largest);
    weights += factor * state.y;
    sum += factor *
           partials.sums[(first + split) * std::size_t(problem.head_size) + std::size_t(column)];
  }
  problem.out[row * std::size_t(problem.head_size) + std::size_t(column)] = sum / weights;
}

}  // namespace assay::kv_cuda

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_CUDA_DECODE_CUH_
