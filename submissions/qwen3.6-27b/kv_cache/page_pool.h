// A pool of pages with a free list, and a page table for each sequence.
//
//   sequence 0   [7][2][9]      tokens 0-15 in page 7, 16-31 in page 2, 32-47 in page 9
//   sequence 1   [4]
//   free list    [1][3][5][6][8][0]
//
// All memory is taken by the constructor: handing a page out and taking it back cannot fail.

#ifndef PAGE_POOL_H_
#define PAGE_POOL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

class PagePool {
 public:
  PagePool() = default;
  PagePool(std::size_t sequences, std::size_t capacity, std::size_t page_size, std::size_t pages)
      : page_size_(page_size),
        table_stride_(std::min(pages_for(capacity), pages)),
        tables_(new std::uint32_t[sequences * table_stride_]),
        held_(sequences, 0),
        free_(pages) {
    for (std::size_t i = 0; i < pages; ++i) {
      free_[i] = static_cast<std::uint32_t>(pages - 1 - i);
    }
  }

  std::size_t page_size() const { return page_size_; }
  std::size_t free_pages() const { return free_.size(); }
  std::size_t slots_held(std::size_t sequence) const { return held_[sequence] * page_size_; }

  std::size_t pages_missing(std::size_t sequence, std::size_t tokens) const {
    const std::size_t needed = pages_for(tokens);
    return needed > held_[sequence] ? needed - held_[sequence] : 0;
  }

  // There have to be enough free pages.
  void grow(std::size_t sequence, std::size_t tokens) {
    for (std::size_t missing = pages_missing(sequence, tokens); missing > 0; --missing) {
      tables_[sequence * table_stride_ + held_[sequence]++] = free_.back();
      free_.pop_back();
    }
  }

  void release(std::size_t sequence) {
    while (held_[sequence] > 0) {
      free_.push_back(tables_[sequence * table_stride_ + --held_[sequence]]);
    }
  }

  std::size_t page_of(std::size_t sequence, std::size_t token) const {
    return tables_[sequence * table_stride_ + token / page_size_];
  }

 private:
  std::size_t pages_for(std::size_t tokens) const { return (tokens + page_size_ - 1) / page_size_; }

  std::size_t page_size_ = 1;
  std::size_t table_stride_ = 0;
  std::unique_ptr<std::uint32_t[]> tables_;
  std::vector<std::uint32_t> held_;
  std::vector<std::uint32_t> free_;
};

#endif  // PAGE_POOL_H_
