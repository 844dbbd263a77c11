// SPDX-License-Identifier: Apache-2.0
// The bound on the root mean square of errors lies between what plain arithmetic in float makes and
// what storage that is narrower than float makes, at every shape that is timed. It prints both, in
// units of the bound.

#include "precision.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "oracle.h"
#include "workloads.h"

namespace assay::kvcache {
namespace {

constexpr Config kOneHead{.head_size = 128, .capacity = 5000};

std::span<const float> Row(const std::vector<float>& values, std::size_t token) {
  constexpr auto kElements = static_cast<std::size_t>(kOneHead.head_size);
  return std::span(values).subspan(token * kElements, kElements);
}

/// One product after the other.
float Score(std::span<const float> q, std::span<const float> k) {
  float sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    sum += q[i] * k[i];
  }
  return sum / std::sqrt(static_cast<float>(q.size()));
}

/// As a first implementation does it: all scores, their largest, then one token after the other.
std::vector<float> InTwoPasses(std::span<const float> q, const History& history) {
  std::vector<float> scores(history.Tokens(kOneHead));
  for (std::size_t j = 0; j < scores.size(); ++j) {
    scores[j] = Score(q, Row(history.k, j));
  }
  const float largest = std::ranges::max(scores);
  float weights = 0;
  std::vector<float> sums(q.size());
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const float weight = std::exp(scores[j] - largest);
    weights += weight;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += weight * Row(history.v, j)[i];
    }
  }
  for (float& sum : sums) {
    sum /= weights;
  }
  return sums;
}

/// With a running maximum, by which everything is scaled again at every token.
std::vector<float> InOnePass(std::span<const float> q, const History& history) {
  float largest = -std::numeric_limits<float>::infinity();
  float weights = 0;
  std::vector<float> sums(q.size());
  for (std::size_t j = 0; j < history.Tokens(kOneHead); ++j) {
    const float score = Score(q, Row(history.k, j));
    const float raised = std::max(largest, score);
    const float scale = std::exp(largest - raised);
    const float weight = std::exp(score - raised);
    largest = raised;
    weights = weights * scale + weight;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = sums[i] * scale + weight * Row(history.v, j)[i];
    }
  }
  for (float& sum : sums) {
    sum /= weights;
  }
  return sums;
}

float ToHalf(float x) { return static_cast<float>(static_cast<_Float16>(x)); }

/// To nearest, so that only the kept bits are missing. `bits` as many of the mantissa are.
template <int kBits>
float WithMantissaOf(float x) {
  constexpr std::uint32_t kCut = 23 - kBits;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x) + (1U << (kCut - 1));
  return std::bit_cast<float>(bits >> kCut << kCut);
}

using Narrowing = std::vector<float> (*)(const std::vector<float>&);

template <float (*kRound)(float)>
std::vector<float> EachRounded(const std::vector<float>& values) {
  std::vector<float> rounded(values.size());
  std::ranges::transform(values, rounded.begin(), kRound);
  return rounded;
}

std::vector<float> Int8Codes(const std::vector<float>& values) {
  return Stored({.head_size = kOneHead.head_size, .storage = Storage::kInt8}, values);
}

std::vector<float> AsTheyAre(const std::vector<float>& values) { return values; }

/// Errors over the bound, of the heads that see many tokens and of those that point at one.
struct OverBound {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
};
using OfWeights = std::map<Weights, OverBound>;

using Attention = std::vector<float> (*)(std::span<const float>, const History&);

class Precision : public testing::TestWithParam<std::size_t> {
 protected:
  Precision() {
    std::mt19937_64 random(GetParam());
    FastRandom fast(random);
    DrawTokensInto(history_, fast, kOneHead, GetParam());
    constexpr int kQueries = 40;
    for (int i = 0; i < kQueries; ++i) {
      DrawQuery(random, kOneHead, 0, history_, GetParam(), q_, rows_);
      want_.push_back(Attend(kOneHead, history_, GetParam() - 1, Row(q_, want_.size())).out);
    }
  }

  /// Of attention over keys and values that were narrowed.
  OfWeights Measure(std::string_view name, Attention attention, Narrowing keys, Narrowing values) {
    const History narrowed{.k = keys(history_.k), .v = values(history_.v)};
    OfWeights measured;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::vector<float> got = attention(Row(q_, i), narrowed);
      const double over = RelativeRms(std::span(got), std::span<const double>(want_[i])) /
                          RelativeRmsBound(kOneHead.head_size, GetParam(), rows_[i].weights);
      OverBound& of_weights = measured[rows_[i].weights];
      of_weights.least = std::min(of_weights.least, over);
      of_weights.most = std::max(of_weights.most, over);
    }
    const OverBound& spread = measured[Weights::kSpread];
    const OverBound& one = measured[Weights::kOnOneToken];
    fmt::print("{:>5} tokens | {:<26} | {:8.3f} to {:8.3f} | {:8.3f} to {:8.3f}\n", GetParam(),
               name, spread.least, spread.most, one.least, one.most);
    return measured;
  }

  History history_;
  std::vector<float> q_;
  std::vector<OutputRow> rows_;
  std::vector<std::vector<double>> want_;
};

TEST_P(Precision, PlainFloatIsWithin) {
  for (const OfWeights& measured : {Measure("float, two passes", InTwoPasses, AsTheyAre, AsTheyAre),
                                    Measure("float, one pass", InOnePass, AsTheyAre, AsTheyAre)}) {
    for (const auto& [weights, over] : measured) {
      EXPECT_LT(over.most, 0.5);
    }
  }
}

TEST_P(Precision, NarrowStorageIsOutside) {
  for (const auto& [name, narrow] :
       {std::pair("halves", Narrowing(EachRounded<ToHalf>)),
        std::pair("bfloat16", Narrowing(EachRounded<WithMantissaOf<7>>)),
        std::pair("INT8", Narrowing(Int8Codes))}) {
    const std::string both(name);
    for (const auto& [weights, over] : Measure(both, InOnePass, narrow, narrow)) {
      EXPECT_GT(over.least, 4) << name;
    }
    EXPECT_GT(Measure(both + ", keys alone", InOnePass, narrow, AsTheyAre)[Weights::kSpread].least,
              4);
    for (const auto& [weights, over] :
         Measure(both + ", values alone", InOnePass, AsTheyAre, narrow)) {
      EXPECT_GT(over.least, 4) << name;
    }
  }
}

/// Three bytes instead of four, which is the narrowest that is seen: in values, by the heads that
/// point at one.
TEST_P(Precision, ValuesOfThreeBytesAreOutside) {
  const auto narrow = Narrowing(EachRounded<WithMantissaOf<15>>);
  EXPECT_GT(Measure("three bytes", InOnePass, narrow, narrow)[Weights::kOnOneToken].least, 2);
}

INSTANTIATE_TEST_SUITE_P(Timed, Precision, testing::Values(192, 257, 513, 4097));

TEST(RelativeRms, IsThatOfTheErrorsOverThatOfTheOutputs) {
  const std::vector<float> got{3, 1, 0, 2};
  const std::vector<double> want{3, 0, 0, 4};
  EXPECT_DOUBLE_EQ(RelativeRms(std::span(got), std::span<const double>(want)), std::sqrt(5) / 5);
}

TEST(RelativeRms, OfWhatIsNotANumberIsNone) {
  const std::vector<float> got{3, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<double> want{3, 1};
  EXPECT_TRUE(std::isnan(RelativeRms(std::span(got), std::span<const double>(want))));
}

}  // namespace
}  // namespace assay::kvcache
