// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace assay::kvcache {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::FloatEq;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Config With(Storage storage, std::int32_t head_size, std::int32_t kv_heads = 1) {
  return {
      .query_heads = kv_heads, .kv_heads = kv_heads, .head_size = head_size, .storage = storage};
}

std::vector<float> Normal(std::mt19937_64& random, std::size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  std::ranges::generate(values, [&] { return normal(random); });
  return values;
}

// 8 KV heads of 128: f32 8*2*4*128, f16 half of it, INT8 8*2*(128 + 4), INT4 8*2*(64 + 4*4).
TEST(TokenBytes, AreThoseOfTheTable) {
  EXPECT_EQ(TokenBytes(With(Storage::kF32, 128, 8)), 8192U);
  EXPECT_EQ(TokenBytes(With(Storage::kF16, 128, 8)), 4096U);
  EXPECT_EQ(TokenBytes(With(Storage::kInt8, 128, 8)), 2112U);
  EXPECT_EQ(TokenBytes(With(Storage::kInt4, 128, 8)), 1280U);
  // 33 codes are 17 bytes, in two groups: 2*(17 + 8).
  EXPECT_EQ(TokenBytes(With(Storage::kInt4, 33)), 50U);
}

TEST(Stored, F32StaysAsItIs) {
  const std::vector<float> tokens{1.5F, -1e30F, 1e-40F, -0.0F};
  EXPECT_EQ(Stored(With(Storage::kF32, 4), tokens), tokens);
}

TEST(Stored, F16RoundsToNearestEven) {
  const std::vector<float> tokens{1 + 0x1p-11F, 1 + 3 * 0x1p-11F, 65519.0F, 65520.0F, 0x1p-25F};
  EXPECT_THAT(Stored(With(Storage::kF16, 5), tokens),
              ElementsAre(1.0F, 1 + 0x1p-9F, 65504.0F, kInfinity, 0.0F));
}

// The largest is 2.54, so a step is 0.02: 0.031 is 1.55 steps, -0.649 is -32.45.
TEST(Stored, Int8HasOneScaleForAHead) {
  EXPECT_THAT(Stored(With(Storage::kInt8, 4), std::vector{2.54F, 0.031F, -0.649F, 0.0F}),
              ElementsAre(FloatEq(2.54F), FloatEq(0.04F), FloatEq(-0.64F), 0.0F));
}

TEST(Stored, EachTokenAndHeadHasItsOwnScale) {
  Config config = With(Storage::kInt8, 2, 2);
  // Two tokens of two heads; in each the larger is exact, and the other a code of its own scale.
  EXPECT_THAT(Stored(config, std::vector{127.0F, 1.4F, 1.27F, 0.014F, 0.127F, 0.0014F, 0.0F, 0.0F}),
              ElementsAre(127.0F, 1.0F, FloatEq(1.27F), FloatEq(0.01F), FloatEq(0.127F),
                          FloatEq(0.001F), 0.0F, 0.0F));
}

// A head of 40: elements 0..31 with the largest 7 (steps of 1), 32..39 with the largest 0.7.
TEST(Stored, Int4HasAScaleForEach32) {
  std::vector<float> tokens(40, 0.0F);
  tokens[0] = 7;
  tokens[1] = 0.4F;
  tokens[2] = -2.6F;
  tokens[31] = 3.3F;
  tokens[32] = -0.7F;
  tokens[39] = 0.26F;
  const std::vector<float> stored = Stored(With(Storage::kInt4, 40), tokens);
  EXPECT_FLOAT_EQ(stored[0], 7);
  EXPECT_FLOAT_EQ(stored[1], 0);
  EXPECT_FLOAT_EQ(stored[2], -3);
  EXPECT_FLOAT_EQ(stored[31], 3);
  EXPECT_FLOAT_EQ(stored[32], -0.7F);
  EXPECT_FLOAT_EQ(stored[39], 0.3F);
}

TEST(Stored, ZerosStayZeros) {
  for (const Storage storage : {Storage::kInt8, Storage::kInt4, Storage::kF16}) {
    EXPECT_THAT(Stored(With(storage, 64), std::vector<float>(128, 0.0F)), Each(0.0F));
  }
}

