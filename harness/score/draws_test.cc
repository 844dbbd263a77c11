// SPDX-License-Identifier: Apache-2.0
#include "score/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

namespace assay {
namespace {

constexpr int kMany = 20'000;

template <class Number>
std::vector<Number> Drawn(void (Draws::*fill)(std::span<Number>), std::size_t count = kMany) {
  std::vector<Number> numbers(count);
  (Draws(1, {"a"}).*fill)(numbers);
  return numbers;
}

template <class Number>
double MeanOf(const std::vector<Number>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

TEST(DrawsTest, AStreamIsAFunctionOfItsSeedAndItsName) {
  const double first = Draws(1, {"a", "b"}).Uniform();
  EXPECT_EQ(Draws(1, {"a", "b"}).Uniform(), first);
  EXPECT_NE(Draws(2, {"a", "b"}).Uniform(), first);
  EXPECT_NE(Draws(1, {"ab"}).Uniform(), first);
  EXPECT_NE(Draws(1, {"a", "c"}).Uniform(), first);
}

// Reports of equal evidence are equal on every machine: these numbers are part of the definition.
TEST(DrawsTest, NumbersAreThoseOfSplitmix64) {
  Draws stream(1, {"a"});
  EXPECT_NEAR(stream.Uniform(), 0.8540682741004251, 1e-12);
  EXPECT_NEAR(stream.Uniform(), 0.7283299641262388, 1e-12);
}

TEST(DrawsTest, DistributionsHaveTheirMeans) {
  std::vector<double> normals = Drawn(&Draws::Normals);
  EXPECT_NEAR(MeanOf(normals), 0, 0.03);
  std::ranges::transform(normals, normals.begin(), [](double z) { return z * z; });
  EXPECT_NEAR(MeanOf(normals), 1, 0.05);
  EXPECT_NEAR(MeanOf(Drawn(&Draws::Exponentials)), 1, 0.03);
  EXPECT_NEAR(MeanOf(Drawn(&Draws::HalfGammas)), 0.5, 0.03);
}

// What scores are drawn from is defined by these formulas, however it is computed.
TEST(DrawsTest, NumbersAreTheirFormulasOfTheStreamsUniformNumbers) {
  constexpr std::size_t kCount = 1000;
  const auto exponentials = Drawn(&Draws::Exponentials, kCount);
  const auto normals = Drawn(&Draws::Normals, kCount);
  const auto half_gammas = Drawn(&Draws::HalfGammas, kCount);
  Draws singles(1, {"a"});
  Draws pairs(1, {"a"});
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(exponentials[i], static_cast<float>(-std::log(singles.Uniform()))) << i;
    const double radius = std::sqrt(-2 * std::log(pairs.Uniform()));
    const double normal = radius * std::cos(2 * std::numbers::pi * pairs.Uniform());
    EXPECT_NEAR(normals[i], normal, 1e-14) << i;
    EXPECT_EQ(half_gammas[i], static_cast<float>(normal * normal / 2)) << i;
  }
}

TEST(DrawsTest, WhereAStreamIsReadInPartsItGoesOn) {
  const auto whole = Drawn(&Draws::HalfGammas, 200);
  std::vector<float> parts(200);
  Draws stream(1, {"a"});
  stream.HalfGammas(std::span(parts).first(83));
  stream.HalfGammas(std::span(parts).subspan(83));
  EXPECT_EQ(parts, whole);
}

}  // namespace
}  // namespace assay
