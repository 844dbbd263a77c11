// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_ORACLE_TEST_SUPPORT_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_ORACLE_TEST_SUPPORT_H_

// What the unit tests of the oracle, of its bounds and of the baseline share: random problems and
// distances.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "oracle.h"

namespace assay::layernorm {

using Real = long double;

struct Shape {
  std::size_t rows;
  std::size_t features;
};

/// From one element to more than a vector of the baseline, rows and features odd and even.
inline constexpr Shape kShapes[] = {{1, 1},  {1, 2},   {7, 3},   {5, 31},
                                    {4, 64}, {3, 257}, {33, 16}, {2, 1025}};

/// Normally distributed: x around `offset`, gamma around 1, the others around 0.
template <typename T>
Problem<T> RandomProblem(Shape shape, std::uint64_t seed, double offset = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto fill = [&](std::vector<T>& values, std::size_t count, double centre) {
    values.resize(count);
    std::ranges::generate(values, [&] { return static_cast<T>(centre + normal(random)); });
  };
  Problem<T> problem{.rows = shape.rows, .features = shape.features};
  fill(problem.x, shape.rows * shape.features, offset);
  fill(problem.gamma, shape.features, 1);
  fill(problem.beta, shape.features, 0);
  fill(problem.dy, shape.rows * shape.features, 0);
  return problem;
}

inline Real LargestMagnitude(const std::vector<Real>& values) {
  Real largest = 0;
  for (const Real value : values) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// Largest difference over the largest magnitude of `want`.
inline Real RelativeDistance(const std::vector<Real>& got, const std::vector<Real>& want) {
  EXPECT_EQ(got.size(), want.size());
  Real distance = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    distance = std::max(distance, std::abs(got[i] - want[i]));
  }
  return distance / std::max(LargestMagnitude(want), Real(1e-30));
}

/// Largest error over its bound; infinite where one is NaN.
template <typename T>
double WorstOverBound(const std::vector<T>& got, const std::vector<Real>& want,
                      const std::vector<double>& bound) {
  double worst = 0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    const double error = std::abs(static_cast<double>(got[k] - want[k]));
    if (error == 0) {
      continue;
    }
    const double ratio = error / bound[k];
    worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : std::max(worst, ratio);
  }
  return worst;
}

}  // namespace assay::layernorm

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_ORACLE_TEST_SUPPORT_H_
