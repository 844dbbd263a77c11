// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_KV_CACHE_SUITE_SCRIPT_H_
#define ASSAY_CHALLENGES_KV_CACHE_SUITE_SCRIPT_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "client/covering_array.h"
#include "suite_operations.h"

namespace assay::kvcache {

/// What calls on a cache can differ in, as a row of a covering array chooses of it.
enum class Dimension : std::uint8_t {
  kHeads,
  kStorage,
  kPlace,
  kHeadSize,
  kLayers,
  kTokens,
  kEntry,
  kCompany,
  kScale
};
[[nodiscard]] std::span<const Feature> Features();

/// A row, or what is chosen of it so far, in words.
class Row {
 public:
  explicit Row(std::span<const int> choice) : choice_(choice) {}

  /// Index of the value; -1 when it is not chosen yet.
  [[nodiscard]] int At(Dimension dimension) const {
    return choice_[static_cast<std::size_t>(dimension)];
  }
  [[nodiscard]] bool IsChosen(Dimension dimension) const { return At(dimension) >= 0; }
  /// The kv_capability bits that it needs, each by itself.
  [[nodiscard]] int Capabilities() const;
  [[nodiscard]] bool IsGrouped() const { return At(Dimension::kHeads) > 0; }
  [[nodiscard]] bool IsNarrow() const { return At(Dimension::kStorage) > 0; }
  [[nodiscard]] bool IsPaged() const;
  [[nodiscard]] bool IsInChunks() const;
  /// More work for the oracle than it shows.
  [[nodiscard]] bool IsTooLarge() const;
  [[nodiscard]] Distribution Scale() const;

 private:
  std::span<const int> choice_;
};

/// Calls on one cache of five sequences, as a history writes them down: what a row decides is
/// decided here. The last sequence is a neighbour that nothing happens to.
class Script {
 public:
  Script(const FeatureChoice& choice, std::mt19937_64& random);

  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
  /// Tokens of the row.
  [[nodiscard]] std::size_t tokens() const { return tokens_; }
  [[nodiscard]] std::size_t PageSize() const { return static_cast<std::size_t>(config_.page_size); }
  [[nodiscard]] bool TakesChunks() const { return row_.IsInChunks(); }
  /// The pool has so many pages beside those that the row's tokens take, and the neighbour's.
  void LeavePages(std::int32_t pages);

  /// The neighbour gets its tokens.
  void Begin();
  /// Stores so many tokens in the way of the row; the second layer gets one more, the third one
  /// less.
  void Store(std::int32_t sequence, std::size_t count);
  /// One token to each of these, in all layers.
  void AppendTo(const std::vector<std::int32_t>& sequences);
  void Append(std::int32_t layer, std::int32_t sequence, std::size_t count);
  void Prefill(std::int32_t layer, std::int32_t sequence, std::size_t count);
  void Free(std::int32_t sequence);
  void Fork(std::int32_t parent, std::int32_t child);
  /// Attends to these in all layers, in the company of the row.
  void Look(std::vector<std::int32_t> sequences);
  void Shuffle(std::vector<std::int32_t>& sequences);

  /// Room behind the tokens of the row.
  static constexpr std::int32_t kSpare = 24;

 private:
  [[nodiscard]] std::int32_t PagesOf(std::size_t tokens) const;
  [[nodiscard]] bool HasNeighbour() const;
  void Add(Operation operation);
  void StoreIn(std::int32_t layer, std::int32_t sequence, std::size_t count);
  void StoreOneByOne(std::int32_t layer, std::int32_t sequence, std::size_t count);

  Row row_;
  std::mt19937_64& random_;
  std::size_t tokens_ = 0;
  Config config_;
  std::vector<Operation> operations_;
  /// Layers of sequences with tokens: where a prompt would be a chunk.
  std::set<std::pair<std::int32_t, std::int32_t>> holds_;
};

}  // namespace assay::kvcache

#endif  // ASSAY_CHALLENGES_KV_CACHE_SUITE_SCRIPT_H_
