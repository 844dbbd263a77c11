// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_MODEL_H_
#define ASSAY_REFERENCE_KV_CACHE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracle.h"

namespace assay::kvcache {

/// A plain model of one cache: what each call must return, and what the cache then holds. It keeps
/// every token of every sequence as stored, and knows pages by number alone.
///
/// Functions return a kv_status of interface.h and change nothing unless that is KV_OK. Layers,
/// sequences and sizes out of range are KV_INVALID_ARGUMENT. Not thread-safe.
class CacheModel {
 public:
  explicit CacheModel(const Config& config);

  [[nodiscard]] const Config& config() const { return config_; }

  /// Whether kv_create must accept `config` where the implementation has all capabilities.
  [[nodiscard]] static bool IsValid(const Config& config);

  /// Stores the i-th token of k and v, [token][kv_heads][head_size], at the end of sequences[i].
  int Append(std::int32_t layer, std::span<const std::int32_t> sequences, std::span<const float> k,
             std::span<const float> v);
  int Free(std::int32_t sequence);
  int Fork(std::int32_t parent, std::int32_t child);

  [[nodiscard]] bool HasLayer(std::int32_t layer) const;
  [[nodiscard]] bool HasSequence(std::int32_t sequence) const;
  [[nodiscard]] const History& At(std::int32_t layer, std::int32_t sequence) const;
  [[nodiscard]] std::size_t Length(std::int32_t layer, std::int32_t sequence) const;
  /// First token that a query at the end of the sequence still sees.
  [[nodiscard]] std::size_t FirstVisible(std::int32_t layer, std::int32_t sequence) const;

  /// What kv_get_usage must say.
  [[nodiscard]] std::size_t PagesInUse() const;
  [[nodiscard]] std::size_t PagesFree() const;
  [[nodiscard]] std::size_t UsedBytes() const;

  /// Whether Append would find enough pages only by counting them token by token: two sequences
  /// that share a page and both store into it take one page, where counting beforehand gives two.
  /// The contract leaves open which it is, so tests stay away from it.
  [[nodiscard]] bool IsCloseToTheLastPage(std::int32_t layer,
                                          std::span<const std::int32_t> sequences) const;

 private:
  using Page = std::size_t;

  /// Pages of each sequence, and how many sequences use each.
  struct PageTable {
    std::vector<std::vector<Page>> of_sequence;
    std::vector<std::size_t> users;  ///< By page.
    std::vector<Page> unused;

    [[nodiscard]] std::size_t InUse() const { return users.size() - unused.size(); }
    /// Makes `token` of the sequence writable for it alone; false when that needs a page too many.
    bool MakeOwn(std::size_t sequence, std::size_t page_index);
    void Release(std::size_t sequence);
  };

  [[nodiscard]] std::size_t HistoryIndex(std::int32_t layer, std::int32_t sequence) const;
  [[nodiscard]] int Check(std::int32_t layer, std::span<const std::int32_t> sequences) const;
  /// The table after storing, or nothing when the pool is too small.
  [[nodiscard]] bool TakePages(std::int32_t layer, std::span<const std::int32_t> sequences,
                               PageTable* pages) const;

  Config config_;
  std::vector<History> histories_;  ///< [layer][sequence]
  PageTable pages_;
};

}  // namespace assay::kvcache

#endif  // ASSAY_REFERENCE_KV_CACHE_MODEL_H_
