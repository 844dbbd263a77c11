// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_STEPS_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_STEPS_H_

// Every decision of the baseline that is easy to get wrong, as one small function. A mutant derives
// from BaselineSteps and replaces one of them.

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

// One target, the one of the compiler's flags: no dispatch at run time.
#define HWY_COMPILE_ONLY_STATIC
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "interface.h"

namespace assay::kv_baseline {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;
using Integers = hn::Rebind<std::int32_t, Floats>;

inline constexpr std::size_t kLanes = hn::MaxLanes(Floats());

/// Tokens [first, last) of a sequence.
struct TokenRange {
  std::size_t first;
  std::size_t last;
};

/// Where a query stands.
struct QueryPlace {
  std::size_t position;   ///< Of its own token.
  std::size_t stored;     ///< Tokens of the sequence, later ones of the same chunk included.
  std::size_t chunk;      ///< Position at which the chunk of its prefill begins; 0 in attend.
  std::size_t window;     ///< 0: none.
  std::size_t page_size;  ///< 0: contiguous.
};

/// Some floats.
struct Floating {
  const float* data;
  std::size_t count;
};

struct BaselineSteps {
  // ------------------------------------------------------------------------------------- storage

  /// How a cache of this configuration keeps its tokens.
  static kv_storage StorageOf(const kv_config& config) {
    return static_cast<kv_storage>(config.storage);
  }

  /// Where the row of one token and KV head begins in the k or v of kv_prefill.
  static const float* PrefillRow(const float* tensor, std::size_t token, std::size_t kv_head,
                                 std::size_t /*tokens*/, std::size_t kv_heads,
                                 std::size_t head_size) {
    return tensor + (token * kv_heads + kv_head) * head_size;
  }

  template <class Halves>
  static hn::Vec<Halves> ToHalf(Halves halves, Vector value) {
    return hn::DemoteTo(halves, value);
  }

  /// Among which values the largest is looked for that the scale of `group` follows from; `tensor`
  /// is all that the call stores.
  static Floating ScaledTogether(Floating group, Floating /*tensor*/) { return group; }

  static float GroupScale(float largest, float largest_code) { return largest / largest_code; }

  static float Code(float x, float scale, float largest_code) {
    const float code = scale == 0 ? 0 : std::nearbyint(x / scale);
    return std::clamp(code, -largest_code, largest_code);
  }

  /// The code whose four bits are the highest of each lane.
  static hn::Vec<Integers> CodeOfHighest(hn::Vec<Integers> bits) {
    return hn::ShiftRight<28>(bits);
  }

  /// Two codes of KV_INT4 in one byte, each in two's complement.
  static std::uint8_t PackCodes(std::int8_t low, std::int8_t high) {
    return static_cast<std::uint8_t>((low & 15) | ((high & 15) << 4));
  }

  static std::size_t StoredLayer(std::size_t layer) { return layer; }
  static std::size_t StoredSequence(std::size_t sequence) { return sequence; }

  /// Which token kv_read reads as its i-th.
  static std::size_t TokenToRead(std::size_t first, std::size_t i) { return first + i; }

  /// `reported` is what kv_get_usage says is stored.
  static std::uint64_t UsedBytes(std::uint64_t reported) { return reported; }

  // --------------------------------------------------------------------------------------- memory

  /// Zeroed memory that takes room only where it is written; null when there is none.
  static std::shared_ptr<std::byte> Allocate(std::size_t size_bytes) {
    void* const place = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) {
      return nullptr;
    }
    return {static_cast<std::byte*>(place),
            [size_bytes](std::byte* mapped) { ::munmap(mapped, size_bytes); }};
  }

  /// How far from the beginning of all memory something lies.
  static std::size_t Offset(std::size_t offset_bytes) { return offset_bytes; }

  /// Whether a page has to be copied before one of its `sharers` writes into it.
  static bool CopiesOnWrite(std::int32_t sharers) { return sharers > 1; }

  /// Gives the pages of a freed sequence back.
  template <class Pool>
  static void ReleasePages(Pool& pool, std::vector<std::int32_t>& table) {
    for (const std::int32_t page : table) {
      pool.Release(page);
    }
    table.clear();
  }

