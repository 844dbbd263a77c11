// SPDX-License-Identifier: Apache-2.0
#ifndef PLAIN_KV_H_
#define PLAIN_KV_H_

// A right and plain implementation that controls are made of: each derives from plain::Cache,
// spoils one thing and is exported by plain_export.h. It is copied beside a control's own sources
// before the control is graded, since a submission sees no files but its own.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <vector>

#include "interface.h"
#include "plain_storage.h"

namespace plain {

enum class Part { kKey, kValue };

/// The sum of eight strands, which a compiler may compute side by side.
inline double Dot(const float* a, const float* b, std::size_t size) {
  std::array<double, 8> strands = {};
  std::size_t i = 0;
  for (; i + strands.size() <= size; i += strands.size()) {
    for (std::size_t lane = 0; lane < strands.size(); ++lane) {
      strands[lane] += static_cast<double>(a[i + lane]) * b[i + lane];
    }
  }
  double sum = 0;
  for (; i < size; ++i) sum += static_cast<double>(a[i]) * b[i];
  for (const double strand : strands) sum += strand;
  return sum;
}

/// What is where. A copy of it, put back, undoes all that was stored since.
struct Books {
  std::vector<std::size_t> lengths;              ///< Of each sequence in each layer.
  std::vector<std::vector<std::size_t>> tables;  ///< The pages of each sequence.
  std::vector<int> owners;                       ///< Of each page, the sequences that have it.
  std::vector<std::size_t> free_pages;
};

class Cache {
 public:
  static constexpr int kCapabilities = KV_CAN_GQA | KV_CAN_MQA | KV_CAN_F16 | KV_CAN_INT8 |
                                       KV_CAN_INT4 | KV_CAN_PAGED | KV_CAN_CHUNKED | KV_CAN_HYBRID |
                                       KV_CAN_FORK | KV_CAN_WINDOW;

  /// What kv_create answers before it makes anything.
  static int Check(const kv_config& c) {
    for (const int positive :
         {c.layers, c.query_heads, c.kv_heads, c.head_size, c.batch, c.capacity}) {
      if (positive < 1) return KV_INVALID_ARGUMENT;
    }
    const bool half_paged = (c.page_size == 0) != (c.pages == 0);
    if (c.page_size < 0 || c.pages < 0 || c.window < 0 || half_paged || c.window > c.capacity ||
        c.query_heads % c.kv_heads != 0 || c.storage < KV_F32 || c.storage > KV_INT4) {
      return KV_INVALID_ARGUMENT;
    }
    const bool rolling_pages = c.window > 0 && c.page_size > 0;
    return c.head_size > 256 || rolling_pages ? KV_UNSUPPORTED : KV_OK;
  }

  explicit Cache(const kv_config& config)
      : config_(config),
        storage_(config.storage, Size(config.head_size)),
        token_bytes_(2 * Size(config.kv_heads) * storage_.Bytes()),
        memory_(static_cast<double>(config.page_size > 0 ? config.pages : config.batch) *
                static_cast<double>(Slots()) * config.layers * static_cast<double>(token_bytes_)) {
    books_.lengths.resize(Size(config.layers) * Size(config.batch));
    books_.tables.resize(Size(config.batch));
    books_.owners.resize(Size(config.pages));
    books_.free_pages.resize(Size(config.pages));
    std::iota(books_.free_pages.rbegin(), books_.free_pages.rend(), std::size_t{0});
  }
  virtual ~Cache() = default;
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  virtual int Prefill(int layer, int sequence, std::size_t tokens, const float* q, const float* k,
                      const float* v, float* out) {
    if (!IsThere(layer, sequence)) return KV_INVALID_ARGUMENT;
    if (tokens > Room(layer, sequence)) return KV_CAPACITY;
    const Books before = books_;
    for (std::size_t i = 0; i < tokens; ++i) {
      if (!Extend(layer, sequence)) {
        books_ = before;
        return KV_NO_PAGES;
      }
      Store(layer, sequence, k + i * TokenSize(), v + i * TokenSize());
      Output(layer, sequence, q + i * QuerySize(), out + i * QuerySize());
    }
    return KV_OK;
  }

  virtual int Append(int layer, std::size_t count, const std::int32_t* sequences, const float* k,
                     const float* v) {
    std::vector<std::size_t> added(Size(config_.batch));
    for (std::size_t i = 0; i < count; ++i) {
      if (!IsThere(layer, sequences[i])) return KV_INVALID_ARGUMENT;
      ++added[Size(sequences[i])];
    }
    if (!IsThere(layer, 0)) return KV_INVALID_ARGUMENT;
    for (int sequence = 0; sequence < config_.batch; ++sequence) {
      if (added[Size(sequence)] > Room(layer, sequence)) return KV_CAPACITY;
    }
    const Books before = books_;
    for (std::size_t i = 0; i < count; ++i) {
      if (!Extend(layer, sequences[i])) {
        books_ = before;
        return KV_NO_PAGES;
      }
      Store(layer, sequences[i], k + i * TokenSize(), v + i * TokenSize());
    }
    return KV_OK;
  }

