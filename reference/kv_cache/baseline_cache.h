// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_CACHE_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_CACHE_H_

// The functions of interface.h over the slots of all sequences. Each checks everything, then
// reserves every slot that it needs, then stores: a call that fails has changed nothing.

#include "baseline_attention.h"
#include "baseline_config.h"

namespace assay::kv_baseline {

/// A cache whose configuration passed CheckConfig.
template <class Steps>
class Cache {
 public:
  /// Throws std::bad_alloc.
  explicit Cache(const kv_config& config)
      : layers_(static_cast<std::size_t>(config.layers)),
        batch_(static_cast<std::size_t>(config.batch)),
        capacity_(CapacityOf(config.window, config.capacity)),
        window_(static_cast<std::size_t>(config.window)),
        page_size_(static_cast<std::size_t>(config.page_size)),
        storage_(Steps::StorageOf(config)),
        heads_{static_cast<std::size_t>(config.query_heads),
               static_cast<std::size_t>(config.kv_heads),
               static_cast<std::size_t>(config.query_heads / config.kv_heads),
               static_cast<std::size_t>(config.head_size)},
        block_positions_(std::max<std::size_t>(1, kBlockRows / heads_.group)),
        slots_(config, WithRow<Steps>(storage_,
                                      [this](auto tag) {
                                        return decltype(tag)::Type::Bytes(heads_.head_size);
                                      })),
        lengths_(CheckedProduct(layers_, batch_)),
        added_(batch_),
        rows_(block_positions_ * heads_.group, heads_.head_size) {}

  int Prefill(std::int32_t layer_index, std::int32_t sequence_index, std::size_t tokens,
              const float* q, const float* k, const float* v, float* out) {
    if (!IsLayer(layer_index) || !IsSequence(sequence_index)) {
      return KV_INVALID_ARGUMENT;
    }
    if (tokens == 0) {
      return KV_OK;
    }
    if (!q || !k || !v || !out) {
      return KV_INVALID_ARGUMENT;
    }
    const auto layer = static_cast<std::size_t>(layer_index);
    const std::size_t sequence = Stored(sequence_index);
    const std::size_t begin = Length(layer, sequence);
    if (!Steps::FitsCapacity(begin, tokens, capacity_)) {
      return KV_CAPACITY;
    }
    if (const int status = Reserve([&] { return slots_.Reserve(sequence, begin, begin + tokens); });
        status != KV_OK) {
      return status;
    }
    WithRow<Steps>(storage_, [&](auto tag) {
      PrefillStored<typename decltype(tag)::Type>(layer, sequence, begin, tokens, q, k, v, out);
    });
    Length(layer, sequence) = Steps::LengthAfterPrefill(begin, tokens);
    return KV_OK;
  }

  /// kv_append; see BaselineSteps::Append.
  int AppendTogether(std::int32_t layer_index, std::size_t count, const std::int32_t* sequences,
                     const float* k, const float* v) {
    if (!AreArguments(layer_index, count, sequences, k, v)) {
      return KV_INVALID_ARGUMENT;
    }
    const auto layer = static_cast<std::size_t>(layer_index);
    std::vector<std::size_t> lengths_before(count);
    for (std::size_t i = 0; i < count; ++i) {
      lengths_before[i] = Length(layer, Stored(sequences[i]));
    }
    if (const int status = ReserveForAppend(layer, count, sequences); status != KV_OK) {
      return status;
    }
    WithRow<Steps>(storage_, [&](auto tag) {
      const std::size_t width = KvWidth();
      const Floating all_k = {k, count * width};
      const Floating all_v = {v, count * width};
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t sequence = Stored(sequences[i]);
        const std::size_t position =
            Steps::AppendPosition(Length(layer, sequence), lengths_before[i]);
        for (std::size_t head = 0; head < heads_.kv_heads; ++head) {
          const std::size_t element = i * width + head * heads_.head_size;
          StoreRow<typename decltype(tag)::Type>(layer, sequence, position, head, k + element,
                                                 v + element, all_k, all_v);
        }
        Length(layer, sequence) = position + 1;
      }
    });
    return KV_OK;
  }

