// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_KERNELS_CUH_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_KERNELS_CUH_

#include <cstddef>
#include <cstdint>

#include "baseline_list.cuh"
#include "baseline_tiles.cuh"

namespace assay::softmax_topk_baseline {

inline constexpr std::uint32_t kBlockThreads = 256;

/// Sizes that follow from a variant.
template <Variant variant>
struct VariantSizes {
  static constexpr bool kIsWarp = variant == Variant::kWarpPerRow;
  static constexpr bool kIsLarge = variant == Variant::kLargeK;
  using Group = assay::softmax_topk_baseline::Group<kIsWarp ? kWarpThreads : kBlockThreads>;
  static constexpr std::uint32_t kGroups = kBlockThreads / Group::kThreads;
  static constexpr std::uint32_t kSelectors = kIsLarge ? kBlockThreads : kWarpThreads;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = kIsLarge ? 5 : 6;
  using Storage = ListStorage<kIsWarp    ? 256
                              : kIsLarge ? 3072
                                         : 1024,
                              kIsWarp    ? kLargestWarpK
                              : kIsLarge ? kLargestK
                                         : kLargestBlockK>;
};

/// A maximum and the sum of exponentials less it.
struct Normaliser {
  float maximum = kLowestMaximum;
  float sum = 0;
};

/// One for all threads of a group. `scratch`: one for each warp. `rescaled(sum, from, to)`: a sum
/// less `from`, less `to` instead.
template <typename Group, typename Rescaled>
__device__ Normaliser Combine(Normaliser mine, Normaliser* scratch, Rescaled&& rescaled) {
  float maximum = mine.maximum;
#pragma unroll
  for (std::uint32_t gap = kWarpThreads / 2; gap > 0; gap /= 2) {
    maximum = fmaxf(maximum, __shfl_xor_sync(kAllLanes, maximum, gap));
  }
  float sum = rescaled(mine.sum, mine.maximum, maximum);
#pragma unroll
  for (std::uint32_t gap = kWarpThreads / 2; gap > 0; gap /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, gap);
  }
  if constexpr (!Group::kIsWarp) {
    if (threadIdx.x % kWarpThreads == 0) {
      scratch[threadIdx.x / kWarpThreads] = {maximum, sum};
    }
    Group::Sync();
#pragma unroll
    for (std::uint32_t warp = 0; warp < kBlockThreads / kWarpThreads; ++warp) {
      maximum = fmaxf(maximum, scratch[warp].maximum);
    }
    sum = 0;
#pragma unroll
    for (std::uint32_t warp = 0; warp < kBlockThreads / kWarpThreads; ++warp) {
      sum += rescaled(scratch[warp].sum, scratch[warp].maximum, maximum);
    }
  }
  return {maximum, sum};
}

/// Of the threads of a row or of a split.
template <typename Steps, typename T, typename Group>
__device__ Normaliser CombineThreads(Normaliser mine, Normaliser* scratch) {
  return Combine<Group>(mine, scratch, [](float sum, float from, float to) {
    return Steps::template Rescaled<T>(sum, from, to);
  });
}