  virtual int Attend(int layer, std::size_t count, const std::int32_t* sequences, const float* q,
                     float* out) {
    if (!IsThere(layer, 0)) return KV_INVALID_ARGUMENT;
    for (std::size_t i = 0; i < count; ++i) {
      if (!IsThere(layer, sequences[i])) return KV_INVALID_ARGUMENT;
    }
    for (std::size_t i = 0; i < count; ++i) {
      Output(layer, sequences[i], q + i * QuerySize(), out + i * QuerySize());
    }
    return KV_OK;
  }

  virtual int Free(int sequence) {
    if (!IsThere(0, sequence)) return KV_INVALID_ARGUMENT;
    for (int layer = 0; layer < config_.layers; ++layer) Length(layer, sequence) = 0;
    std::vector<std::size_t>& table = books_.tables[Size(sequence)];
    for (const std::size_t page : table) Drop(page);
    table.clear();
    return KV_OK;
  }

  virtual int Fork(int parent, int child) {
    if (!IsThere(0, parent) || !IsThere(0, child) || parent == child) return KV_INVALID_ARGUMENT;
    for (int layer = 0; layer < config_.layers; ++layer) {
      if (Length(layer, child) != 0) return KV_INVALID_ARGUMENT;
    }
    books_.tables[Size(child)] = books_.tables[Size(parent)];
    for (const std::size_t page : books_.tables[Size(child)]) ++books_.owners[page];
    for (int layer = 0; layer < config_.layers; ++layer) {
      Length(layer, child) = Length(layer, parent);
      if (!IsPaged()) {
        std::memcpy(Slot(layer, child, 0), Slot(layer, parent, 0),
                    std::min(Length(layer, parent), Slots()) * token_bytes_);
      }
    }
    return KV_OK;
  }

  virtual int GetLength(int layer, int sequence, std::size_t* tokens) const {
    if (!IsThere(layer, sequence)) return KV_INVALID_ARGUMENT;
    *tokens = Length(layer, sequence);
    return KV_OK;
  }

  virtual int GetUsage(kv_usage* usage) const {
    *usage = {};
    usage->pages_free = books_.free_pages.size();
    usage->pages_in_use = books_.owners.size() - books_.free_pages.size();
    std::size_t tokens = usage->pages_in_use * Slots() * Size(config_.layers);
    if (!IsPaged()) {
      for (const std::size_t length : books_.lengths) tokens += std::min(length, Slots());
    }
    usage->bytes = tokens * token_bytes_;
    return KV_OK;
  }

  virtual int Read(int layer, int sequence, std::size_t first, std::size_t count, float* k,
                   float* v) const {
    if (!IsThere(layer, sequence)) return KV_INVALID_ARGUMENT;
    const std::size_t length = Length(layer, sequence);
    if (first > length || count > length - first || (count > 0 && first < FirstKept(length))) {
      return KV_INVALID_ARGUMENT;
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (int head = 0; head < config_.kv_heads; ++head) {
        const std::size_t at = i * TokenSize() + Size(head) * Size(config_.head_size);
        Load(layer, sequence, first + i, Part::kKey, head, k + at);
        Load(layer, sequence, first + i, Part::kValue, head, v + at);
      }
    }
    return KV_OK;
  }

 protected:
  static std::size_t Size(int count) { return static_cast<std::size_t>(count); }

  /// Keeps the newest token of the sequence, of which Extend() has counted it.
  virtual void Store(int layer, int sequence, const float* k, const float* v) {
    const std::size_t vector_bytes = storage_.Bytes();
    std::byte* to = Slot(layer, sequence, Length(layer, sequence) - 1);
    for (const float* part : {k, v}) {
      for (int head = 0; head < config_.kv_heads; ++head, to += vector_bytes) {
        storage_.Store(part + Size(head) * Size(config_.head_size), to);
      }
    }
  }

  /// One head of one token, as it is stored.
  virtual void Load(int layer, int sequence, std::size_t position, Part part, int head,
                    float* x) const {
    const int vector = head + (part == Part::kValue ? config_.kv_heads : 0);
    storage_.Load(Slot(layer, sequence, position) + Size(vector) * storage_.Bytes(), x);
  }

  /// One head of one token, as attention sees it.
  virtual void See(int layer, int sequence, std::size_t position, Part part, int head,
                   float* x) const {
    Load(layer, sequence, position, part, head, x);
  }

  /// The oldest token that a query sees after so many tokens.
  virtual std::size_t FirstSeen(std::size_t length) const { return FirstKept(length); }

  /// The output of one query at the newest token of the sequence.
  virtual void Output(int layer, int sequence, const float* q, float* out) const {
    const std::size_t group = QuerySize() / TokenSize();
    for (int head = 0; head < config_.kv_heads; ++head) {
      const std::size_t at = Size(head) * group * Size(config_.head_size);
      OutputOfGroup(layer, sequence, head, q + at, out + at);
    }
  }

