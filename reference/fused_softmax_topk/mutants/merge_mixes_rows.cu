// SPDX-License-Identifier: Apache-2.0
// Bug: a block holds eight rows, a warp a row, and the merge goes through the lists of all warps of
// the block, as it would if they shared one row: each row gets the k largest of eight rows. Right
// for a single row.

#include "export.cuh"

namespace {

namespace baseline = assay::softmax_topk_baseline;

struct Steps : baseline::BaselineSteps {
  /// A warp a row wherever there are several, as far as its list goes.
  static baseline::Plan PlanFor(std::size_t rows, std::size_t vocabulary, std::size_t k) {
    if (rows == 1 || k > baseline::kLargestWarpK) {
      return baseline::MakePlan(rows, vocabulary, k);
    }
    return {
        .variant = baseline::Variant::kWarpPerRow, .splits = 1, .elements_per_split = vocabulary};
  }

  /// Of a block's first threads: those without a row have left.
  __device__ static void Barrier(std::uint32_t threads) {
    asm volatile("bar.sync 1, %0;" : : "r"(threads) : "memory");
  }

  template <std::uint32_t threads, typename Storage>
  __device__ static void BeforeWriting(Storage* lists, std::uint32_t groups, std::uint32_t k) {
    if constexpr (threads == baseline::kWarpThreads) {
      constexpr std::uint32_t kGroups = baseline::kBlockThreads / threads;
      __shared__ baseline::Key merged[kGroups][baseline::kLargestWarpK];
      const std::uint32_t group = threadIdx.x / threads;
      const std::uint32_t rank = threadIdx.x % threads;
      Barrier(groups * threads);
      if (rank == 0) {
        std::uint32_t heads[kGroups] = {};
        for (std::uint32_t i = 0; i < k; ++i) {
          std::uint32_t best = 0;
          baseline::Key largest = 0;
#pragma unroll
          for (std::uint32_t list = 0; list < kGroups; ++list) {
            const bool has = list < groups && heads[list] < k;
            const baseline::Key key = has ? lists[list].keys[heads[list]] : 0;
            best = key > largest ? list : best;
            largest = max(largest, key);
          }
#pragma unroll
          for (std::uint32_t list = 0; list < kGroups; ++list) {
            heads[list] += list == best ? 1 : 0;
          }
          merged[group][i] = largest;
        }
      }
      Barrier(groups * threads);
      for (std::uint32_t i = rank; i < k; i += threads) {
        lists[group].keys[i] = merged[group][i];
      }
      __syncwarp();
    }
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
