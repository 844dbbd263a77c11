// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_STEPS_CUH_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_STEPS_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "baseline_plan.h"

namespace assay::softmax_topk_baseline {

/// A logit and where it is, so that the larger key goes first in the order of interface.h. No two
/// of a row are equal. 0 is below all of them: no key has it, since no index is 2^32 - 1.
using Key = std::uint64_t;

inline constexpr std::uint32_t kOrderedNan = 0;
inline constexpr std::uint32_t kOrderedNegativeInfinity = 0x007F'FFFF;
inline constexpr std::uint32_t kNegativeInfinityBits = 0xFF80'0000;
/// The first maximum. Finite, so that -infinity less it is -infinity, whose exponential is 0.
inline constexpr float kLowestMaximum = -3.402823466e38F;

/// 2^x, within 2 ulp; denormal results are 0.
__device__ inline float Exp2(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// The design, step by step. A mutant replaces one of them. `T` is the type of logits.
struct BaselineSteps {
  // ---- Where rows are.

  /// Elements from the first row to row `row`.
  template <typename T>
  __device__ static std::size_t RowOffset(std::size_t row, std::size_t /*vocabulary*/,
                                          std::size_t row_stride) {
    return row * row_stride;
  }

  /// Elements before the first address that is a multiple of 16.
  template <typename T>
  __device__ static std::uint32_t ElementsToAlignment(const T* from) {
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    return static_cast<std::uint32_t>((16 - address % 16) % 16 / sizeof(T));
  }

  /// How many 16-byte loads fit into `elements`.
  template <typename T>
  __device__ static std::uint32_t WholeVectors(std::uint32_t elements) {
    return elements / static_cast<std::uint32_t>(16 / sizeof(T));
  }

  // ---- The order.

  /// Larger for larger logits; -0 as +0; NaN below -infinity.
  __device__ static std::uint32_t Ordered(float logit) {
    if (logit != logit) {
      return kOrderedNan;
    }
    const std::uint32_t bits = __float_as_uint(logit + 0.0F);  // -0 + 0 is +0.
    return bits ^ ((bits >> 31) != 0 ? 0xFFFF'FFFF : 0x8000'0000);
  }

  /// Among equal logits the lower index has the larger key.
  __device__ static std::uint32_t OrderedIndex(std::uint32_t index) { return ~index; }

  // ---- The normaliser.

  template <typename T>
  __device__ static float Exponential(float logit, float maximum) {
    constexpr float kLog2E = 1.442695041F;
    return Exp2((logit - maximum) * kLog2E);
  }

  /// A sum of exponentials less `from`, less `to` instead.
  template <typename T>
  __device__ static float Rescaled(float sum, float from, float to) {
    return sum * BaselineSteps::Exponential<T>(from, to);
  }

  /// The same for the sum of a split, where splits are merged.
  template <typename T>
  __device__ static float RescaledSplit(float sum, float from, float to) {
    return BaselineSteps::Rescaled<T>(sum, from, to);
  }

  /// A sum of a thread's, with one more exponential.
  __device__ static float Summed(float sum, float exponential) { return sum + exponential; }

  /// A result.
  __device__ static float Probability(float exponential, float sum, std::uint32_t /*vocabulary*/) {
    return exponential / sum;
  }

  // ---- The list of candidates.

  /// What a logit must be above at first. NaN: everything is a candidate.
  __device__ static float FirstThreshold() { return __uint_as_float(0x7FC0'0000); }

  /// Whether the logit at `index` of its row may go into the row's list.
  __device__ static bool Contributes(std::uint32_t /*index*/) { return true; }

  /// Between a block's search and its writing: the sorted lists of k of its `groups` first rows.
  template <std::uint32_t threads, typename Storage>
  __device__ static void BeforeWriting(Storage* /*lists*/, std::uint32_t /*groups*/,
                                       std::uint32_t /*k*/) {}

  /// How many candidates are kept for k results.
  __device__ static std::uint32_t Kept(std::uint32_t k) { return k; }

  /// Whether slot `slot` behind the list is given a value before the list is sorted.
  __device__ static bool Pads(std::uint32_t /*slot*/) { return true; }

  /// Whether the list is sorted at the end.
  __device__ static bool Sorts() { return true; }

  /// Between two steps of the sort.
  template <typename Group>
  __device__ static void SortBarrier() {
    Group::Sync();
  }

  // ---- Splits of a row.

  /// Which of all splits is the first of a row.
  __device__ static std::size_t FirstSplit(std::size_t row, std::uint32_t splits) {
    return row * splits;
  }

  /// How many of a row's splits the merge visits.
  __device__ static std::uint32_t MergedSplits(std::uint32_t splits) { return splits; }

  // ---- The host's side.

  static Plan PlanFor(std::size_t rows, std::size_t vocabulary, std::size_t k) {
    return MakePlan(rows, vocabulary, k);
  }

  static cudaStream_t StreamFor(cudaStream_t stream) { return stream; }
};

}  // namespace assay::softmax_topk_baseline

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_STEPS_CUH_
