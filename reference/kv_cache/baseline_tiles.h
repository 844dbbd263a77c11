// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_TILES_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_TILES_H_

// What some query rows do with a tile of tokens: scores, weights, and their share of the sums,
// which are rescaled where a tile raises the largest score (Milakov and Gimelshein,
// arXiv:1805.02867; Dao, arXiv:2307.08691).

#include "baseline_pages.h"

namespace assay::kv_baseline {

/// Most tokens of a tile: keys and values of 128 floats take 512 KiB, half of a second-level cache.
inline constexpr std::size_t kTileTokens = 512;
/// Query rows that registers hold at once, and tokens or vectors beside each.
inline constexpr std::size_t kRegisterRows = 4;
inline constexpr std::size_t kRegisterTokens = 4;
inline constexpr std::size_t kRegisterVectors = 4;
/// So many tokens' values are visited again and again before the next ones: they stay in the
/// first-level cache.
inline constexpr std::size_t kVisitedTogether = 16;

inline std::size_t RoundUp(std::size_t count, std::size_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// Floats, zero at first, aligned to a vector.
class AlignedFloats {
 public:
  explicit AlignedFloats(std::size_t count) : blocks_(RoundUp(count, kLanes) / kLanes) {}
  float* data() { return blocks_.data()->lanes; }

 private:
  struct alignas(kLanes * sizeof(float)) Block {
    float lanes[kLanes];
  };
  std::vector<Block> blocks_;
};

/// How often the rows of a tile are read, as far as memory is concerned.
enum class Reading {
  kOnce,      ///< By one block of registers: no cache has to keep them.
  kRepeated,  ///< By several.
};

/// The rows of some tokens of one KV head, in any order.
struct Tile {
  const std::byte* const* keys;
  std::size_t row_bytes;
  std::size_t values_bytes;  ///< From a key to its value.
  std::size_t seen;
  std::size_t weighed;  ///< `seen`, unless a mutant looks behind it.
  std::size_t ahead;    ///< So many tokens early a row is asked for; 0: never.
  Reading reading;

  // Inlined always: a call would spill the registers full of sums.

  /// Asks for the key `ahead` tokens after that of token t, or for a value when there is none.
  HWY_INLINE void AskForKeyAfter(std::size_t t) const {
    if (ahead == 0) {
      return;
    }
    if (t + ahead < seen) {
      AskFor(keys[t + ahead]);
    } else if (t + ahead < 2 * seen) {
      AskFor(keys[t + ahead - seen] + values_bytes);
    }
  }

  HWY_INLINE void AskForValueAfter(std::size_t t) const {
    if (ahead > 0 && t + ahead < seen) {
      AskFor(keys[t + ahead] + values_bytes);
    }
  }

 private:
  HWY_INLINE void AskFor(const std::byte* row) const {
    constexpr std::size_t kLine_bytes = 64;
    for (std::size_t byte = 0; byte < row_bytes; byte += kLine_bytes) {
      if (reading == Reading::kOnce) {
        __builtin_prefetch(row + byte, 0, 0);
      } else {
        __builtin_prefetch(row + byte, 0, 3);
      }
    }
  }
};

/// The query rows of one block, and what they have gathered. Rows lie stride() floats apart.
class QueryRows {
 public:
  QueryRows(std::size_t rows, std::size_t head_size)
      : stride_(RoundUp(head_size, kLanes)),
        queries_(rows * stride_),
        sums_(rows * stride_),
        largest_(rows, -std::numeric_limits<float>::infinity()),
        weight_sums_(rows),
        weights_(kRegisterRows * kTileTokens),
        tile_sums_(kRegisterRows * stride_) {}

  [[nodiscard]] std::size_t stride() const { return stride_; }
  float* Query(std::size_t row) { return queries_.data() + row * stride_; }
  float* Sums(std::size_t row) { return sums_.data() + row * stride_; }
  float& Largest(std::size_t row) { return largest_[row]; }
  float& WeightSum(std::size_t row) { return weight_sums_[row]; }
  /// Scores, then weights, of the rows in registers: [kRegisterRows][kTileTokens].
  float* Weights() { return weights_.data(); }
  /// Sums over one tile, of the rows in registers: [kRegisterRows][stride()].
  float* TileSums() { return tile_sums_.data(); }

 private:
  std::size_t stride_;
  AlignedFloats queries_;
  AlignedFloats sums_;
  std::vector<float> largest_;
  std::vector<float> weight_sums_;
  AlignedFloats weights_;
  AlignedFloats tile_sums_;
};

/// The sum of the blocks of 128 bits of a vector.
template <class Tag>
inline auto SumOfBlocks(Tag tag, hn::Vec<Tag> value) {
  if constexpr (hn::MaxLanes(tag) <= 4) {
    return value;
  } else {
    const hn::Half<Tag> half;
    return SumOfBlocks(half, hn::Add(hn::LowerHalf(half, value), hn::UpperHalf(half, value)));
  }
}

inline void StoreSums(const Vector (&values)[1], float scale, float* sums) {
  *sums = scale * hn::GetLane(hn::SumOfLanes(Floats(), values[0]));
}

/// The sums of the lanes of four vectors, added up together: a third of the steps of one by one.
inline void StoreSums(const Vector (&values)[4], float scale, float* sums) {
  const Floats floats;
  const hn::Repartition<double, Floats> pairs;
  const auto add_halves = [&](Vector a, Vector b) {
    return hn::BitCast(
        pairs, hn::Add(hn::InterleaveLower(floats, a, b), hn::InterleaveUpper(floats, a, b)));
  };
  const auto first = add_halves(values[0], values[1]);
  const auto second = add_halves(values[2], values[3]);
  const auto all =
      SumOfBlocks(floats, hn::Add(hn::BitCast(floats, hn::InterleaveLower(pairs, first, second)),
                                  hn::BitCast(floats, hn::InterleaveUpper(pairs, first, second))));
  const hn::CappedTag<float, 4> four;
  hn::StoreU(hn::Mul(all, hn::Set(four, scale)), four, sums);
}

/// Scores of kRows queries against kTokens keys.
template <class Steps, class Row, std::size_t kRows, std::size_t kTokens>
inline void ScoreTokens(const std::byte* const* keys, const float* queries, std::size_t stride,
                        std::size_t head_size, float scale, float* scores) {
  Row rows[kTokens];
  Vector sums[kRows][kTokens];
#pragma GCC unroll 4
  for (std::size_t t = 0; t < kTokens; ++t) {
    rows[t] = Row(keys[t], head_size);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
      sums[r][t] = hn::Zero(Floats());
    }
  }
  const std::size_t columns = Steps::VisitedColumns(head_size);
  ForEachVector(columns, Row::Whole(columns), [&](std::size_t column, auto part) {
    Vector key[kTokens];
#pragma GCC unroll 4
    for (std::size_t t = 0; t < kTokens; ++t) {
      key[t] = Steps::SeenKey(rows[t].Load(column, part));
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
      const Vector query = hn::Load(Floats(), queries + r * stride + column);
#pragma GCC unroll 4
      for (std::size_t t = 0; t < kTokens; ++t) {
        sums[r][t] = hn::MulAdd(query, key[t], sums[r][t]);
      }
    }
  });
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r) {
    StoreSums(sums[r], scale, scores + r * kTileTokens);
  }
}

