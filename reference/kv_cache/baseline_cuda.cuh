// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_CUDA_CUH_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_CUDA_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "interface.h"

/// The CUDA baseline of paged decode attention: shapes, and the decisions that are easy to get
/// wrong. baseline_cuda_decode.cuh has the kernels.
///
/// A block takes one KV head of one sequence, with the query heads that read it, so that K and V
/// are read once; and of long sequences a *split* of the tokens, so that there are blocks enough.
/// It goes through its tokens in tiles of kTile: K and V of a tile are staged in shared memory,
/// scores and weights are taken with a running maximum, and the sums of the outputs stay in
/// registers. Sequences of more than one split are put together by a second kernel.

namespace assay::kv_cuda {

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr int kTile = 32;  ///< Tokens: one for each lane of a warp.
inline constexpr int kThreads = 256;
inline constexpr int kWarps = kThreads / kWarp;
inline constexpr int kMostHeadSize = 256;
/// Query heads of a block. What has more for a KV head takes several blocks, which read it again.
inline constexpr int kMostHeads = 32;
/// Fewer tokens in a split, and its partial outputs cost more than it hides.
inline constexpr std::int64_t kLeastSplit = 256;
inline constexpr float kLog2E = 1.44269504088896340736f;

/// What a mutant replaces one of.
struct Steps {
  /// Tokens of a sequence that are read: those beyond may be anything.
  __device__ static int TokensRead(int length, int /*page_size*/) { return length; }

  /// Where a slot of the pools begins, in elements. There are [page][kv_heads][page_size] of them.
  __device__ static std::ptrdiff_t SlotOffset(std::size_t slot, int head_size) {
    return static_cast<std::ptrdiff_t>(slot * static_cast<std::size_t>(head_size));
  }

  /// The query head that is the `index`-th to read a KV head.
  __device__ static int QueryHead(int kv_head, int index, int group, int /*kv_heads*/) {
    return kv_head * group + index;
  }

  /// What the outputs of a split are multiplied with when splits are put together: each is relative
  /// to the largest score of its own, in units of log 2.
  __device__ static float SplitFactor(float largest_of_split, float largest) {
    return exp2f(largest_of_split - largest);
  }
};

/// The arguments of kv_paged_decode_f32_cuda.
struct Problem {
  std::int32_t sequences;
  std::int32_t query_heads;
  std::int32_t kv_heads;
  std::int32_t head_size;
  std::int32_t page_size;
  const float* q;
  const float* key_pages;
  const float* value_pages;
  const std::int32_t* page_table;
  std::int32_t table_stride;
  const std::int32_t* lengths;
  float* out;
};

inline std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// How the work is cut.
struct Plan {
  int heads_of_block = 0;   ///< Query heads.
  int blocks_of_group = 0;  ///< Blocks that share the query heads of a KV head.
  int split_tokens = 0;     ///< A multiple of kTile.
  int splits = 0;           ///< Of the longest sequence that the table has room for.
  std::int64_t blocks = 0;
  std::size_t workspace_bytes = 0;

  /// [sequences][query_heads][splits] sums of head_size, and behind them as many states.
  [[nodiscard]] static std::size_t PartialCount(const Problem& problem, int splits) {
    return static_cast<std::size_t>(problem.sequences) *
           static_cast<std::size_t>(problem.query_heads) * static_cast<std::size_t>(splits);
  }

  static Plan Of(const Problem& problem, std::int64_t multiprocessors) {
    Plan plan;
    const int group = problem.query_heads / problem.kv_heads;
    plan.blocks_of_group = static_cast<int>(CeilDiv(group, kMostHeads));
    plan.heads_of_block = static_cast<int>(CeilDiv(group, plan.blocks_of_group));
    const std::int64_t blocks_of_split =
        std::int64_t{problem.sequences} * problem.kv_heads * plan.blocks_of_group;
    const std::int64_t most_tokens = std::min<std::int64_t>(
        std::int64_t{problem.table_stride} * problem.page_size, INT32_MAX - kLeastSplit);
    // Two blocks for each multiprocessor, when all sequences are as long as they can be.
    const std::int64_t wanted =
        std::max<std::int64_t>(CeilDiv(2 * multiprocessors, blocks_of_split), 1);
    const std::int64_t tokens = std::max(CeilDiv(most_tokens, wanted), kLeastSplit);
    plan.split_tokens = static_cast<int>(CeilDiv(tokens, kTile) * kTile);
    plan.splits = static_cast<int>(CeilDiv(most_tokens, plan.split_tokens));
    plan.blocks = blocks_of_split * plan.splits;
    if (plan.splits > 1) {
      plan.workspace_bytes =
          PartialCount(problem, plan.splits) *
          (static_cast<std::size_t>(problem.head_size) * sizeof(float) + sizeof(float2));
    }
    return plan;
  }
};

/// Where a split leaves its share: sums of weights times values, and (largest score, sum of
/// weights). Both relative to the split's largest score.
struct Partials {
  float* sums;     ///< [sequences][query_heads][splits][head_size]
  float2* states;  ///< [sequences][query_heads][splits]
};

/// How the shared memory of a block is laid out, in floats; rows of K are four longer than they
/// need be, so that the lanes of a warp that read a column of fours meet no bank twice.
struct SharedLayout {
  int padded;  ///< head_size, up to a multiple of four.
  int key_stride;
  int keys;
  int values;
  int queries;
  int weights;
  int factors;
  int rows;  ///< Where the tokens of the tile are: ptrdiff_t each.
  int bytes;

  __host__ __device__ static SharedLayout Of(int head_size, int heads) {
    SharedLayout layout{};
    layout.padded = (head_size + 3) / 4 * 4;
    layout.key_stride = layout.padded + 4;
    layout.rows = 0;
    layout.keys = 2 * kTile;
    layout.values = layout.keys + kTile * layout.key_stride;
    layout.queries = layout.values + kTile * layout.padded;
    layout.weights = layout.queries + heads * layout.padded;
    layout.factors = layout.weights + heads * kTile;
    layout.bytes = (layout.factors + 2 * heads) * static_cast<int>(sizeof(float));
    return layout;
  }
};

}  // namespace assay::kv_cuda

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_CUDA_CUH_
