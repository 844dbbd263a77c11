// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_PLAN_H_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_PLAN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

// How the work of one call is dealt out. A plan follows from the sizes alone, so that the host that
// asks for the workspace and the one that launches agree. Plain C++: baseline_test.cc tests it.

namespace assay::softmax_topk_baseline {

inline constexpr std::size_t kLargestK = 1024;
inline constexpr std::size_t kLargestVocabulary = std::size_t{1} << 18;
inline constexpr std::size_t kMostBlocks = 0x7FFF'FFFF;

/// Sizes of one list of candidates, and who works on it.
enum class Variant : std::uint8_t {
  kWarpPerRow,   ///< A warp a row, eight rows a block: short rows, small k.
  kBlockPerRow,  ///< 256 threads a row, a list of 1,024 candidates that one warp prunes.
  kLargeK,       ///< 256 threads a row, a list of 3,072 candidates that all of them prune.
};

struct Plan {
  Variant variant = Variant::kBlockPerRow;
  std::size_t splits = 1;              ///< Blocks that share a row; 1: no second launch.
  std::size_t elements_per_split = 0;  ///< A multiple of kSplitGranularity; the last has the rest.
};

/// Rows as short as this leave most of a block idle.
inline constexpr std::size_t kLongestWarpRow = 2048;
inline constexpr std::size_t kLargestWarpK = 64;
inline constexpr std::size_t kLargestBlockK = 256;
/// From so many rows on, a block a row keeps a large GPU's memory busy. With fewer, rows are split.
inline constexpr std::size_t kEnoughRows = 54;
inline constexpr std::size_t kWantedBlocks = 216;
/// Below so many elements a split costs more than it gains.
inline constexpr std::size_t kLeastSplit = 4096;
/// A split's list is written and read once, 16 bytes for each of k: with this many logits for each
/// of them that is less than 1/25 of the bytes of the logits.
inline constexpr std::size_t kLogitsPerSplitKey = 100;
/// So many splits are worth more traffic where k is large; but no split for fewer logits than this
/// for each of k, which keeps the workspace below a quarter of logits of two bytes.
inline constexpr std::size_t kFewSplits = 4;
inline constexpr std::size_t kLeastLogitsPerSplitKey = 20;
/// Elements: splits begin on a line of 128 bytes.
inline constexpr std::size_t kSplitGranularity = 64;

constexpr Variant ChooseVariant(std::size_t vocabulary, std::size_t k) {
  if (k > kLargestBlockK) {
    return Variant::kLargeK;
  }
  return vocabulary <= kLongestWarpRow && k <= kLargestWarpK ? Variant::kWarpPerRow
                                                             : Variant::kBlockPerRow;
}

/// `rows`, `k` > 0; k <= vocabulary.
constexpr Plan MakePlan(std::size_t rows, std::size_t vocabulary, std::size_t k) {
  Plan plan{.variant = ChooseVariant(vocabulary, k), .splits = 1, .elements_per_split = vocabulary};
  if (rows >= kEnoughRows) {
    return plan;
  }
  const std::size_t cheap =
      std::max(vocabulary / (kLogitsPerSplitKey * k),
               std::min(vocabulary / (kLeastLogitsPerSplitKey * k), kFewSplits));
  const std::size_t splits =
      std::min({(kWantedBlocks + rows - 1) / rows, vocabulary / kLeastSplit, cheap});
  if (splits < 2) {
    return plan;
  }
  const std::size_t even = (vocabulary + splits - 1) / splits;
  plan.elements_per_split = (even + kSplitGranularity - 1) / kSplitGranularity * kSplitGranularity;
  plan.splits = (vocabulary + plan.elements_per_split - 1) / plan.elements_per_split;
  return plan;
}

/// What a split leaves for the merge beside its list.
struct SplitSum {
  float maximum;
  float sum;
};

/// The lists of all splits, k keys of eight bytes each, then their sums. 0 where no row is split.
constexpr std::size_t WorkspaceBytes(const Plan& plan, std::size_t rows, std::size_t k) {
  return plan.splits < 2 ? 0 : rows * plan.splits * (k * sizeof(std::uint64_t) + sizeof(SplitSum));
}

}  // namespace assay::softmax_topk_baseline

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_PLAN_H_
