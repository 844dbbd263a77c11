// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_ORACLE_H_
#define ASSAY_REFERENCE_KV_CACHE_ORACLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace assay::kvcache {

/// The right answers to challenge `kv_cache`, in double, plain and slow: attention recomputed from
/// the full history of a sequence, and what stored tokens become. interface.h has the contract.
///
/// Pure functions, safe from any thread; they throw only std::bad_alloc.

/// As in interface.h, number for number.
enum class Storage { kF32 = 0, kF16 = 1, kInt8 = 2, kInt4 = 3 };
[[nodiscard]] std::string_view ToString(Storage storage);

/// The configuration of a cache; the fields of kv_config.
struct Config {
  std::int32_t layers = 1;
  std::int32_t query_heads = 1;
  std::int32_t kv_heads = 1;
  std::int32_t head_size = 64;
  std::int32_t batch = 1;
  std::int32_t capacity = 64;
  Storage storage = Storage::kF32;
  std::int32_t page_size = 0;
  std::int32_t pages = 0;
  std::int32_t window = 0;

  [[nodiscard]] bool IsPaged() const { return page_size > 0; }
  /// Elements of q, or of an output, of one token.
  [[nodiscard]] std::size_t QueryElements() const {
    return static_cast<std::size_t>(query_heads) * static_cast<std::size_t>(head_size);
  }
  /// Elements of k, or of v, of one token.
  [[nodiscard]] std::size_t KeyElements() const {
    return static_cast<std::size_t>(kv_heads) * static_cast<std::size_t>(head_size);
  }
};

/// Bytes of K and V of one token in one layer, by the table in interface.h.
[[nodiscard]] std::size_t TokenBytes(const Config& config);

/// What k or v of whole tokens, [token][kv_heads][head_size], becomes when it is stored.
[[nodiscard]] std::vector<float> Stored(const Config& config, std::span<const float> tokens);

/// Moves each element that lies near the middle between two codes, or is an f16 tie, so that there
/// is one right way to store it. For INT8 and INT4; other storage is exact and stays as it is.
void AvoidTies(const Config& config, std::span<float> tokens);

/// How far what was stored may lie from `tokens` as handed in: half a step of the code plus its
/// roundings; for f16 half a unit in the last place; for f32 nothing. For ties, where Stored knows
/// only one of two right codes.
[[nodiscard]] std::vector<double> StorageBounds(const Config& config,
                                                std::span<const float> tokens);

/// The tokens of one sequence in one layer, as stored: k and v are [token][kv_heads][head_size].
struct History {
  std::vector<float> k;
  std::vector<float> v;

  [[nodiscard]] std::size_t Tokens(const Config& config) const {
    return k.size() / config.KeyElements();
  }
};

/// An output [query_heads][head_size] and how far arithmetic in float may fall from it.
struct Answer {
  std::vector<double> out;
  std::vector<double> bound;
};

/// What the query q [query_heads][head_size] of the token at `position` gives: over the tokens
/// position - window + 1 (or 0) to `position`. A history of no tokens gives zeros. oracle.cc
/// derives the bound; it admits sums in any order, a running maximum, and scales folded into
/// queries or scores. Where a head reads anything that is not finite, its out and bound are NaN:
/// anything is right there.
[[nodiscard]] Answer Attend(const Config& config, const History& history, std::size_t position,
                            std::span<const float> q);

}  // namespace assay::kvcache

#endif  // ASSAY_REFERENCE_KV_CACHE_ORACLE_H_