/// What a later logit must be above, given a key that the k-th kept is not below. NaN: nothing.
__device__ inline float ThresholdOf(Key key) {
  const auto ordered = static_cast<std::uint32_t>(key >> 32);
  if (ordered == kOrderedNan) {
    return __uint_as_float(0x7FC0'0000);
  }
  const std::uint32_t number = max(ordered, kOrderedNegativeInfinity);
  return __uint_as_float(number ^ ((number >> 31) != 0 ? 0x8000'0000 : 0xFFFF'FFFF));
}

/// The logit of a key, but for the payload of a NaN.
__device__ inline float LogitOf(Key key) { return ThresholdOf(key); }

template <typename Steps>
__device__ Key KeyOf(float logit, std::uint32_t index) {
  return (static_cast<Key>(Steps::Ordered(logit)) << 32) | Steps::OrderedIndex(index);
}

/// Adds a tile to the normaliser: the sum is rescaled only where the maximum grows. Returns the
/// largest of the tile's logits; NaN where all are.
template <typename Steps, typename T>
__device__ float Accumulate(const Tile<T>& tile, Normaliser& normaliser) {
  float largest = tile[0];
#pragma unroll
  for (std::uint32_t j = 1; j < kThreadElements; ++j) {
    largest = fmaxf(largest, tile[j]);
  }
  if (largest > normaliser.maximum) {
    normaliser.sum = Steps::template Rescaled<T>(normaliser.sum, normaliser.maximum, largest);
    normaliser.maximum = largest;
  }
#pragma unroll
  for (std::uint32_t j = 0; j < kThreadElements; ++j) {
    normaliser.sum =
        Steps::Summed(normaliser.sum, Steps::template Exponential<T>(tile[j], normaliser.maximum));
  }
  return largest;
}

/// Which elements of a tile a later look must take: a bit each.
template <typename T>
__device__ std::uint32_t Above(const Tile<T>& tile, float threshold) {
  if (threshold != threshold) {
    return tile.valid;
  }
  std::uint32_t above = 0;
#pragma unroll
  for (std::uint32_t j = 0; j < kThreadElements; ++j) {
    above |= tile[j] > threshold ? 1U << j : 0;
  }
  return above & tile.valid;
}

/// The elements that equal the largest of a tile: none where that is NaN.
template <typename T>
__device__ std::uint32_t Largest(const Tile<T>& tile, float largest) {
  std::uint32_t equal = 0;
#pragma unroll
  for (std::uint32_t j = 0; j < kThreadElements; ++j) {
    equal |= tile[j] == largest ? 1U << j : 0;
  }
  return equal & tile.valid;
}

/// Puts what a tile adds to the k largest into the list. `largest` is the tile's, of this thread.
/// Returns the new threshold.
template <typename Steps, typename T, typename Group, typename List>
__device__ float Select(const Tile<T>& tile, float largest, float threshold, List& list) {
  const auto key_of = [&](std::uint32_t j) {
    float logit = tile[j];
    asm volatile("" : "+f"(logit));  // Keys take 16 registers when they are made ahead of need.
    return KeyOf<Steps>(logit, IndexOf<T, Group::kThreads>(tile, j));
  };
  std::uint32_t pending = 0;
  // Strictly above: among equals the ones kept already have the lower indices.
  if (!(largest <= threshold)) {
    pending = Above(tile, threshold);
#pragma unroll
    for (std::uint32_t j = 0; j < kThreadElements; ++j) {
      pending &= Steps::Contributes(IndexOf<T, Group::kThreads>(tile, j)) ? ~0U : ~(1U << j);
    }
  }
  // While nothing is known, the largest of each thread go first: the k-th of those is a threshold
  // that few of the others pass.
  bool holds = threshold != threshold && list.IsCrowdedBy(Group::kThreads);
  std::uint32_t held = 0;
  if (holds) {
    held = pending & ~Largest(tile, largest);
    pending ^= held;
  }
  while (true) {
    while (Group::Any(list.template Append<kThreadElements>(pending, key_of))) {
      const Key pruned_at = list.Prune();
      threshold = ThresholdOf(pruned_at);
      // What there was no room for: of this tile, so equals need their index.
      for (std::uint32_t left = pending | held; left != 0; left &= left - 1) {
        const std::uint32_t j = __ffs(static_cast<int>(left)) - 1;
        if (KeyOf<Steps>(tile.At(j), IndexOf<T, Group::kThreads>(tile, j)) < pruned_at) {
          pending &= ~(1U << j);
          held &= ~(1U << j);
        }
      }
    }
    if (!holds) {
      return threshold;
    }
    holds = false;
    pending = held;
    held = 0;
  }
}

/// The k largest of [begin, end) of a row, sorted, in `list`, and the normaliser of that part.
template <typename Steps, typename T, typename Sizes, typename List>
__device__ Normaliser Scan(const T* row, std::uint32_t begin, std::uint32_t end, List& list) {
  using Group = typename Sizes::Group;
  TileReader<Steps, T, Group::kThreads> tiles(row, begin, end, Group::Rank());
  Normaliser normaliser;
  float threshold = Steps::FirstThreshold();
  Tile<T> tile;
  while (tiles.Next(tile)) {
    const float largest = Accumulate<Steps>(tile, normaliser);
    threshold = Select<Steps, T, Group>(tile, largest, threshold, list);
  }
  list.Finish();
  return normaliser;
}

/// What a launch works on. `keys`, `sums`: of splits, or null.
template <typename T>
struct Arguments {
  std::size_t rows;
  std::uint32_t vocabulary;
  std::uint32_t k;
  const T* logits;
  std::size_t row_stride;
  float* probabilities;
  std::int32_t* indices;
  std::uint32_t splits;
  std::uint32_t elements_per_split;
  Key* keys;
  SplitSum* sums;
};

/// Writes the results of a row.
template <typename Steps, typename T, typename Group, typename List>
__device__ void WriteRow(const Arguments<T>& arguments, std::uint32_t row, const List& list,
                         Normaliser normaliser) {
  for (std::uint32_t i = Group::Rank(); i < arguments.k; i += Group::kThreads) {
    const Key key = list[i];
    const std::size_t place = static_cast<std::size_t>(row) * arguments.k + i;
    arguments.probabilities[place] =
        Steps::Probability(Steps::template Exponential<T>(LogitOf(key), normaliser.maximum),
                           normaliser.sum, arguments.vocabulary);
    arguments.indices[place] =
        static_cast<std::int32_t>(Steps::OrderedIndex(static_cast<std::uint32_t>(key)));
  }
}

/// How many of a block's `groups` have a row.
template <std::uint32_t groups>
__device__ std::uint32_t RowsOfBlock(std::size_t rows) {
  return static_cast<std::uint32_t>(
      min(static_cast<std::size_t>(groups), rows - static_cast<std::size_t>(blockIdx.x) * groups));
}

/// A group a row.
template <typename Steps, typename T, Variant variant>
__global__ void __launch_bounds__(kBlockThreads, VariantSizes<variant>::kBlocksPerMultiprocessor)
    RowKernel(const Arguments<T> arguments) {
  using Sizes = VariantSizes<variant>;
  using Group = typename Sizes::Group;
  __shared__ typename Sizes::Storage storage[Sizes::kGroups];
  __shared__ Normaliser scratch[kBlockThreads / kWarpThreads];
  const std::uint32_t group = threadIdx.x / Group::kThreads;
  const std::uint32_t row = blockIdx.x * Sizes::kGroups + group;
  if (row >= arguments.rows) {
    return;  // A whole group.
  }
  CandidateList<Steps, Group, typename Sizes::Storage, Sizes::kSelectors> list(storage[group],
                                                                               arguments.k);
  const T* logits = arguments.logits +
                    Steps::template RowOffset<T>(row, arguments.vocabulary, arguments.row_stride);
  const Normaliser mine = Scan<Steps, T, Sizes>(logits, 0, arguments.vocabulary, list);
  Steps::template BeforeWriting<Group::kThreads>(
      storage, RowsOfBlock<Sizes::kGroups>(arguments.rows), arguments.k);
  WriteRow<Steps, T, Group>(arguments, row, list, CombineThreads<Steps, T, Group>(mine, scratch));
}

/// A block a split of a row: its list and its normaliser go to the workspace.
template <typename Steps, typename T, Variant variant>
__global__ void __launch_bounds__(kBlockThreads, VariantSizes<variant>::kBlocksPerMultiprocessor)
    SplitKernel(const Arguments<T> arguments) {
  using Sizes = VariantSizes<variant>;
  using Group = typename Sizes::Group;
  __shared__ typename Sizes::Storage storage;
  __shared__ Normaliser scratch[kBlockThreads / kWarpThreads];
  const std::uint32_t row = blockIdx.x / arguments.splits;
  const std::uint32_t split = blockIdx.x % arguments.splits;
  const T* logits = arguments.logits +
                    Steps::template RowOffset<T>(row, arguments.vocabulary, arguments.row_stride);
  // Boundaries on lines of 128 bytes, wherever the row begins.
  const auto past_line =
      static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(logits) % 128 / sizeof(T));
  const std::uint32_t begin = split == 0 ? 0 : split * arguments.elements_per_split - past_line;
  const std::uint32_t end = split + 1 == arguments.splits
                                ? arguments.vocabulary
                                : (split + 1) * arguments.elements_per_split - past_line;
  CandidateList<Steps, Group, typename Sizes::Storage, Sizes::kSelectors> list(storage,
                                                                               arguments.k);
  const Normaliser mine = Scan<Steps, T, Sizes>(logits, begin, end, list);
  const Normaliser whole = CombineThreads<Steps, T, Group>(mine, scratch);
  Key* keys = arguments.keys + static_cast<std::size_t>(blockIdx.x) * arguments.k;
  for (std::uint32_t i = Group::Rank(); i < arguments.k; i += Group::kThreads) {
    keys[i] = list[i];
  }
  if (Group::Rank() == 0) {
    arguments.sums[blockIdx.x] = {whole.maximum, whole.sum};
  }
}