template <class Steps, class Row, std::size_t kRows>
inline void ScoreTile(const Tile& tile, const float* queries, std::size_t stride,
                      std::size_t head_size, float* scores) {
  const float scale = Steps::ScoreScale(head_size);
  std::size_t t = 0;
  for (; t + kRegisterTokens <= tile.seen; t += kRegisterTokens) {
    for (std::size_t i = 0; i < kRegisterTokens; ++i) {
      tile.AskForKeyAfter(t + i);
    }
    ScoreTokens<Steps, Row, kRows, kRegisterTokens>(tile.keys + t, queries, stride, head_size,
                                                    scale, scores + t);
  }
  for (; t < tile.seen; ++t) {
    ScoreTokens<Steps, Row, kRows, 1>(tile.keys + t, queries, stride, head_size, scale, scores + t);
  }
}

/// Turns the scores of one row into weights. Returns by what older sums have to be multiplied.
template <class Steps>
inline float WeighScores(const Tile& tile, float* scores, float& largest, float& weight_sum) {
  const std::size_t padded = RoundUp(tile.weighed, kLanes);
  std::fill(scores + tile.seen, scores + padded, -std::numeric_limits<float>::infinity());
  Vector tops = hn::Set(Floats(), largest);
  for (std::size_t t = 0; t < padded; t += kLanes) {
    tops = hn::Max(tops, hn::Load(Floats(), scores + t));
  }
  const float raised = Steps::Pivot(hn::GetLane(hn::MaxOfLanes(Floats(), tops)));
  Vector sums = hn::Zero(Floats());
  for (std::size_t t = 0; t < padded; t += kLanes) {
    const Vector score = hn::Load(Floats(), scores + t);
    const Vector weight = hn::Exp(Floats(), hn::Sub(score, hn::Set(Floats(), raised)));
    hn::Store(weight, Floats(), scores + t);
    sums = hn::Add(sums, weight);
  }
  const float rescale = std::exp(largest - raised);
  largest = raised;
  weight_sum = weight_sum * rescale + hn::GetLane(hn::SumOfLanes(Floats(), sums));
  return rescale;
}

/// Which tokens of a tile, and which columns of their values.
struct ValuePart {
  std::size_t first_token;
  std::size_t last_token;
  std::size_t column;
};

