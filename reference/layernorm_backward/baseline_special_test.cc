// SPDX-License-Identifier: Apache-2.0
// The CPU form against the oracle at NaN, infinities and zeros of both signs, at every place of
// small rows and of rows of several vectors. With one feature interface.h says both that dx is 0
// and that it is not finite beside a NaN, so that rows of special values begin at two.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "baseline_test_support.h"
#include "client/compare.h"
#include "interface.h"
#include "oracle.h"
#include "special_values.h"

namespace assay::layernorm {
namespace {

template <typename T>
void ExpectWithin(const char* output, const std::vector<T>& got,
                  const std::vector<long double>& want, const std::vector<double>& bounds) {
  const Comparison compared = CompareWithin<T, long double>(got, want, bounds, {});
  EXPECT_TRUE(compared.AllWithin()) << Describe(output, compared);
}

template <typename T>
void ExpectRight(const Problem<T>& problem) {
  const Outputs<T> got = ForwardAndBackward(problem);
  const Answer want = Solve(problem);
  ExpectWithin("y", got.y, want.forward.y, want.bounds.y);
  ExpectWithin("dx", got.dx, want.gradients.dx, want.bounds.dx);
  ExpectWithin("dgamma", got.dgamma, want.gradients.dgamma, want.bounds.dgamma);
  ExpectWithin("dbeta", got.dbeta, want.gradients.dbeta, want.bounds.dbeta);
}

/// Ordinary numbers, no two neighbours alike.
template <typename T>
Problem<T> OrdinaryProblem(std::size_t rows, std::size_t features) {
  const auto fill = [](std::size_t count, double first) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<T>(first + std::sin(static_cast<double>(i) * 1.7 + first));
    }
    return values;
  };
  return {.rows = rows,
          .features = features,
          .x = fill(rows * features, 0.25),
          .gamma = fill(features, 2),
          .beta = fill(features, 0.5),
          .dy = fill(rows * features, -0.75)};
}

/// Which input of a problem has the special values.
template <typename T>
using Input = std::vector<T> Problem<T>::*;

/// Each row of them between two ordinary ones.
template <typename T>
void ExpectRightAtEveryRow(Input<T> input, std::size_t features) {
  const std::vector<T> rows = EveryRowOf(kSpecialValues<T>, features);
  Problem<T> problem = OrdinaryProblem<T>(3, features);
  const std::span<T> special = std::span(problem.*input).subspan(features, features);
  for (std::size_t first = 0; first < rows.size(); first += features) {
    const std::span<const T> row = std::span(rows).subspan(first, features);
    std::ranges::copy(row, special.begin());
    ExpectRight(problem);
    ASSERT_FALSE(testing::Test::HasFailure())
        << sizeof(T) << "-byte elements, " << (input == &Problem<T>::x ? "x" : "dy") << " is "
        << testing::PrintToString(std::vector<T>(row.begin(), row.end()));
  }
}

template <typename T>
class LayernormSpecialValues : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(LayernormSpecialValues, Types);

TYPED_TEST(LayernormSpecialValues, EveryRowOfUpToSixInX) {
  for (std::size_t features = 2; features <= kMostSpecialValues; ++features) {
    ASSERT_NO_FATAL_FAILURE(ExpectRightAtEveryRow(&Problem<TypeParam>::x, features));
  }
}

TYPED_TEST(LayernormSpecialValues, EveryRowOfUpToSixInDy) {
  for (std::size_t features = 2; features <= kMostSpecialValues; ++features) {
    ASSERT_NO_FATAL_FAILURE(ExpectRightAtEveryRow(&Problem<TypeParam>::dy, features));
  }
}

/// Rows of three vectors of 16 and a few more, in a block of rows and behind it.
TYPED_TEST(LayernormSpecialValues, OneAtEveryPlaceOfLongerRows) {
  constexpr std::size_t kRows = 6;
  constexpr std::size_t kFeatures = 53;
  for (const Input<TypeParam> input : {&Problem<TypeParam>::x, &Problem<TypeParam>::dy}) {
    Problem<TypeParam> problem = OrdinaryProblem<TypeParam>(kRows, kFeatures);
    for (std::size_t at = 0; at < kRows * kFeatures; ++at) {
      const TypeParam ordinary = (problem.*input)[at];
      for (const TypeParam special : kSpecialValues<TypeParam>) {
        (problem.*input)[at] = special;
        ExpectRight(problem);
        ASSERT_FALSE(testing::Test::HasFailure())
            << special << " at row " << at / kFeatures << ", column " << at % kFeatures;
      }
      (problem.*input)[at] = ordinary;
    }
  }
}

}  // namespace
}  // namespace assay::layernorm
