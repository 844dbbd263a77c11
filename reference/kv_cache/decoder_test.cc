// SPDX-License-Identifier: Apache-2.0
#include "decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace assay::kvcache {
namespace {

/// One layer, one head, everything of size 1, so that it can be followed by hand.
constexpr DecoderConfig kTiny{.layers = 1,
                              .width = 1,
                              .query_heads = 1,
                              .kv_heads = 1,
                              .head_size = 1,
                              .vocabulary = 2,
                              .norm_eps = 1e-12F};

// Token 0 is x = 2: its norm is 1, v = 3, and alone it attends to itself: x = 2 + 0.5 * 3 = 3.5,
// whose norm is 1 again, times the final gain 4: logits 4 * 5 and 4 * -7.
TEST(OracleDecoder, OneTokenByHand) {
  OracleDecoder decoder(kTiny, {2, -1, 1, 1, 1, 3, 0.5F, 4, 5, -7});
  const Logits logits = decoder.Step(0);
  EXPECT_NEAR(logits.value[0], 20, 1e-6);
  EXPECT_NEAR(logits.value[1], -28, 1e-6);
}

// As above with a gate of 2 and an up of 3 on the norm of 3.5, which is 1: silu(2) * 3 = 5.2847...,
// times a down of -1: x = 3.5 - 5.2847 = -1.7847, whose norm is -1.
TEST(OracleDecoder, MlpByHand) {
  DecoderConfig config = kTiny;
  config.mlp_width = 1;
  OracleDecoder decoder(config, {2, -1, 1, 1, 1, 3, 0.5F, 1, 2, 3, -1, 4, 5, -7});
  const Logits logits = decoder.Step(0);
  EXPECT_NEAR(logits.value[0], -20, 1e-6);
  EXPECT_NEAR(logits.value[1], 28, 1e-6);
}

// Norms of tokens 0 and 1 are 1 and -1; q = k = norm, v = 3 norm. The second token's scores are -1
// for the first and 1 for itself: p = e^-1 / (e^-1 + e) = 0.1192, so attention gives
// 3 p - 3 (1 - p) = -2.2848, and x = -1 - 0.5 * 2.2848 = -2.1424: norm -1.
// With a weight of 3 on the way back x = -1 + 3 * -2.2848 < 0 too; with -0.4 it is
// -1 + 0.9139 = -0.0861, still -1; with -0.5 it is 0.1424: norm 1. That border tells p.
TEST(OracleDecoder, TwoTokensByHand) {
  for (const auto& [back, sign] : {std::pair{0.5F, -1.0}, {-0.4F, -1.0}, {-0.5F, 1.0}}) {
    OracleDecoder decoder(kTiny, {2, -1, 1, 1, 1, 3, back, 4, 5, -7});
    static_cast<void>(decoder.Step(0));
    EXPECT_NEAR(decoder.Step(1).value[0], sign * 20, 1e-5);
  }
}

// Head of two, base 1, so that all angles are the position in radians. Keys and queries are (1, 0)
// rotated by their position: the scores of position 1 are cos(1) / sqrt(2) and 1 / sqrt(2).
TEST(OracleDecoder, RotationByHand) {
  DecoderConfig config = kTiny;
  config.head_size = 2;
  config.rope_base = 1;
  // Embeddings 1 and 1; Wq, Wk = (1, 0); Wv = (w, 0) cannot tell tokens apart, so the norm's sign
  // does: token 1 is -1, with q = k = (-1, 0) and v = (-1, 0).
  OracleDecoder decoder(config, {1, -1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1});
  static_cast<void>(decoder.Step(0));
  const Logits logits = decoder.Step(1);
  // Scores: -cos(1)/sqrt(2) for token 0, 1/sqrt(2) for itself. x = -1 + (p0 - p1).
  const double s0 = std::exp(-std::cos(1.0) / std::sqrt(2.0));
  const double s1 = std::exp(1 / std::sqrt(2.0));
  const double x = -1 + (s0 - s1) / (s0 + s1);
  EXPECT_NEAR(logits.value[0], x / std::abs(x), 1e-6);
}

TEST(OracleDecoder, PrefillIsStepAfterStep) {
  DecoderConfig config{.layers = 2, .kv_heads = 1, .mlp_width = 20, .rope_base = 1e4F};
  std::mt19937_64 random(1);
  const std::vector<float> weights = DrawWeights(random, config);
  ASSERT_EQ(weights.size(), WeightCount(config));
  OracleDecoder whole(config, weights);
  OracleDecoder stepped(config, weights);
  const Logits last = whole.Prefill(std::vector{3, 1, 4});
  static_cast<void>(stepped.Step(3));
  static_cast<void>(stepped.Step(1));
  EXPECT_EQ(stepped.Step(4).value, last.value);
  whole.Reset();
  EXPECT_EQ(whole.Tokens(), 0U);
}

TEST(OracleDecoder, BoundsAreSmallBesideTheLogits) {
  const DecoderConfig config{.layers = 3,
                             .width = 48,
                             .query_heads = 6,
                             .kv_heads = 6,
                             .head_size = 16,
                             .mlp_width = 96,
                             .rope_base = 1e4F};
  std::mt19937_64 random(2);
  OracleDecoder decoder(config, DrawWeights(random, config));
  const Logits logits = decoder.Prefill(std::vector{1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_LT(std::ranges::max(logits.bound), 1e-3);
  EXPECT_GT(std::ranges::min(logits.bound), 1e-8);
}

// Probabilities 0.1, 0.2, 0.3, 0.4, drawn in the order 3, 2, 1, 0: borders at 0.4, 0.7, 0.9.
TEST(MaySample, FollowsTheCumulativeProbability) {
  const std::vector<float> logits{0, std::log(2.0F), std::log(3.0F), std::log(4.0F)};
  for (const auto& [uniform, token] :
       {std::pair{0.0F, 3}, {0.39F, 3}, {0.41F, 2}, {0.69F, 2}, {0.71F, 1}, {0.91F, 0}}) {
    for (int other = 0; other < 4; ++other) {
      EXPECT_EQ(MaySample(logits, 1, 0, uniform, other), other == token) << uniform << other;
    }
  }
  // Of the largest two alone: 4/7.
  EXPECT_TRUE(MaySample(logits, 1, 2, 0.56F, 3));
  EXPECT_TRUE(MaySample(logits, 1, 2, 0.58F, 2));
  EXPECT_FALSE(MaySample(logits, 1, 2, 0.99F, 1));
  // Temperature 1/2 squares the weights: 16/30.
  EXPECT_TRUE(MaySample(logits, 0.5F, 0, 0.53F, 3));
  EXPECT_FALSE(MaySample(logits, 0.5F, 0, 0.54F, 3));
}

TEST(MaySample, NeighboursShareTheBorder) {
  const std::vector<float> logits{1, 1};
  EXPECT_TRUE(MaySample(logits, 1, 0, 0.5F, 0));
  EXPECT_TRUE(MaySample(logits, 1, 0, 0.5F, 1));
}

TEST(MaySample, TemperatureZeroTakesTheFirstOfTheLargest) {
  const std::vector<float> logits{1, 5, 5};
  EXPECT_TRUE(MaySample(logits, 0, 0, 0.9F, 1));
  EXPECT_FALSE(MaySample(logits, 0, 0, 0.9F, 2));
  EXPECT_FALSE(MaySample(logits, 0, 0, 0.9F, 3));
  EXPECT_FALSE(MaySample(logits, 0, 0, 0.9F, -1));
}

}  // namespace
}  // namespace assay::kvcache
