// SPDX-License-Identifier: Apache-2.0
#include "client/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace assay {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Comparison Compare(const std::vector<double>& got, const std::vector<long double>& want,
                   const std::vector<double>& bound, const std::vector<double>& poison = {}) {
  return CompareWithin<double, long double>(got, want, bound, poison);
}

TEST(CompareWithin, EqualsArePerfectEvenWithBoundZero) {
  const Comparison result = Compare({1, -2, 0}, {1, -2, 0}, {0, 0, 0});
  EXPECT_TRUE(result.AllWithin());
  EXPECT_EQ(result.error_over_bound, 0);
  EXPECT_EQ(result.elements, 3U);
}

TEST(CompareWithin, NothingToCompareIsWithin) {
  const Comparison result = Compare({}, {}, {});
  EXPECT_TRUE(result.AllWithin());
  EXPECT_EQ(result.error_over_bound, 0);
}

TEST(CompareWithin, ErrorEqualToBoundIsWithin) {
  const Comparison result = Compare({1.5}, {1}, {0.5});
  EXPECT_TRUE(result.AllWithin());
  EXPECT_EQ(result.error_over_bound, 1);
}

TEST(CompareWithin, ErrorJustOverBoundIsOutside) {
  const Comparison result = Compare({std::nextafter(1.5, 2)}, {1}, {0.5});
  EXPECT_FALSE(result.AllWithin());
  EXPECT_GT(result.error_over_bound, 1);
}

TEST(CompareWithin, ReportsWorstAndFirst) {
  const Comparison result = Compare({1, 1.2, 1, 4}, {1, 1, 1, 1}, {0.1, 0.1, 0.1, 0.1});
  EXPECT_EQ(result.outside, 2U);
  EXPECT_EQ(result.first_outside, 1U);
  EXPECT_EQ(result.worst_index, 3U);
  EXPECT_NEAR(result.error_over_bound, 30, 1e-9);
  EXPECT_EQ(result.got, 1.2);  // Of the first one outside: where a reader starts to look.
}

TEST(CompareWithin, NanIsNeverRightForANumber) {
  const Comparison result = Compare({kNan}, {1}, {1e300});
  EXPECT_FALSE(result.AllWithin());
  EXPECT_EQ(result.error_over_bound, kInf);
}

TEST(CompareWithin, ExpectedNanMustBeNan) {
  EXPECT_TRUE(Compare({kNan}, {std::nanl("")}, {0}).AllWithin());
  EXPECT_TRUE(Compare({-kNan}, {std::nanl("7")}, {0}).AllWithin());
  EXPECT_FALSE(Compare({1}, {std::nanl("")}, {1e300}).AllWithin());
  EXPECT_FALSE(Compare({kInf}, {std::nanl("")}, {0}).AllWithin());
}

TEST(CompareWithin, ExpectedInfinityMustBeThatInfinity) {
  const long double infinity = std::numeric_limits<long double>::infinity();
  EXPECT_TRUE(Compare({kInf}, {infinity}, {0}).AllWithin());
  EXPECT_FALSE(Compare({-kInf}, {infinity}, {1}).AllWithin());
  EXPECT_FALSE(Compare({1e308}, {infinity}, {1}).AllWithin());
}

TEST(CompareWithin, BoundThatIsNotFiniteAsksForAValueThatIsNotFinite) {
  for (const long double want : {std::nanl(""), std::numeric_limits<long double>::infinity()}) {
    for (const double bound : {kNan, kInf}) {
      EXPECT_TRUE(
          Compare({kNan, kInf, -kInf}, {want, want, want}, {bound, bound, bound}).AllWithin());
      EXPECT_FALSE(Compare({1e308}, {want}, {bound}).AllWithin());
    }
  }
}

TEST(CompareWithin, InfinityIsNotRightForANumber) {
  EXPECT_FALSE(Compare({kInf}, {1}, {1e300}).AllWithin());
}

TEST(CompareWithin, BoundZeroAndAnyErrorIsInfinitelyWrong) {
  EXPECT_EQ(Compare({1e-300}, {0}, {0}).error_over_bound, kInf);
}

TEST(CompareWithin, ErrorIsTakenInLongDouble) {
  // In double the wanted value would round to 1 and the error vanish.
  const long double want = 1 + std::ldexp(1.0L, -60);
  EXPECT_FALSE(Compare({1}, {want}, {std::ldexp(1.0, -61)}).AllWithin());
  EXPECT_TRUE(Compare({1}, {want}, {std::ldexp(1.0, -59)}).AllWithin());
}

TEST(CompareWithin, FloatAgainstDouble) {
  const std::vector<float> got{1.0F};
  const std::vector<double> want{1.0 + 1e-9};
  const std::vector<double> bound{1e-8};
  EXPECT_TRUE((CompareWithin<float, double>(got, want, bound).AllWithin()));
}

TEST(CompareWithin, UnwrittenElementIsNamed) {
  const Comparison result = Compare({1, 7, 8, 3}, {1, 2, 3, 4}, {0, 0, 0, 0}, {5, 7, 8, 9});
  EXPECT_EQ(result.outside, 3U);
  EXPECT_EQ(result.unwritten, 2U);
  EXPECT_TRUE(result.first_outside_unwritten);
  EXPECT_THAT(Describe("dx", result), HasSubstr("dx: element 1 was never written"));
}

TEST(CompareWithin, PoisonThatIsANanIsRecognisedByItsBits) {
  const Comparison result = Compare({kNan}, {2}, {0}, {kNan});
  EXPECT_EQ(result.unwritten, 1U);
}

TEST(CompareWithin, WrongButWrittenIsNotCalledUnwritten) {
  const Comparison result = Compare({6}, {2}, {0}, {5});
  EXPECT_EQ(result.unwritten, 0U);
  EXPECT_THAT(Describe("dx", result), HasSubstr("first [0]: got 6, want 2, bound 0"));
}

TEST(CompareWithin, UnequalLengthsAreTheSuitesFault) {
  EXPECT_THROW((void)Compare({1, 2}, {1}, {0}), std::invalid_argument);
  EXPECT_THROW((void)Compare({1}, {1}, {}), std::invalid_argument);
  EXPECT_THROW((void)Compare({1}, {1}, {0}, {1, 2}), std::invalid_argument);
}

TEST(CompareWithin, BoundThatIsNoBoundIsTheSuitesFault) {
  EXPECT_THROW((void)Compare({1}, {1}, {-1}), std::invalid_argument);
  EXPECT_THROW((void)Compare({1}, {1}, {kNan}), std::invalid_argument);
  EXPECT_THROW((void)Compare({1}, {1}, {kInf}), std::invalid_argument);
}

}  // namespace
}  // namespace assay