  /// The page of a sequence again, in whose place a call that cannot be done had put `copy`.
  static std::int32_t UndoneCopy(std::int32_t /*copy*/, std::int32_t replaced) { return replaced; }

  /// How many slots of a layer a fork of a contiguous sequence copies.
  static std::size_t ForkedSlots(std::size_t tokens, std::size_t /*tokens_of_first_layer*/,
                                 std::size_t slots) {
    return std::min(tokens, slots);
  }

  // ---------------------------------------------------------------------------------------- calls

  static bool FitsCapacity(std::size_t stored, std::size_t tokens, std::size_t capacity) {
    return tokens <= capacity - stored;
  }

  static std::size_t LengthAfterPrefill(std::size_t stored, std::size_t tokens) {
    return stored + tokens;
  }

  /// Where kv_append stores a token of a sequence that now holds `stored`, and `stored_before` when
  /// the call began.
  static std::size_t AppendPosition(std::size_t stored, std::size_t /*stored_before*/) {
    return stored;
  }

  /// kv_append, all tokens or none.
  template <class Cache>
  static int Append(Cache& cache, std::int32_t layer, std::size_t count,
                    const std::int32_t* sequences, const float* k, const float* v) {
    return cache.AppendTogether(layer, count, sequences, k, v);
  }

  /// The length that kv_attend sees of a sequence. `longest` is that of all in the call,
  /// `addressable` how many of the sequence's tokens have a slot, stored or not.
  static std::size_t LengthInBatch(std::size_t own, std::size_t /*longest*/,
                                   std::size_t /*addressable*/) {
    return own;
  }

  /// In how many layers, from the first on, the child of a fork must be empty.
  static std::size_t LayersOfAnEmptyChild(std::size_t layers) { return layers; }

  // ------------------------------------------------------------------------------------ attention

  static std::size_t QueryHead(std::size_t kv_head, std::size_t member, std::size_t group,
                               std::size_t /*kv_heads*/) {
    return kv_head * group + member;
  }

  static TokenRange VisibleTokens(const QueryPlace& place) {
    const std::size_t last = place.position + 1;
    const bool is_cut = place.window > 0 && last > place.window;
    return {is_cut ? last - place.window : 0, last};
  }

  /// How many elements of a head are visited: all, the last ones with a masked vector.
  static std::size_t VisitedColumns(std::size_t head_size) { return head_size; }

  /// How many values of a tile are weighed: those that are seen, so that what lies behind them
  /// cannot reach the sum. `room` is how many slots there are.
  static std::size_t WeighedTokens(std::size_t seen, std::size_t /*room*/) { return seen; }

  /// Lanes of a key as scores see them.
  static Vector SeenKey(Vector key) { return key; }

  static float ScoreScale(std::size_t head_size) {
    return 1 / std::sqrt(static_cast<float>(head_size));
  }

  /// What is subtracted from the scores before exp.
  static float Pivot(float largest_score) { return largest_score; }

  /// What a new query begins with.
  static void Clear(float& largest_score, float& weight_sum) {
    largest_score = -std::numeric_limits<float>::infinity();
    weight_sum = 0;
  }

  /// The output of an empty sequence.
  static float EmptyOutput() { return 0; }

  // -------------------------------------------------------------------------------------- decoder

  static std::size_t RotationPosition(std::size_t position, std::size_t /*window*/) {
    return position;
  }

  static double RotationBase(float base) { return static_cast<double>(base); }

  /// Where in its tokens a prompt goes on of which `done` went through the layers.
  static std::size_t NextOfPrompt(std::size_t done) { return done; }

  /// The i-th pair of elements that are rotated together.
  static std::pair<std::size_t, std::size_t> RotatedPair(std::size_t i, std::size_t head_size) {
    return {i, i + head_size / 2};
  }

  static float NormDenominator(float mean_square, float eps) {
    return std::sqrt(mean_square + eps);
  }

  static float GatedUnit(float gate, float up) { return gate / (1 + std::exp(-gate)) * up; }

  // ------------------------------------------------------------------------------------- sampling

  static std::size_t KeptTokens(std::size_t top_k, std::size_t vocabulary) {
    return top_k == 0 ? vocabulary : std::min(top_k, vocabulary);
  }

  static double Temperature(float temperature) { return static_cast<double>(temperature); }
};

}  // namespace assay::kv_baseline

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_STEPS_H_
