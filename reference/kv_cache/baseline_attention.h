// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_ATTENTION_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_ATTENTION_H_

// Attention of a block of queries over the tokens of one KV head, tile by tile, each token read
// once for the whole block: all query heads of a group, and in a prefill some neighbouring
// positions. Nothing is as long as the sequence.

#include "baseline_tiles.h"

namespace assay::kv_baseline {

/// Query rows that one reading of a tile serves, unless a group has more.
inline constexpr std::size_t kBlockRows = 64;
/// Tokens of a tile that several register blocks of rows read: small enough for the caches next to
/// the core.
inline constexpr std::size_t kSharedTileTokens = 64;
/// Places of a tile from which a decode step reads in turn, and how many tokens ahead it asks.
inline constexpr std::size_t kStreams = 4;
inline constexpr std::size_t kTokensAhead = 24;

/// Queries of neighbouring positions of one sequence, and the KV head that they read.
struct QueryBlock {
  const float* q;  ///< Of the first position: [positions][query_heads][head_size].
  float* out;
  std::size_t positions;
  QueryPlace place;  ///< Of the first position.
  std::size_t layer;
  std::size_t sequence;
  std::size_t kv_head;
};

/// The heads of a cache.
struct Heads {
  std::size_t query_heads;
  std::size_t kv_heads;
  std::size_t group;  ///< Query heads of a KV head.
  std::size_t head_size;
};

template <class Steps>
inline std::size_t ElementsBefore(const Heads& heads, const QueryBlock& block, std::size_t row) {
  const std::size_t head =
      Steps::QueryHead(block.kv_head, row % heads.group, heads.group, heads.kv_heads);
  return (row / heads.group * heads.query_heads + head) * heads.head_size;
}

template <class Steps>
inline TokenRange VisibleAt(const QueryBlock& block, std::size_t offset) {
  QueryPlace place = block.place;
  place.position += offset;
  return Steps::VisibleTokens(place);
}

/// The part of a tile, whose first token is `tile_first`, that one position sees.
template <class Steps>
inline Tile Narrowed(const Tile& tile, std::size_t tile_first, const TokenRange& visible) {
  const std::size_t begin = std::max(visible.first, tile_first) - tile_first;
  const std::size_t end =
      std::max(std::min(visible.last, tile_first + tile.seen) - tile_first, begin);
  Tile narrowed = tile;
  narrowed.keys += begin;
  narrowed.seen = end - begin;
  narrowed.weighed = Steps::WeighedTokens(narrowed.seen, tile.weighed - begin);
  return narrowed;
}

/// Lets all rows of a block see the tile of tokens [first, first + tile.seen): together where every
/// position sees all of it, else each position the part that it sees. No weight of 0 hides a token:
/// 0 times NaN is NaN.
template <class Steps, class Row>
inline void SeeTileCausally(const QueryBlock& block, const Heads& heads, const Tile& tile,
                            std::size_t first, QueryRows& rows) {
  bool is_whole = true;
  for (std::size_t offset = 0; offset < block.positions; ++offset) {
    const TokenRange visible = VisibleAt<Steps>(block, offset);
    is_whole = is_whole && visible.first <= first && first + tile.seen <= visible.last;
  }
  if (is_whole) {
    SeeTile<Steps, Row>(tile, heads.head_size, 0, block.positions * heads.group, rows);
    return;
  }
  for (std::size_t offset = 0; offset < block.positions; ++offset) {
    const TokenRange visible = VisibleAt<Steps>(block, offset);
    if (visible.first < first + tile.seen && first < visible.last) {
      SeeTile<Steps, Row>(Narrowed<Steps>(tile, first, visible), heads.head_size,
                          offset * heads.group, (offset + 1) * heads.group, rows);
    }
  }
}

/// Puts tokens into an order that takes one of each quarter in turn: a processor fetches ahead
/// along each of several places in memory farther than along one.
inline void Interleave(const std::byte** keys, std::size_t count) {
  const std::byte* in_order[kTileTokens];
  std::copy_n(keys, count, in_order);
  const std::size_t quarter = count / kStreams;
  for (std::size_t i = 0; i < quarter * kStreams; ++i) {
    keys[i] = in_order[i % kStreams * quarter + i / kStreams];
  }
}

template <class Steps>
inline void TakeQueries(const Heads& heads, const QueryBlock& block, QueryRows& rows) {
  for (std::size_t row = 0; row < block.positions * heads.group; ++row) {
    std::copy_n(block.q + ElementsBefore<Steps>(heads, block, row), heads.head_size,
                rows.Query(row));
    std::fill_n(rows.Sums(row), rows.stride(), 0.0F);
    Steps::Clear(rows.Largest(row), rows.WeightSum(row));
  }
}

template <class Steps>
inline void GiveOutputs(const Heads& heads, const QueryBlock& block, QueryRows& rows) {
  for (std::size_t row = 0; row < block.positions * heads.group; ++row) {
    const Vector inverse = hn::Set(Floats(), 1 / rows.WeightSum(row));
    float* const out = block.out + ElementsBefore<Steps>(heads, block, row);
    const float* const sums = rows.Sums(row);
    ForEachVector(
        heads.head_size, WholeVectors(heads.head_size), [&](std::size_t column, auto part) {
          StoreFloats(hn::Mul(hn::Load(Floats(), sums + column), inverse), out + column, part);
        });
  }
}

/// Computes the outputs of a block.
template <class Steps, class Row>
inline void Attend(const Slots<Steps>& slots, const Heads& heads, const QueryBlock& block,
                   QueryRows& rows) {
  TakeQueries<Steps>(heads, block, rows);
  TokenRange all = VisibleAt<Steps>(block, 0);
  for (std::size_t offset = 1; offset < block.positions; ++offset) {
    const TokenRange visible = VisibleAt<Steps>(block, offset);
    all = {std::min(all.first, visible.first), std::max(all.last, visible.last)};
  }
  const bool is_decode = block.positions == 1;
  const bool is_read_once = is_decode && heads.group <= kRegisterRows;
  const std::size_t most = is_read_once ? kTileTokens : kSharedTileTokens;
  const std::byte* keys[kTileTokens];
  for (std::size_t first = all.first; first < all.last; first += most) {
    const std::size_t seen = std::min(most, all.last - first);
    const std::size_t room =
        std::min(most, std::max(slots.Addressable(block.sequence), first + seen) - first);
    const Tile tile = {.keys = keys,
                       .row_bytes = slots.shape().row_bytes,
                       .values_bytes = slots.shape().values_bytes,
                       .seen = seen,
                       .weighed = Steps::WeighedTokens(seen, room),
                       .ahead = is_decode ? kTokensAhead : 0,
                       .reading = is_read_once ? Reading::kOnce : Reading::kRepeated};
    slots.FindKeyRows(block.layer, block.sequence, block.kv_head, first, tile.weighed, keys);
    if (is_decode) {
      Interleave(keys, seen);
    }
    SeeTileCausally<Steps, Row>(block, heads, tile, first, rows);
  }
  GiveOutputs<Steps>(heads, block, rows);
}

}  // namespace assay::kv_baseline

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_ATTENTION_H_
