// The cache: where the keys and values of every token lie, and how many there are.
//
// Contiguous (BHSD)   [layer][K or V][sequence][head][token][head_size]
// Paged               [page][layer][K or V][head][slot][head_size]
//
// In both, tokens of one head lie side by side, so that attention streams through whole runs of
// them. Every sequence has a length of its own in every layer.
//
// Memory of a token: 2 * layers * kv_heads * bytes of a row. In f16:
//
//   Llama-2-7B    2 * 32 * 32 * 256 B = 512 KiB     Llama-3-8B   2 * 32 * 8 * 256 B = 128 KiB
//   Llama-2-13B   2 * 40 * 40 * 256 B = 800 KiB     Mistral-7B   2 * 32 * 8 * 256 B = 128 KiB
//   Llama-2-70B   2 * 80 *  8 * 256 B = 320 KiB     (grouped queries: 8 times less than 64 heads)

#ifndef KV_CACHE_H_
#define KV_CACHE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "interface.h"
#include "page_pool.h"
#include "quantization.h"

constexpr std::size_t kMaxHeadSize = 256;

inline std::size_t as_size(std::int32_t value) { return static_cast<std::size_t>(value); }

struct CacheShape {
  std::size_t layers;
  std::size_t query_heads;
  std::size_t kv_heads;
  std::size_t head_size;
  std::size_t batch;
  std::size_t capacity;
  ElementType type = ElementType::kFloat;
  std::size_t page_size = 0;
  std::size_t pages = 0;

  bool paged() const { return page_size > 0; }
  std::size_t group() const { return query_heads / kv_heads; }
  std::size_t query_width() const { return query_heads * head_size; }
  std::size_t kv_width() const { return kv_heads * head_size; }
};

// Neighbouring tokens of one sequence, layer and head.
struct Run {
  const std::byte* keys;
  const std::byte* values;
  std::size_t tokens;
};

class KvCache {
 public:
  // Throws std::bad_alloc; nothing after it does.
  explicit KvCache(const CacheShape& shape)
      : shape_(shape),
        format_(shape.type, shape.head_size),
        bytes_(allocate(shape, format_.bytes())),
        lengths_(shape.layers * shape.batch, 0),
        pending_(shape.batch, 0) {
    if (shape.paged()) {
      pool_ = PagePool(shape.batch, shape.capacity, shape.page_size, shape.pages);
    }
  }

  const CacheShape& shape() const { return shape_; }
  const RowFormat& format() const { return format_; }

  std::size_t length(std::size_t layer, std::size_t sequence) const {
    return lengths_[layer * shape_.batch + sequence];
  }

  // Whether `tokens` more have room; takes their pages. Changes nothing when they have not.
  kv_status reserve(std::size_t layer, std::size_t sequence, std::size_t tokens) {
    const std::size_t stored = length(layer, sequence);
    if (tokens > shape_.capacity - stored) {
      return KV_CAPACITY;
    }
    if (shape_.paged()) {
      if (pool_.pages_missing(sequence, stored + tokens) > pool_.free_pages()) {
        return KV_NO_PAGES;
      }
      pool_.grow(sequence, stored + tokens);
    }
    return KV_OK;
  }

  // The same for one token of each listed sequence, which may be listed several times.
  kv_status reserve_each(std::size_t layer, std::size_t count, const std::int32_t* sequences) {
    const kv_status status = check_room(layer, count, sequences);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t sequence = as_size(sequences[i]);
      if (status == KV_OK && shape_.paged()) {
        pool_.grow(sequence, length(layer, sequence) + pending_[sequence]);
      }
      pending_[sequence] = 0;
    }
    return status;
  }

  // One token, for which there is room.
  void store(std::size_t layer, std::size_t sequence, const float* k, const float* v) {
    const std::size_t token = lengths_[layer * shape_.batch + sequence]++;
    for (std::size_t head = 0; head < shape_.kv_heads; ++head) {
      format_.encode(k + head * shape_.head_size, row(layer, kKeys, sequence, head, token));
      format_.encode(v + head * shape_.head_size, row(layer, kValues, sequence, head, token));
    }
  }

  // The longest run that begins with `token` and ends before `end`.
  Run run(std::size_t layer, std::size_t sequence, std::size_t head, std::size_t token,
          std::size_t end) const {
    std::size_t tokens = end - token;
    if (shape_.paged()) {
      tokens = std::min(tokens, shape_.page_size - token % shape_.page_size);
    }
    return {row(layer, kKeys, sequence, head, token), row(layer, kValues, sequence, head, token),
            tokens};
  }

  void free(std::size_t sequence) {
    for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
      lengths_[layer * shape_.batch + sequence] = 0;
    }
    if (shape_.paged()) {
      pool_.release(sequence);
    }
  }

  kv_usage usage() const {
    const std::size_t token_bytes = 2 * shape_.kv_heads * format_.bytes();
    kv_usage usage = {};
    if (shape_.paged()) {
      usage.pages_free = pool_.free_pages();
      usage.pages_in_use = shape_.pages - usage.pages_free;
      usage.bytes = usage.pages_in_use * shape_.page_size * shape_.layers * token_bytes;
    } else {
      for (const std::uint32_t tokens : lengths_) {
        usage.bytes += tokens * token_bytes;
      }
    }
    return usage;
  }

 private:
  enum Plane : std::size_t { kKeys = 0, kValues = 1 };

  // Not touched, so that the machine gives memory to what is stored alone.
  static std::byte* allocate(const CacheShape& shape, std::size_t row_bytes) {
    const std::size_t tokens =
        shape.paged() ? shape.pages * shape.page_size : shape.batch * shape.capacity;
    const double bytes = 2.0 * static_cast<double>(tokens) * static_cast<double>(shape.layers) *
                         static_cast<double>(shape.kv_heads) * static_cast<double>(row_bytes);
    // Beyond this the product in integers could wrap.
    constexpr double kMost = 1e18;
    if (bytes > kMost) {
      throw std::bad_alloc();
    }
    return new std::byte[static_cast<std::size_t>(bytes)];
  }

  // Leaves in pending_ how many tokens each sequence would get.
  kv_status check_room(std::size_t layer, std::size_t count, const std::int32_t* sequences) {
    kv_status status = KV_OK;
    std::size_t new_pages = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t sequence = as_size(sequences[i]);
      const std::size_t token = length(layer, sequence) + pending_[sequence]++;
      if (token >= shape_.capacity) {
        status = KV_CAPACITY;
      }
      if (shape_.paged() && token >= pool_.slots_held(sequence) && token % shape_.page_size == 0) {
        ++new_pages;
      }
    }
    return status == KV_OK && new_pages > pool_.free_pages() ? KV_NO_PAGES : status;
  }

  std::byte* row(std::size_t layer, Plane plane, std::size_t sequence, std::size_t head,
                 std::size_t token) const {
    std::size_t index = 0;
    if (shape_.paged()) {
      const std::size_t page = pool_.page_of(sequence, token);
      index = ((page * shape_.layers + layer) * 2 + plane) * shape_.kv_heads + head;
      index = index * shape_.page_size + token % shape_.page_size;
    } else {
      index = ((layer * 2 + plane) * shape_.batch + sequence) * shape_.kv_heads + head;
      index = index * shape_.capacity + token;
    }
    return bytes_.get() + index * format_.bytes();
  }

  CacheShape shape_;
  RowFormat format_;
  std::unique_ptr<std::byte[]> bytes_;
  std::vector<std::uint32_t> lengths_;  // [layer][sequence]
  std::vector<std::uint32_t> pending_;  // zero between calls
  PagePool pool_;
};

#endif  // KV_CACHE_H_
