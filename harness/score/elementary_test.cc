// SPDX-License-Identifier: Apache-2.0
#include "score/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "score/draws.h"

namespace assay {
namespace {

constexpr int kTries = 20'000;
constexpr long double kExact = 3e-16L;

TEST(ElementaryTest, LogarithmsAreThoseOfTheLibrary) {
  Draws stream(1, {"log"});
  for (int i = 0; i < kTries; ++i) {
    const double x = stream.Uniform();
    const long double exact = std::log(static_cast<long double>(x));
    EXPECT_LE(std::abs(LogOf(x) - exact), kExact * std::abs(exact)) << x;
  }
  EXPECT_EQ(LogOf(1), 0);
  EXPECT_NEAR(LogOf(0x1p-54), -54 * std::numbers::ln2, 1e-14);
}

TEST(ElementaryTest, CosinesAreThoseOfTheLibrary) {
  Draws stream(1, {"cosine"});
  for (int i = 0; i < kTries; ++i) {
    const double turns = stream.Uniform();
    const long double exact = std::cos(2 * std::numbers::pi_v<long double> * turns);
    EXPECT_LE(std::abs(CosineOf(turns) - exact), kExact) << turns;
  }
  EXPECT_EQ(CosineOf(0.25), 0);
  EXPECT_EQ(CosineOf(0), -CosineOf(0.5));
}

TEST(ElementaryTest, PowersAreThoseOfTheLibrary) {
  Draws stream(1, {"exp"});
  for (int i = 0; i < kTries; ++i) {
    const double x = (stream.Uniform() - 0.5) * (i % 2 == 0 ? 2 : 1400);
    const long double exact = std::exp(static_cast<long double>(x));
    EXPECT_LE(std::abs(ExpOf(x) - exact), kExact * exact) << x;
  }
  EXPECT_EQ(ExpOf(0), 1);
}

TEST(ElementaryTest, PowersBeyondTheirRangeAreThoseOfItsEnds) {
  EXPECT_EQ(ExpOf(INFINITY), ExpOf(700));
  EXPECT_EQ(ExpOf(-INFINITY), ExpOf(-700));
  EXPECT_GT(ExpOf(-700), 0);
  EXPECT_TRUE(std::isfinite(ExpOf(700)));
  EXPECT_TRUE(std::isnan(ExpOf(NAN)));
}

}  // namespace
}  // namespace assay