/// A block a row: the k largest of its splits' lists.
template <typename Steps, typename T, Variant variant>
__global__ void __launch_bounds__(kBlockThreads, VariantSizes<variant>::kBlocksPerMultiprocessor)
    MergeKernel(const Arguments<T> arguments) {
  using Sizes = VariantSizes<variant>;
  using Group = typename Sizes::Group;
  __shared__ typename Sizes::Storage storage;
  __shared__ Normaliser scratch[kBlockThreads / kWarpThreads];
  const std::uint32_t row = blockIdx.x;
  const std::uint32_t splits = Steps::MergedSplits(arguments.splits);
  const std::size_t first_split = Steps::FirstSplit(row, arguments.splits);
  static_assert(kWantedBlocks <= kBlockThreads, "a thread a split");
  Normaliser mine;
  if (Group::Rank() < splits) {
    const SplitSum sum = arguments.sums[first_split + Group::Rank()];
    mine = {sum.maximum, sum.sum};
  }
  CandidateList<Steps, Group, typename Sizes::Storage, Sizes::kSelectors> list(storage,
                                                                               arguments.k);
  const Key* keys = arguments.keys + first_split * arguments.k;
  const std::uint32_t count = splits * arguments.k;
  Key threshold = 1;  // 0 is no key.
  for (std::uint32_t first = 0; first < count; first += Group::kThreads) {
    const std::uint32_t i = first + Group::Rank();
    const Key key = i < count ? keys[i] : 0;
    std::uint32_t pending = i < count && key >= threshold ? 1 : 0;
    while (Group::Any(list.template Append<1>(pending, [&](std::uint32_t) { return key; }))) {
      threshold = list.Prune();
      pending = key >= threshold ? pending : 0;
    }
  }
  list.Finish();
  const Normaliser whole = Combine<Group>(mine, scratch, [](float sum, float from, float to) {
    return Steps::template RescaledSplit<T>(sum, from, to);
  });
  WriteRow<Steps, T, Group>(arguments, row, list, whole);
}

}  // namespace assay::softmax_topk_baseline

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_KERNELS_CUH_
