// SPDX-License-Identifier: Apache-2.0
#include "row_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "oracle.h"

namespace assay::softmax_topk {
namespace {

Problem<float> Normal(std::size_t rows, std::size_t vocabulary, std::size_t k, double scale,
                      std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, scale);
  Problem<float> problem{.rows = rows, .vocabulary = vocabulary, .k = k};
  problem.logits.resize(rows * vocabulary);
  std::ranges::generate(problem.logits, [&] { return static_cast<float>(normal(random)); });
  return problem;
}

enum class Way {
  kPlainLoop,          ///< One sum in float, in order: as bad as right code gets.
  kOnline,             ///< The same, with a running maximum.
  kLanes,              ///< 256 sums.
  kHalfProbabilities,  ///< Wrong: rounded to 11 bits.
  kApproximate,        ///< Online, with exponentials off by up to 2^-22 to either side.
  kCoarseExponential,  ///< Wrong: the terms of the sum are all too large by 2^-12.
  kLog2EToFiveDigits,  ///< Wrong: 2^(1.4427 x).
};

float ToHalf(float value) { return ToFloat(Nearest<Half>(value * 1024)) / 1024; }

/// Within 2 ulp, by the bits of its argument; of 0 exactly 1.
float Approximate(float x) {
  if (x == 0) {
    return 1;
  }
  const auto bits = std::bit_cast<std::uint32_t>(x) * 2'654'435'769U;
  return std::exp(x) * (1 + (static_cast<float>(bits >> 8) * 0x1p-23F - 1) * 0x1p-22F);
}

float Exponential(float x, Way way) {
  switch (way) {
    case Way::kApproximate:
      return Approximate(x);
    case Way::kCoarseExponential:
      return std::exp(x) * (1 + 0x1p-12F);
    case Way::kLog2EToFiveDigits:
      return std::exp2(x * 1.4427F);
    default:
      return std::exp(x);
  }
}

float SumOf(std::span<const float> row, float maximum, Way way) {
  if (way == Way::kOnline || way == Way::kApproximate) {
    float running = row[0];
    float sum = 0;
    for (const float x : row) {
      const float larger = std::max(running, x);
      sum = sum * Exponential(running - larger, way) + Exponential(x - larger, way);
      running = larger;
    }
    return sum;
  }
  const std::size_t lanes = way == Way::kLanes ? 256 : 1;
  std::vector<float> sums(lanes);
  for (std::size_t i = 0; i < row.size(); ++i) {
    float& sum = sums[i % lanes];
    sum += Exponential(row[i] - maximum, way);
  }
  float total = 0;
  for (const float sum : sums) {
    total += sum;
  }
  return total;
}

struct Verdicts {
  bool rows = true;
  bool sums = true;
};

Verdicts JudgeWay(const Problem<float>& problem, Way way) {
  const Answer answer = SolveWithoutBounds(problem);
  RowErrors errors;
  Verdicts verdicts;
  for (std::size_t r = 0; r < problem.rows; ++r) {
    const auto row = std::span(problem.logits).subspan(r * problem.vocabulary, problem.vocabulary);
    const float maximum = std::ranges::max(row);
    const float sum = SumOf(row, maximum, way);
    std::vector<float> got;
    for (std::size_t i = r * problem.k; i < (r + 1) * problem.k; ++i) {
      const float exact =
          std::exp(row[static_cast<std::size_t>(answer.indices[i])] - maximum) / sum;
      got.push_back(way == Way::kHalfProbabilities ? ToHalf(exact) : exact);
    }
    const std::size_t first = r * problem.k;
    verdicts.rows =
        verdicts.rows && FitRow(got, std::span(answer.probabilities).subspan(first, problem.k),
                                std::span(answer.own_errors).subspan(first, problem.k))
                             .IsRight();
    errors.Add(got.front(), answer.probabilities[first], answer.drawn_errors[r]);
  }
  verdicts.sums = errors.IsRight();
  return verdicts;
}

TEST(RowErrors, AdmitEveryRightWay) {
  for (const Way way : {Way::kPlainLoop, Way::kOnline, Way::kLanes, Way::kApproximate}) {
    std::uint64_t seed = 0;
    for (const double scale : {0.01, 1.0, 3.0, 60.0}) {
      for (const std::size_t vocabulary : {2U, 500U, 3000U, 30'000U}) {
        for (const std::size_t rows : {1U, 3U, 20U}) {
          const Verdicts verdicts = JudgeWay(Normal(rows, vocabulary, 2, scale, ++seed), way);
          EXPECT_TRUE(verdicts.rows && verdicts.sums) << rows << "x" << vocabulary << ", scale "
                                                      << scale << ", way " << static_cast<int>(way);
        }
      }
    }
  }
}

/// In one of two ways: several in a row are apart from each other, one alone from its sum.
TEST(RowErrors, RejectProbabilitiesOfElevenBits) {
  for (const std::size_t vocabulary : {50U, 3000U, 30'000U, 130'000U}) {
    EXPECT_FALSE(JudgeWay(Normal(4, vocabulary, 5, 1, vocabulary), Way::kHalfProbabilities).rows);
  }
  for (const std::size_t vocabulary : {50U, 3000U, 30'000U}) {
    EXPECT_FALSE(JudgeWay(Normal(16, vocabulary, 1, 1, vocabulary), Way::kHalfProbabilities).sums);
  }
}

/// Rows of one above many, where such a factor shows most.
TEST(RowErrors, RejectAFactorOfExponentsThatIsCut) {
  Problem<float> problem = Normal(128, 300, 1, 0.5, 5);
  for (std::size_t row = 0; row < problem.rows; ++row) {
    problem.logits[row * problem.vocabulary + row] = std::log(300 / 2.7F);
  }
  for (const Way way : {Way::kPlainLoop, Way::kOnline, Way::kLanes, Way::kApproximate}) {
    EXPECT_TRUE(JudgeWay(problem, way).sums) << static_cast<int>(way);
  }
  EXPECT_FALSE(JudgeWay(problem, Way::kLog2EToFiveDigits).sums);
}

TEST(RowErrors, RejectASumThatIsSteadilyOff) {
  EXPECT_FALSE(JudgeWay(Normal(32, 5000, 4, 1, 3), Way::kCoarseExponential).sums);
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(FitRow, OneFactorIsNoFault) {
  const std::vector<long double> want = {0.5L, 0.25L, 0.125L};
  const std::vector<double> own(3, 1e-5);
  EXPECT_TRUE(FitRow(std::vector<float>{0.505F, 0.2525F, 0.12625F}, want, own).IsRight());
  EXPECT_FALSE(FitRow(std::vector<float>{0.505F, 0.25F, 0.12625F}, want, own).IsRight());
}

TEST(FitRow, WhatIsNotANumberFitsNothing) {
  const std::vector<long double> want = {0.5L, 0.25L, 0.125L};
  const std::vector<double> own(3, 1e-5);
  EXPECT_FALSE(FitRow(std::vector<float>{0.5F, kNan, 0.125F}, want, own).IsRight());
  EXPECT_FALSE(FitRow(std::vector<float>{0.5F, -0.25F, 0.125F}, want, own).IsRight());
}

TEST(FitRow, SpecialAndTinyProbabilitiesTakeNoPart) {
  const std::vector<long double> none = {static_cast<long double>(kNan), 0, 1e-35L};
  EXPECT_TRUE(FitRow(std::vector<float>{kNan, 0, 0}, none, std::vector<double>(3)).IsRight());
}

}  // namespace
}  // namespace assay::softmax_topk
