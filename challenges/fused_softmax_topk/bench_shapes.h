// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_BENCH_SHAPES_H_
#define ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_BENCH_SHAPES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "client/fast_random.h"
#include "client/invocation.h"

namespace assay::softmax_topk {

/// What bench.cc times and suite_timed.cc judges: the same shapes, drawn and called in the same
/// way, so that nothing in a call says which of the two it is for.

inline constexpr std::string_view kTimedOperation = "softmax_topk_cpu_f32";

struct TimedShape {
  std::size_t rows;
  std::size_t vocabulary;
  std::size_t k;
};

/// A batch of a model with 32,000 tokens, for greedy search and for sampling, and one of 128,256,
/// of as many rows as keep a run short.
inline constexpr std::array<TimedShape, 3> kTimedShapes = {
    {{256, 32'000, 5}, {128, 32'000, 50}, {32, 128'256, 50}}};

/// The sum of two uniform numbers: triangular on (-8, 8), so that maxima are as rare as in logits.
inline void DrawTimedLogits(std::mt19937_64& seeds, std::vector<float>& logits) {
  constexpr float kUnit = 0x1p-29F;
  FastRandom random(seeds);
  for (float& logit : logits) {
    const std::uint64_t word = random.Next();
    logit = static_cast<float>(static_cast<std::uint32_t>(word >> 32U)) * kUnit +
            static_cast<float>(static_cast<std::uint32_t>(word)) * kUnit - 8;
  }
}

/// What a call gave.
struct TimedOutputs {
  std::vector<float> probabilities;
  std::vector<std::int32_t> indices;
};

/// A call that overwrites `outputs`, which it makes as long as they must be.
inline Invocation TimedCall(const TimedShape& shape, const std::vector<float>& logits,
                            TimedOutputs& outputs) {
  outputs.probabilities.resize(shape.rows * shape.k);
  outputs.indices.resize(shape.rows * shape.k);
  Invocation call{std::string(kTimedOperation)};
  call.Scalar(shape.rows).Scalar(shape.vocabulary).Scalar(shape.k).Input(logits);
  call.Scalar(shape.vocabulary).Output(outputs.probabilities).Output(outputs.indices);
  call.Place(Placement::kAligned);
  return call;
}

}  // namespace assay::softmax_topk

#endif  // ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_BENCH_SHAPES_H_