TEST(StorageBounds, HoldForWhatIsStored) {
  std::mt19937_64 random(1);
  for (const Storage storage : {Storage::kF32, Storage::kF16, Storage::kInt8, Storage::kInt4}) {
    const Config config = With(storage, 80, 2);
    const std::vector<float> tokens = Normal(random, std::size_t{800});
    const std::vector<float> stored = Stored(config, tokens);
    const std::vector<double> bounds = StorageBounds(config, tokens);
    double worst = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const double error =
          std::abs(static_cast<double>(tokens[i]) - static_cast<double>(stored[i]));
      EXPECT_LE(error, bounds[i]);
      worst = std::max(worst, bounds[i] > 0 ? error / bounds[i] : 0);
    }
    EXPECT_EQ(worst > 0.5, storage != Storage::kF32) << ToString(storage);
  }
}

TEST(AvoidTies, LeavesNoElementNearOne) {
  std::mt19937_64 random(2);
  const Config config = With(Storage::kInt4, 64);
  std::vector<float> tokens = Normal(random, std::size_t{32'000});
  tokens[0] = 70;
  tokens[1] = 35;  // 3.5 steps.
  AvoidTies(config, tokens);
  EXPECT_EQ(tokens[0], 70);
  EXPECT_NE(tokens[1], 35);
  // Moving an element by a ten-thousandth of a step changes no code any more.
  std::vector<float> moved = tokens;
  for (std::size_t group = 0; group < tokens.size(); group += 32) {
    float largest = 0;
    for (std::size_t i = group; i < group + 32; ++i) {
      largest = std::max(largest, std::abs(tokens[i]));
    }
    for (std::size_t i = group; i < group + 32; ++i) {
      moved[i] += std::abs(tokens[i]) == largest ? 0 : largest / 7 * 1e-4F;
    }
  }
  EXPECT_EQ(Stored(config, moved), Stored(config, tokens));
}

/// One head of one element: scores are q k.
History Scalars(std::vector<float> k, std::vector<float> v) {
  return {.k = std::move(k), .v = std::move(v)};
}

// Scores 0 and ln 3 weigh 1/4 and 3/4: 4/4 + 3*8/4 = 7.
TEST(Attend, WeighsByTheExponentialOfTheScore) {
  const Config config = With(Storage::kF32, 1);
  const History history = Scalars({0.0F, std::log(3.0F)}, {4.0F, 8.0F});
  EXPECT_NEAR(Attend(config, history, 1, std::vector{1.0F}).out[0], 7, 1e-6);
  EXPECT_EQ(Attend(config, history, 0, std::vector{1.0F}).out[0], 4);
}

// Four equal elements: q k = 4 * 0.5 * 1 = 2, over sqrt(4): 1. Against a score of 0 it weighs e.
TEST(Attend, DividesScoresByTheRootOfTheHeadSize) {
  const Config config = With(Storage::kF32, 4);
  History history{.k = std::vector<float>(8, 0.0F), .v = std::vector<float>(8, 0.0F)};
  std::fill_n(history.k.begin(), 4, 1.0F);
  std::fill_n(history.v.begin(), 4, 1.0F);
  const Answer answer = Attend(config, history, 1, std::vector<float>(4, 0.5F));
  EXPECT_NEAR(answer.out[2], std::exp(1.0) / (std::exp(1.0) + 1), 1e-12);
}

TEST(Attend, AWindowLeavesOutOlderTokens) {
  Config config = With(Storage::kF32, 1);
  config.window = 2;
  const History history = Scalars({0, 0, 0, 0}, {100, 2, 4, 8});
  EXPECT_EQ(Attend(config, history, 3, std::vector{1.0F}).out[0], 6);
  EXPECT_EQ(Attend(config, history, 0, std::vector{1.0F}).out[0], 100);
}

TEST(Attend, QueryHeadsOfAGroupShareAKvHead) {
  const Config config{.query_heads = 6, .kv_heads = 2, .head_size = 1};
  const History history{.k = {0, 0}, .v = {1, 2}};
  EXPECT_THAT(Attend(config, history, 0, std::vector<float>(6, 1.0F)).out,
              ElementsAre(1, 1, 1, 2, 2, 2));
}

TEST(Attend, AnEmptyHistoryGivesZerosExactly) {
  const Answer answer = Attend(With(Storage::kF32, 3), {}, 0, std::vector<float>(3, 1.0F));
  EXPECT_THAT(answer.out, Each(0));
  EXPECT_THAT(answer.bound, Each(0));
}

TEST(Attend, WhatIsNotFiniteMakesItsHeadAnything) {
  const Config config{.query_heads = 2, .kv_heads = 2, .head_size = 1};
  const History history{.k = {1, 1, kInfinity, 1}, .v = {1, 2, 3, 4}};
  const Answer after = Attend(config, history, 1, std::vector{1.0F, 1.0F});
  EXPECT_TRUE(std::isnan(after.out[0]));
  EXPECT_EQ(after.out[1], 3);
  EXPECT_EQ(Attend(config, history, 0, std::vector{1.0F, 1.0F}).out[0], 1);
}

TEST(Attend, ScoresOfAMillionDoNotOverflow) {
  const Config config = With(Storage::kF32, 1);
  const History history = Scalars({1e3F, -1e3F}, {5, 7});
  EXPECT_EQ(Attend(config, history, 1, std::vector{1e3F}).out[0], 5);
}

/// Attention in float as one writes it down, one token after the other: a running maximum, or two
/// passes.
enum class Way { kRunningMaximum, kTwoPasses };
std::vector<float> InFloat(const Config& config, const History& history,
                           const std::vector<float>& q, Way way) {
  const auto head = static_cast<std::size_t>(config.head_size);
  const std::size_t count = history.Tokens(config);
  const auto score = [&](std::size_t j) {
    float sum = 0;
    for (std::size_t i = 0; i < head; ++i) {
      sum += q[i] * history.k[j * head + i];
    }
    return sum / std::sqrt(static_cast<float>(head));
  };
  float largest = way == Way::kRunningMaximum ? score(0) : -kInfinity;
  for (std::size_t j = 0; way == Way::kTwoPasses && j < count; ++j) {
    largest = std::max(largest, score(j));
  }
  float sum = 0;
  std::vector<float> out(head, 0.0F);
  for (std::size_t j = 0; j < count; ++j) {
    const float s = score(j);
    const float raised = std::max(largest, s);
    const float rescale = std::exp(largest - raised);
    const float weight = std::exp(s - raised);
    largest = raised;
    sum = sum * rescale + weight;
    for (std::size_t i = 0; i < head; ++i) {
      out[i] = out[i] * rescale + weight * history.v[j * head + i];
    }
  }
  for (float& value : out) {
    value /= sum;
  }
  return out;
}

double ErrorOverBound(const std::vector<float>& got, const Answer& want) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - want.out[i]) / want.bound[i]);
  }
  return worst;
}

