// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_PAGES_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_PAGES_H_

// Where each token lies. Memory is cut into blocks, each [layer][K, V][KV head][slot][row]. A block
// is a page of the pool; or, in a contiguous cache, all that one sequence has: with a window its
// slots are a ring. So a head's rows lie one behind the other as far as a block reaches, and no
// other code knows of pages.

#include <cstring>

#include "baseline_storage.h"

namespace assay::kv_baseline {

/// Pages by number: how many sequences share each, and which are free.
class PagePool {
 public:
  static constexpr std::int32_t kNone = -1;

  explicit PagePool(std::int32_t pages) : sharers_(static_cast<std::size_t>(pages)) {
    free_.reserve(sharers_.size());
    for (std::int32_t page = pages; page-- > 0;) {
      free_.push_back(page);
    }
  }

  /// A page for one sequence, or kNone.
  std::int32_t Take() {
    if (free_.empty()) {
      return kNone;
    }
    const std::int32_t page = free_.back();
    free_.pop_back();
    Sharers(page) = 1;
    return page;
  }

  void Share(std::int32_t page) { ++Sharers(page); }

  void Release(std::int32_t page) {
    if (--Sharers(page) == 0) {
      PutBack(page);
    }
  }

  void PutBack(std::int32_t page) { free_.push_back(page); }

  std::int32_t& Sharers(std::int32_t page) { return sharers_[static_cast<std::size_t>(page)]; }
  [[nodiscard]] std::size_t FreePages() const { return free_.size(); }
  [[nodiscard]] std::size_t PagesInUse() const { return sharers_.size() - free_.size(); }

 private:
  std::vector<std::int32_t> sharers_;
  std::vector<std::int32_t> free_;
};

/// Sizes in bytes of what is nested in a block.
struct BlockShape {
  std::size_t slots;
  std::size_t row_bytes;
  std::size_t head_bytes;    ///< The rows of one head: also from one head to the next.
  std::size_t values_bytes;  ///< From a key to its value.
  std::size_t layer_bytes;
  std::size_t block_bytes;
};

/// The product; throws std::bad_alloc where no memory could be so large.
inline std::size_t CheckedProduct(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > PTRDIFF_MAX) {
    throw std::bad_alloc();
  }
  return product;
}

inline BlockShape ShapeOf(const kv_config& config, std::size_t row_bytes) {
  BlockShape shape = {};
  const std::int32_t kept = config.window > 0 ? config.window : config.capacity;
  shape.slots = static_cast<std::size_t>(config.page_size > 0 ? config.page_size : kept);
  shape.row_bytes = row_bytes;
  shape.head_bytes = CheckedProduct(shape.slots, row_bytes);
  shape.values_bytes = CheckedProduct(shape.head_bytes, static_cast<std::size_t>(config.kv_heads));
  shape.layer_bytes = CheckedProduct(shape.values_bytes, 2);
  shape.block_bytes = CheckedProduct(shape.layer_bytes, static_cast<std::size_t>(config.layers));
  return shape;
}

/// The slots of all sequences. `Steps` as in baseline_steps.h.
template <class Steps>
class Slots {
 public:
  /// Throws std::bad_alloc.
  Slots(const kv_config& config, std::size_t row_bytes)
      : shape_(ShapeOf(config, row_bytes)),
        layers_(static_cast<std::size_t>(config.layers)),
        is_paged_(config.page_size > 0),
        pool_(config.pages),
        tables_(is_paged_ ? static_cast<std::size_t>(config.batch) : 0) {
    const std::int32_t blocks = is_paged_ ? config.pages : config.batch;
    memory_ = Steps::Allocate(CheckedProduct(shape_.block_bytes, static_cast<std::size_t>(blocks)));
    if (memory_ == nullptr) {
      throw std::bad_alloc();
    }
    taken_.reserve(static_cast<std::size_t>(config.pages));
  }

  [[nodiscard]] const BlockShape& shape() const { return shape_; }
  [[nodiscard]] const PagePool& pool() const { return pool_; }
  [[nodiscard]] bool is_paged() const { return is_paged_; }

  /// How many tokens of the sequence have a slot, stored or not.
  [[nodiscard]] std::size_t Addressable(std::size_t sequence) const {
    return is_paged_ ? tables_[sequence].size() * shape_.slots : shape_.slots;
  }