  /// The output of all query heads that read the KV head `head`, in one walk over the tokens.
  void OutputOfGroup(int layer, int sequence, int head, const float* q, float* out) const {
    const std::size_t size = Size(config_.head_size);
    const std::size_t group = QuerySize() / TokenSize();
    const std::size_t length = Length(layer, sequence);
    std::vector<float> key(size);
    std::vector<float> value(size);
    std::vector<double> largest(group, -std::numeric_limits<double>::infinity());
    std::vector<double> weights(group);
    std::vector<double> sums(group * size);
    for (std::size_t j = FirstSeen(length); j < length; ++j) {
      See(layer, sequence, j, Part::kKey, head, key.data());
      See(layer, sequence, j, Part::kValue, head, value.data());
      for (std::size_t h = 0; h < group; ++h) {
        const double score =
            Dot(q + h * size, key.data(), size) / std::sqrt(static_cast<double>(size));
        double* sum = &sums[h * size];
        if (score > largest[h]) {
          const double shrink = std::exp(largest[h] - score);
          largest[h] = score;
          weights[h] *= shrink;
          for (std::size_t i = 0; i < size; ++i) sum[i] *= shrink;
        }
        const double weight = std::exp(score - largest[h]);
        weights[h] += weight;
        for (std::size_t i = 0; i < size; ++i) sum[i] += weight * value[i];
      }
    }
    for (std::size_t i = 0; i < group * size; ++i) {
      out[i] = length == 0 ? 0 : static_cast<float>(sums[i] / weights[i / size]);
    }
  }

  bool IsThere(int layer, int sequence) const {
    return layer >= 0 && layer < config_.layers && sequence >= 0 && sequence < config_.batch;
  }
  bool IsPaged() const { return config_.page_size > 0; }
  std::size_t QuerySize() const { return Size(config_.query_heads) * Size(config_.head_size); }
  std::size_t TokenSize() const { return Size(config_.kv_heads) * Size(config_.head_size); }

  std::size_t& Length(int layer, int sequence) {
    return books_.lengths[Size(layer) * Size(config_.batch) + Size(sequence)];
  }
  std::size_t Length(int layer, int sequence) const {
    return books_.lengths[Size(layer) * Size(config_.batch) + Size(sequence)];
  }
  std::size_t FirstKept(std::size_t length) const {
    const std::size_t window = config_.window > 0 ? Size(config_.window) : length;
    return length - std::min(length, window);
  }
  /// With a window old tokens make room, and there is no end.
  std::size_t Room(int layer, int sequence) const {
    if (config_.window > 0) return std::numeric_limits<std::size_t>::max();
    return Size(config_.capacity) - Length(layer, sequence);
  }

  /// Tokens of a page; when contiguous, of a sequence, whose slots are used in turn.
  std::size_t Slots() const {
    if (IsPaged()) return Size(config_.page_size);
    return Size(config_.window > 0 ? config_.window : config_.capacity);
  }
  std::byte* Slot(int layer, int sequence, std::size_t position) const {
    const std::size_t page =
        IsPaged() ? books_.tables[Size(sequence)][position / Slots()] : Size(sequence);
    return PageOf(page) + (Size(layer) * Slots() + position % Slots()) * token_bytes_;
  }
  std::byte* PageOf(std::size_t page) const { return memory_.begin() + page * PageBytes(); }
  std::size_t PageBytes() const { return Size(config_.layers) * Slots() * token_bytes_; }

  /// Makes the sequence one token longer in that layer, with a slot of its own for it. False when
  /// there is no page for that.
  virtual bool Extend(int layer, int sequence) {
    std::size_t& length = Length(layer, sequence);
    if (IsPaged()) {
      std::vector<std::size_t>& table = books_.tables[Size(sequence)];
      const std::size_t index = length / Slots();
      const bool is_new = index == table.size();
      if (is_new || books_.owners[table[index]] > 1) {
        if (books_.free_pages.empty()) return false;
        const std::size_t page = books_.free_pages.back();
        books_.free_pages.pop_back();
        books_.owners[page] = 1;
        if (is_new) {
          table.push_back(page);
        } else {
          std::memcpy(PageOf(page), PageOf(table[index]), PageBytes());
          Drop(table[index]);
          table[index] = page;
        }
      }
    }
    ++length;
    return true;
  }

  void Drop(std::size_t page) {
    if (--books_.owners[page] == 0) books_.free_pages.push_back(page);
  }

  kv_config config_;
  Storage storage_;
  std::size_t token_bytes_;  ///< Of one token in one layer.
  Memory memory_;
  Books books_;
};

/// kv_create for a complete kv_cache, or whatever else is made from a configuration.
template <class Handle>
int Create(const kv_config* config, Handle** cache) {
  if (config == nullptr || cache == nullptr) return KV_INVALID_ARGUMENT;
  if (const int status = Handle::Check(*config); status != KV_OK) return status;
  try {
    *cache = new Handle(*config);
    return KV_OK;
  } catch (const std::bad_alloc&) {
    return KV_OUT_OF_MEMORY;
  }
}

}  // namespace plain

#endif  // PLAIN_KV_H_