/// Adds weighed values to the sums of kRows rows, in kVectors vectors. The first visit of a token
/// asks for later ones.
template <class Row, std::size_t kRows, std::size_t kVectors, class Lanes>
inline void AddValues(const Tile& tile, const ValuePart& part, Lanes lanes, const float* weights,
                      std::size_t head_size, float* sums, std::size_t stride) {
  Vector added[kRows][kVectors];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kVectors; ++i) {
      added[r][i] = hn::Zero(Floats());
    }
  }
  for (std::size_t t = part.first_token; t < part.last_token; ++t) {
    const Row row(tile.keys[t] + tile.values_bytes, head_size);
    if (part.column == 0) {
      tile.AskForValueAfter(t);
    }
    Vector value[kVectors];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kVectors; ++i) {
      value[i] = row.Load(part.column + i * kLanes, lanes);
    }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r) {
      const Vector weight = hn::Set(Floats(), weights[r * kTileTokens + t]);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kVectors; ++i) {
        added[r][i] = hn::MulAdd(weight, value[i], added[r][i]);
      }
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kVectors; ++i) {
      float* const sum = sums + r * stride + part.column + i * kLanes;
      hn::Store(hn::Add(hn::Load(Floats(), sum), added[r][i]), Floats(), sum);
    }
  }
}

/// All columns of the tokens [first, last) for kRows rows.
template <class Row, std::size_t kRows>
inline void AddColumns(const Tile& tile, std::size_t first, std::size_t last, const float* weights,
                       std::size_t head_size, std::size_t columns, float* sums,
                       std::size_t stride) {
  constexpr std::size_t kWide = Row::kVectorsAtOnce;
  constexpr std::size_t kWideRows = std::min(kRows, kRegisterRows * kRegisterVectors / kWide);
  const std::size_t whole = Row::Whole(columns);
  ValuePart part = {first, last, 0};
  for (; part.column + kWide * kLanes <= whole; part.column += kWide * kLanes) {
    for (std::size_t r = 0; r < kRows; r += kWideRows) {
      AddValues<Row, kWideRows, kWide>(tile, part, All(), weights + r * kTileTokens, head_size,
                                       sums + r * stride, stride);
    }
  }
  for (; part.column + kRegisterVectors * kLanes <= whole;
       part.column += kRegisterVectors * kLanes) {
    AddValues<Row, kRows, kRegisterVectors>(tile, part, All(), weights, head_size, sums, stride);
  }
  for (; part.column < whole; part.column += kLanes) {
    AddValues<Row, kRows, 1>(tile, part, All(), weights, head_size, sums, stride);
  }
  for (; part.column < columns; part.column += kLanes) {
    const First lanes = {std::min(kLanes, columns - part.column)};
    AddValues<Row, kRows, 1>(tile, part, lanes, weights, head_size, sums, stride);
  }
}

/// Lets the query rows [first, first + kRows) see a tile.
template <class Steps, class Row, std::size_t kRows>
inline void SeeTileInRegisters(const Tile& tile, std::size_t head_size, std::size_t first,
                               QueryRows& rows) {
  const std::size_t stride = rows.stride();
  float* const weights = rows.Weights();
  float* const tile_sums = rows.TileSums();
  ScoreTile<Steps, Row, kRows>(tile, rows.Query(first), stride, head_size, weights);
  float rescale[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    rescale[r] = WeighScores<Steps>(tile, weights + r * kTileTokens, rows.Largest(first + r),
                                    rows.WeightSum(first + r));
  }
  std::fill_n(tile_sums, kRows * stride, 0.0F);
  for (std::size_t t = 0; t < tile.weighed; t += kVisitedTogether) {
    AddColumns<Row, kRows>(tile, t, std::min(t + kVisitedTogether, tile.weighed), weights,
                           head_size, Steps::VisitedColumns(head_size), tile_sums, stride);
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    float* const sums = rows.Sums(first + r);
    const Vector factor = hn::Set(Floats(), rescale[r]);
    for (std::size_t column = 0; column < stride; column += kLanes) {
      const Vector added = hn::Load(Floats(), tile_sums + r * stride + column);
      hn::Store(hn::MulAdd(hn::Load(Floats(), sums + column), factor, added), Floats(),
                sums + column);
    }
  }
}

/// Lets the query rows [first, last) see a tile.
template <class Steps, class Row>
inline void SeeTile(const Tile& tile, std::size_t head_size, std::size_t first, std::size_t last,
                    QueryRows& rows) {
  Tile again = tile;
  for (; first + kRegisterRows <= last; first += kRegisterRows) {
    SeeTileInRegisters<Steps, Row, kRegisterRows>(again, head_size, first, rows);
    again.ahead = 0;  // From now on it is in cache.
  }
  if (first + 2 <= last) {
    SeeTileInRegisters<Steps, Row, 2>(again, head_size, first, rows);
    again.ahead = 0;
    first += 2;
  }
  if (first < last) {
    SeeTileInRegisters<Steps, Row, 1>(again, head_size, first, rows);
  }
}

}  // namespace assay::kv_baseline

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_TILES_H_