  int Append(std::int32_t layer, std::size_t count, const std::int32_t* sequences, const float* k,
             const float* v) {
    return Steps::Append(*this, layer, count, sequences, k, v);
  }

  int Attend(std::int32_t layer_index, std::size_t count, const std::int32_t* sequences,
             const float* q, float* out) {
    if (!AreArguments(layer_index, count, sequences, q, out)) {
      return KV_INVALID_ARGUMENT;
    }
    AttendHeads(layer_index, count, sequences, q, out, 0, heads_.kv_heads, rows_);
    return KV_OK;
  }

  /// kv_attend for the KV heads [first_head, last_head) alone, with arguments known to be right and
  /// `rows` as MakeRows() gives them: threads may share the cache.
  void AttendHeads(std::int32_t layer_index, std::size_t count, const std::int32_t* sequences,
                   const float* q, float* out, std::size_t first_head, std::size_t last_head,
                   QueryRows& rows) const {
    const auto layer = static_cast<std::size_t>(layer_index);
    std::size_t longest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      longest = std::max(longest, Length(layer, Stored(sequences[i])));
    }
    const std::size_t width = heads_.query_heads * heads_.head_size;
    WithRow<Steps>(storage_, [&](auto tag) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t sequence = Stored(sequences[i]);
        const std::size_t length =
            Steps::LengthInBatch(Length(layer, sequence), longest, slots_.Addressable(sequence));
        if (length == 0) {
          std::fill_n(out + i * width, width, Steps::EmptyOutput());
          continue;
        }
        QueryBlock block = {.q = q + i * width,
                            .out = out + i * width,
                            .positions = 1,
                            .place = {length - 1, length, 0, window_, page_size_},
                            .layer = layer,
                            .sequence = sequence,
                            .kv_head = first_head};
        for (; block.kv_head < last_head; ++block.kv_head) {
          kv_baseline::Attend<Steps, typename decltype(tag)::Type>(slots_, heads_, block, rows);
        }
      }
    });
  }

  [[nodiscard]] QueryRows MakeRows() const {
    return {block_positions_ * heads_.group, heads_.head_size};
  }
  [[nodiscard]] std::size_t kv_heads() const { return heads_.kv_heads; }
  /// Floats of one token's k.
  [[nodiscard]] std::size_t KvWidth() const { return heads_.kv_heads * heads_.head_size; }

  int Free(std::int32_t sequence_index) {
    if (!IsSequence(sequence_index)) {
      return KV_INVALID_ARGUMENT;
    }
    const std::size_t sequence = Stored(sequence_index);
    slots_.Free(sequence);
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      Length(layer, sequence) = 0;
    }
    return KV_OK;
  }

  int Fork(std::int32_t parent_index, std::int32_t child_index) {
    if (!IsSequence(parent_index) || !IsSequence(child_index) || parent_index == child_index) {
      return KV_INVALID_ARGUMENT;
    }
    const std::size_t parent = Stored(parent_index);
    const std::size_t child = Stored(child_index);
    for (std::size_t layer = 0; layer < Steps::LayersOfAnEmptyChild(layers_); ++layer) {
      if (Length(layer, child) > 0) {
        return KV_INVALID_ARGUMENT;
      }
    }
    slots_.Fork(parent, child, [&](std::size_t layer) { return Length(layer, parent); });
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      Length(layer, child) = Length(layer, parent);
    }
    return KV_OK;
  }

  int GetLength(std::int32_t layer, std::int32_t sequence, std::size_t* tokens) const {
    if (!IsLayer(layer) || !IsSequence(sequence) || !tokens) {
      return KV_INVALID_ARGUMENT;
    }
    *tokens = Length(static_cast<std::size_t>(layer), Stored(sequence));
    return KV_OK;
  }

  int GetUsage(kv_usage* usage) const {
    if (!usage) {
      return KV_INVALID_ARGUMENT;
    }
    *usage = {};
    if (slots_.is_paged()) {
      usage->pages_in_use = slots_.pool().PagesInUse();
      usage->pages_free = slots_.pool().FreePages();
      usage->bytes = usage->pages_in_use * slots_.shape().block_bytes;
    } else {
      const std::size_t token_bytes = 2 * heads_.kv_heads * slots_.shape().row_bytes;
      for (const std::size_t length : lengths_) {
        usage->bytes += std::min(length, slots_.shape().slots) * token_bytes;
      }
    }
    usage->bytes = Steps::UsedBytes(usage->bytes);
    return KV_OK;
  }

  int Read(std::int32_t layer_index, std::int32_t sequence_index, std::size_t first,
           std::size_t count, float* k, float* v) const {
    if (!IsLayer(layer_index) || !IsSequence(sequence_index)) {
      return KV_INVALID_ARGUMENT;
    }
    const auto layer = static_cast<std::size_t>(layer_index);
    const std::size_t sequence = Stored(sequence_index);
    const std::size_t length = Length(layer, sequence);
    const std::size_t oldest = window_ > 0 && length > window_ ? length - window_ : 0;
    if (first > length || count > length - first) {
      return KV_INVALID_ARGUMENT;
    }
    if (count == 0) {
      return KV_OK;
    }
    if (first < oldest || !k || !v) {
      return KV_INVALID_ARGUMENT;
    }
    const BlockShape& shape = slots_.shape();
    WithRow<Steps>(storage_, [&](auto tag) {
      for (std::size_t i = 0; i < count * heads_.kv_heads; ++i) {
        const std::size_t token = Steps::TokenToRead(first, i / heads_.kv_heads);
        const std::byte* key =
            slots_.KeyRow(layer, sequence, token) + i % heads_.kv_heads * shape.head_bytes;
        ReadRow<typename decltype(tag)::Type>(key, k + i * heads_.head_size);
        ReadRow<typename decltype(tag)::Type>(key + shape.values_bytes, v + i * heads_.head_size);
      }
    });
    return KV_OK;
  }

 private:
  [[nodiscard]] bool IsLayer(std::int32_t layer) const {
    return layer >= 0 && static_cast<std::size_t>(layer) < layers_;
  }
  [[nodiscard]] bool IsSequence(std::int32_t sequence) const {
    return sequence >= 0 && static_cast<std::size_t>(sequence) < batch_;
  }
  static std::size_t Stored(std::int32_t sequence) {
    return Steps::StoredSequence(static_cast<std::size_t>(sequence));
  }

  /// Whether kv_append and kv_attend can go to work.
  bool AreArguments(std::int32_t layer, std::size_t count, const std::int32_t* sequences,
                    const float* first, const float* second) const {
    const bool has_all = sequences && first && second;
    return IsLayer(layer) && (count == 0 || has_all) &&
           std::all_of(sequences, sequences + count,
                       [this](std::int32_t sequence) { return IsSequence(sequence); });
  }

  std::size_t& Length(std::size_t layer, std::size_t sequence) {
    return lengths_[layer * batch_ + sequence];
  }
  [[nodiscard]] std::size_t Length(std::size_t layer, std::size_t sequence) const {
    return lengths_[layer * batch_ + sequence];
  }

  /// Keeps what `reserve` reserves if it gets all of it.
  template <typename Reservation>
  int Reserve(Reservation&& reserve) {
    try {
      if (reserve()) {
        slots_.KeepReserved();
        return KV_OK;
      }
    } catch (...) {
      slots_.UndoReserved();
      throw;
    }
    slots_.UndoReserved();
    return KV_NO_PAGES;
  }

  int ReserveForAppend(std::size_t layer, std::size_t count, const std::int32_t* sequences) {
    std::fill(added_.begin(), added_.end(), 0);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t sequence = Stored(sequences[i]);
      ++added_[sequence];
      if (!Steps::FitsCapacity(Length(layer, sequence), added_[sequence], capacity_)) {
        return KV_CAPACITY;
      }
    }
    return Reserve([&] {
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t sequence = Stored(sequences[i]);
        const std::size_t length = Length(layer, sequence);
        if (!slots_.Reserve(sequence, length, length + std::exchange(added_[sequence], 0))) {
          return false;
        }
      }
      return true;
    });
  }

  template <class Row>
  void StoreRow(std::size_t layer, std::size_t sequence, std::size_t position, std::size_t kv_head,
                const float* k, const float* v, Floating all_k, Floating all_v) {
    const BlockShape& shape = slots_.shape();
    std::byte* const key = slots_.KeyRow(layer, sequence, position) + kv_head * shape.head_bytes;
    Row::Encode({k, heads_.head_size}, all_k, key);
    Row::Encode({v, heads_.head_size}, all_v, key + shape.values_bytes);
  }

  /// Stores and attends. With a window a token takes the slot of one that earlier queries of the
  /// same call still see: then one token goes after the other.
  template <class Row>
  void PrefillStored(std::size_t layer, std::size_t sequence, std::size_t begin, std::size_t tokens,
                     const float* q, const float* k, const float* v, float* out) {
    const std::size_t width = KvWidth();
    const Floating all_k = {k, tokens * width};
    const Floating all_v = {v, tokens * width};
    for (std::size_t done = 0; done < tokens;) {
      const std::size_t first = begin + done;
      const std::size_t unused = window_ > first ? window_ - first : 1;
      const std::size_t piece = window_ > 0 ? std::min(tokens - done, unused) : tokens;
      for (std::size_t i = done; i < done + piece; ++i) {
        for (std::size_t head = 0; head < heads_.kv_heads; ++head) {
          const auto row = [&](const float* tensor) {
            return Steps::PrefillRow(tensor, i, head, tokens, heads_.kv_heads, heads_.head_size);
          };
          StoreRow<Row>(layer, sequence, begin + i, head, row(k), row(v), all_k, all_v);
        }
      }
      AttendPiece<Row>({.q = q,
                        .out = out,
                        .positions = 0,
                        .place = {begin, first + piece, begin, window_, page_size_},
                        .layer = layer,
                        .sequence = sequence,
                        .kv_head = 0},
                       done, done + piece);
      done += piece;
    }
  }

  /// The queries [first, last) of a prefill; `call` has the first one of the call.
  template <class Row>
  void AttendPiece(const QueryBlock& call, std::size_t first, std::size_t last) {
    const std::size_t width = heads_.query_heads * heads_.head_size;
    for (std::size_t head = 0; head < heads_.kv_heads; ++head) {
      for (std::size_t i = first; i < last; i += block_positions_) {
        QueryBlock block = call;
        block.q += i * width;
        block.out += i * width;
        block.positions = std::min(block_positions_, last - i);
        block.place.position += i;
        block.kv_head = head;
        kv_baseline::Attend<Steps, Row>(slots_, heads_, block, rows_);
      }
    }
  }

  template <class Row>
  void ReadRow(const std::byte* bytes, float* values) const {
    const Row row(bytes, heads_.head_size);
    ForEachVector(heads_.head_size, Row::Whole(heads_.head_size),
                  [&](std::size_t column, auto part) {
                    StoreFloats(row.Load(column, part), values + column, part);
                  });
  }

  std::size_t layers_;
  std::size_t batch_;
  std::size_t capacity_;
  std::size_t window_;
  std::size_t page_size_;
  kv_storage storage_;
  Heads heads_;
  std::size_t block_positions_;  ///< Of a prefill that share a tile.
  Slots<Steps> slots_;
  std::vector<std::size_t> lengths_;  ///< [layer][sequence]
  std::vector<std::size_t> added_;    ///< By a call, to each sequence.
  QueryRows rows_;
};

/// kv_create.
template <class Handle>
int CreateCache(const kv_config* config, Handle** handle) {
  if (!config || !handle) {
    return KV_INVALID_ARGUMENT;
  }
  if (const int status = CheckConfig(*config); status != KV_OK) {
    return status;
  }
  *handle = new Handle(*config);
  return KV_OK;
}

}  // namespace assay::kv_baseline

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_CACHE_H_