TEST(AttendBound, AdmitsFloatArithmeticInEitherWay) {
  std::mt19937_64 random(3);
  for (const std::int32_t head_size : {1, 16, 80, 256}) {
    for (const std::size_t tokens : {1U, 7U, 300U, 4000U}) {
      for (const float scale : {0.1F, 1.0F, 30.0F}) {
        const Config config = With(Storage::kF32, head_size);
        const auto head = static_cast<std::size_t>(head_size);
        History history{.k = Normal(random, tokens * head), .v = Normal(random, tokens * head)};
        std::vector<float> q = Normal(random, head);
        std::ranges::transform(q, q.begin(), [scale](float x) { return x * scale; });
        const Answer want = Attend(config, history, tokens - 1, q);
        EXPECT_LE(ErrorOverBound(InFloat(config, history, q, Way::kRunningMaximum), want), 1);
        EXPECT_LE(ErrorOverBound(InFloat(config, history, q, Way::kTwoPasses), want), 1);
      }
    }
  }
}

TEST(AttendBound, DoesNotAdmitHalves) {
  std::mt19937_64 random(4);
  const Config config = With(Storage::kF32, 4);
  const History history{.k = Normal(random, std::size_t{32}), .v = Normal(random, std::size_t{32})};
  const std::vector<float> q = Normal(random, 4);
  const Config half = With(Storage::kF16, 4);
  const History halves{.k = Stored(half, history.k), .v = Stored(half, history.v)};
  const Answer want = Attend(config, history, 7, q);
  EXPECT_GT(ErrorOverBound(InFloat(config, halves, q, Way::kTwoPasses), want), 10);
}

TEST(AttendBound, DoesNotAdmitATokenLeftOut) {
  std::mt19937_64 random(5);
  const Config config = With(Storage::kF32, 64);
  History history{.k = Normal(random, std::size_t{640}), .v = Normal(random, std::size_t{640})};
  const std::vector<float> q = Normal(random, 64);
  const Answer want = Attend(config, history, 9, q);
  history.k.erase(history.k.begin(), history.k.begin() + 64);
  history.v.erase(history.v.begin(), history.v.begin() + 64);
  EXPECT_GT(ErrorOverBound(InFloat(config, history, q, Way::kTwoPasses), want), 100);
}

}  // namespace
}  // namespace assay::kvcache