  /// The key of a token's first KV head.
  [[nodiscard]] std::byte* KeyRow(std::size_t layer, std::size_t sequence,
                                  std::size_t position) const {
    return memory_.get() + Steps::Offset(BlockOf(sequence, position) * shape_.block_bytes +
                                         Steps::StoredLayer(layer) * shape_.layer_bytes +
                                         position % shape_.slots * shape_.row_bytes);
  }

  /// The keys of one KV head of `count` tokens.
  void FindKeyRows(std::size_t layer, std::size_t sequence, std::size_t kv_head, std::size_t first,
                   std::size_t count, const std::byte** rows) const {
    for (std::size_t found = 0; found < count;) {
      const std::size_t position = first + found;
      const std::byte* row = KeyRow(layer, sequence, position) + kv_head * shape_.head_bytes;
      const std::size_t run = std::min(count - found, shape_.slots - position % shape_.slots);
      for (std::size_t i = 0; i < run; ++i) {
        rows[found + i] = row + i * shape_.row_bytes;
      }
      found += run;
    }
  }

  /// Gives the tokens [first, last) of a sequence slots that no other sequence sees; false when the
  /// pool has no page for one of them. What was taken can be undone until it is kept. May throw
  /// std::bad_alloc, with the same effect as false.
  bool Reserve(std::size_t sequence, std::size_t first, std::size_t last) {
    if (!is_paged_) {
      return true;
    }
    std::vector<std::int32_t>& table = tables_[sequence];
    table.reserve(std::min((last + shape_.slots - 1) / shape_.slots, taken_.capacity()));
    for (std::size_t index = first / shape_.slots; index * shape_.slots < last; ++index) {
      const bool is_new = index >= table.size();
      if (!is_new && !Steps::CopiesOnWrite(pool_.Sharers(table[index]))) {
        continue;
      }
      const std::int32_t page = pool_.Take();
      if (page == PagePool::kNone) {
        return false;
      }
      if (is_new) {
        table.push_back(page);
        taken_.push_back({sequence, index, PagePool::kNone});
      } else {
        taken_.push_back({sequence, index, table[index]});
        std::memcpy(Block(page), Block(table[index]), shape_.block_bytes);
        pool_.Release(table[index]);
        table[index] = page;
      }
    }
    return true;
  }

  void KeepReserved() { taken_.clear(); }

  void UndoReserved() {
    for (; !taken_.empty(); taken_.pop_back()) {
      const Taken& taken = taken_.back();
      std::vector<std::int32_t>& table = tables_[taken.sequence];
      pool_.Release(table[taken.index]);
      if (taken.replaced == PagePool::kNone) {
        table.pop_back();
      } else {
        pool_.Share(taken.replaced);
        table[taken.index] = Steps::UndoneCopy(table[taken.index], taken.replaced);
      }
    }
  }

  void Free(std::size_t sequence) {
    if (is_paged_) {
      Steps::ReleasePages(pool_, tables_[sequence]);
    }
  }

  /// Makes `child`, which has no tokens, see those of `parent`, of which each layer holds
  /// lengths(layer).
  template <typename Lengths>
  void Fork(std::size_t parent, std::size_t child, Lengths&& lengths) {
    if (is_paged_) {
      tables_[child] = tables_[parent];
      for (const std::int32_t page : tables_[child]) {
        pool_.Share(page);
      }
      return;
    }
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      const std::size_t used_bytes =
          Steps::ForkedSlots(lengths(layer), lengths(0), shape_.slots) * shape_.row_bytes;
      const std::byte* from = KeyRow(layer, parent, 0);
      std::byte* to = KeyRow(layer, child, 0);
      for (std::size_t done_bytes = 0; done_bytes < shape_.layer_bytes;
           done_bytes += shape_.head_bytes) {
        std::memcpy(to + done_bytes, from + done_bytes, used_bytes);
      }
    }
  }

 private:
  /// A page that a call took, and the shared one in whose place it stands.
  struct Taken {
    std::size_t sequence;
    std::size_t index;
    std::int32_t replaced;
  };

  [[nodiscard]] std::size_t BlockOf(std::size_t sequence, std::size_t position) const {
    return is_paged_ ? static_cast<std::size_t>(tables_[sequence][position / shape_.slots])
                     : sequence;
  }
  [[nodiscard]] std::byte* Block(std::int32_t page) const {
    return memory_.get() + static_cast<std::size_t>(page) * shape_.block_bytes;
  }

  BlockShape shape_;
  std::size_t layers_;
  bool is_paged_;
  PagePool pool_;
  std::vector<std::vector<std::int32_t>> tables_;
  std::vector<Taken> taken_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace assay::kv_baseline

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_PAGES_H_
