// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_KV_CACHE_WORKLOADS_H_
#define ASSAY_CHALLENGES_KV_CACHE_WORKLOADS_H_

// What is timed, and what it is given. bench.cc times it and the suite asks it against the oracle,
// from this one table: a shape that is timed and never tested is where an implementation can be
// fast and wrong.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "client/fast_random.h"
#include "oracle.h"
#include "precision.h"

namespace assay::kvcache {

/// One workload: a decode step (append and attend of one layer) over sequences that hold `tokens`
/// each, or a prompt of so many.
struct WorkloadShape {
  enum class Kind { kDecode, kPrompt };
  Kind kind = Kind::kDecode;
  std::size_t tokens = 0;
  Config config;
};

/// Steps for which a decoded sequence has room: more than the pairs of a block.
inline constexpr std::int32_t kWorkloadSteps = 16;

/// Heads of 128 as in the Llama models, but one KV head for each query head: the shape that every
/// submission has to support.
constexpr WorkloadShape DecodeShape(std::int32_t batch, std::int32_t tokens,
                                    Storage storage = Storage::kF32, std::int32_t query_heads = 8) {
  return {.kind = WorkloadShape::Kind::kDecode,
          .tokens = static_cast<std::size_t>(tokens),
          .config = {.query_heads = query_heads,
                     .kv_heads = 8,
                     .head_size = 128,
                     .batch = batch,
                     .capacity = tokens + kWorkloadSteps,
                     .storage = storage}};
}
constexpr WorkloadShape PromptShape(std::int32_t tokens) {
  WorkloadShape shape = DecodeShape(1, tokens);
  shape.kind = WorkloadShape::Kind::kPrompt;
  return shape;
}

inline constexpr std::array kWorkloadShapes = {DecodeShape(1, 4096),
                                               DecodeShape(8, 512),
                                               DecodeShape(32, 256),
                                               DecodeShape(1, 4096, Storage::kInt8),
                                               DecodeShape(1, 4096, Storage::kF32, 32),
                                               PromptShape(192)};

/// `decode_f32_gqa/1x4096`, `prefill_f32/192`.
inline std::string NameOf(const WorkloadShape& shape) {
  const Config& config = shape.config;
  if (shape.kind == WorkloadShape::Kind::kPrompt) {
    return fmt::format("prefill_{}/{}", ToString(config.storage), shape.tokens);
  }
  return fmt::format("decode_{}{}/{}x{}", ToString(config.storage),
                     config.query_heads == config.kv_heads ? "" : "_gqa", config.batch,
                     shape.tokens);
}

/// Uniform on [-2, 2), with all bits of a float in use: `count` more.
inline void DrawUniform(FastRandom& random, std::size_t count, std::vector<float>& values) {
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(static_cast<std::int32_t>(random.Next() >> 32)) * 0x1p-30F);
  }
}

/// K and V of `count` tokens more, of which there is one right way to store them.
inline void DrawTokensInto(History& history, FastRandom& random, const Config& config,
                           std::size_t count) {
  for (std::vector<float>* const values : {&history.k, &history.v}) {
    const std::size_t before = values->size();
    values->reserve(static_cast<std::size_t>(config.capacity) * config.KeyElements());
    DrawUniform(random, count * config.KeyElements(), *values);
    AvoidTies(config, std::span(*values).subspan(before));
  }
}

/// One head of an output: what it is of, and how near it has to be.
struct OutputRow {
  std::int32_t sequence = 0;
  std::int32_t head = 0;
  std::size_t tokens = 0;  ///< That it sees.
  Weights weights = Weights::kSpread;
};

/// What is wrong with the root mean square of a head's errors, in one line; empty when it is within
/// its bound.
template <class Want>
std::string DescribeRmsOutside(const OutputRow& row, const Config& config,
                               std::span<const float> got, std::span<const Want> want) {
  const double rms = RelativeRms(got, want);
  const double bound = RelativeRmsBound(config.head_size, row.tokens, row.weights);
  if (rms <= bound) {
    return "";
  }
  return fmt::format(
      "head {} of sequence {}, which sees {} tokens{}: the root mean square of its errors is "
      "{:.3g} of its outputs', bound {:.3g} (what arithmetic in float over what was stored makes)",
      row.head, row.sequence, row.tokens,
      row.weights == Weights::kSpread ? "" : ", one of which has all the weight", rms, bound);
}

/// Draws a query, one head after the other, that sees the first `tokens` tokens of `history`, and
/// says what its outputs are. Most heads are uniform, and give a mean of hundreds of tokens, in
/// which keys stored narrower than they should be show. One in eight points at one of the tokens
/// that it sees, so that its output is that token's value, in which values stored narrower show,
/// to the last bits of a float. No more than that: an implementation may leave out values whose
/// weight is nothing beside another, and should not be timed on that.
inline void DrawQuery(std::mt19937_64& random, const Config& config, std::int32_t sequence,
                      const History& history, std::size_t tokens, std::vector<float>& query,
                      std::vector<OutputRow>& rows) {
  constexpr std::uint64_t kOneInPoints = 8;
  // The other scores have a standard deviation of 3.5 at head size 128: together they weigh some
  // 1e-10 of this one, and the least of them is no denormal.
  constexpr float kScore = 40;
  const auto head_size = static_cast<std::size_t>(config.head_size);
  const std::int32_t group = config.query_heads / config.kv_heads;
  FastRandom fast(random);
  for (std::int32_t head = 0; head < config.query_heads; ++head) {
    OutputRow row{.sequence = sequence, .head = head, .tokens = tokens};
    if (random() % kOneInPoints == 0) {
      row.weights = Weights::kOnOneToken;
      const std::size_t target = random() % tokens;
      const std::span<const float> key = std::span(history.k).subspan(
          target * config.KeyElements() + static_cast<std::size_t>(head / group) * head_size,
          head_size);
      float square = 0;
      for (const float x : key) {
        square += x * x;
      }
      const float scale = kScore * std::sqrt(static_cast<float>(head_size)) / square;
      for (const float x : key) {
        query.push_back(scale * x);
      }
    } else {
      DrawUniform(fast, head_size, query);
    }
    rows.push_back(row);
  }
}

}  // namespace assay::kvcache

#endif  // ASSAY_CHALLENGES_KV_CACHE_WORKLOADS_H_
