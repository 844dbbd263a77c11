// SPDX-License-Identifier: Apache-2.0
#include "score/draws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace assay {
namespace {

constexpr int kMany = 20'000;

double MeanOf(const std::function<double(Draws&)>& draw) {
  Draws stream(1, {"a"});
  double sum = 0;
  for (int i = 0; i < kMany; ++i) {
    sum += draw(stream);
  }
  return sum / kMany;
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
  EXPECT_NEAR(MeanOf([](Draws& s) { return s.Uniform(); }), 0.5, 0.01);
  EXPECT_NEAR(MeanOf([](Draws& s) { return s.Exponential(); }), 1, 0.03);
  EXPECT_NEAR(MeanOf([](Draws& s) { return s.Normal(); }), 0, 0.03);
  EXPECT_NEAR(MeanOf([](Draws& s) { return std::pow(s.Normal(), 2); }), 1, 0.05);
  EXPECT_NEAR(MeanOf([](Draws& s) { return s.HalfGamma(); }), 0.5, 0.03);
}

}  // namespace
}  // namespace assay
