// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <unsupported/Eigen/AutoDiff>
#include <vector>

#include "oracle_test_support.h"

namespace assay::layernorm {
namespace {

TEST(Oracle, ChainRuleAgreesWithClosedForm) {
  std::uint64_t seed = 1;
  for (const Shape shape : kShapes) {
    for (const double offset : {0.0, 100.0}) {
      const auto problem = RandomProblem<double>(shape, seed++, offset);
      const Gradients closed = Backward(problem, Forward(problem));
      const Gradients chained = BackwardByChainRule(problem);
      EXPECT_LT(RelativeDistance(chained.dx, closed.dx), 1e-12L) << shape.features;
      EXPECT_LT(RelativeDistance(chained.dgamma, closed.dgamma), 1e-14L) << shape.features;
      EXPECT_LT(RelativeDistance(chained.dbeta, closed.dbeta), 1e-14L) << shape.features;
    }
  }
}

/// L = sum(dy * y) on Eigen's automatic differentiation, from the definition of the forward pass.
TEST(Oracle, AgreesWithAutomaticDifferentiation) {
  for (const Shape shape : {Shape{1, 1}, Shape{2, 2}, Shape{3, 5}, Shape{4, 9}}) {
    using Derivative = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
    using Scalar = Eigen::AutoDiffScalar<Derivative>;
    const auto problem = RandomProblem<double>(shape, 17 + shape.features, 3.0);
    const std::size_t elements = shape.rows * shape.features;
    const auto variables = static_cast<int>(elements + 2 * shape.features);
    int next = 0;
    const auto variable = [&](double value) { return Scalar(value, variables, next++); };
    std::vector<Scalar> x, gamma, beta;
    std::ranges::transform(problem.x, std::back_inserter(x), variable);
    std::ranges::transform(problem.gamma, std::back_inserter(gamma), variable);
    std::ranges::transform(problem.beta, std::back_inserter(beta), variable);

    Scalar loss(0.0L, Derivative::Zero(variables));
    for (std::size_t i = 0; i < shape.rows; ++i) {
      Scalar mean(0.0L, Derivative::Zero(variables));
      Scalar variance(0.0L, Derivative::Zero(variables));
      for (std::size_t j = 0; j < shape.features; ++j) {
        mean += x[i * shape.features + j];
      }
      mean = mean / Real(shape.features);
      for (std::size_t j = 0; j < shape.features; ++j) {
        const Scalar centred = x[i * shape.features + j] - mean;
        variance += centred * centred;
      }
      variance = variance / Real(shape.features);
      const Scalar radicand = variance + Real(problem.eps);
      const Scalar deviation = sqrt(radicand);
      for (std::size_t j = 0; j < shape.features; ++j) {
        const Scalar centred = x[i * shape.features + j] - mean;
        const Scalar y = centred / deviation * gamma[j] + beta[j];
        loss += y * Real(problem.dy[i * shape.features + j]);
      }
    }
    const Gradients got = Backward(problem, Forward(problem));
    const auto part = [&](std::size_t from, std::size_t count) {
      const Real* begin = loss.derivatives().data() + from;
      return std::vector<Real>(begin, begin + count);
    };
    EXPECT_LT(RelativeDistance(got.dx, part(0, elements)), 1e-13L);
    EXPECT_LT(RelativeDistance(got.dgamma, part(elements, shape.features)), 1e-13L);
    EXPECT_LT(RelativeDistance(got.dbeta, part(elements + shape.features, shape.features)), 1e-13L);
  }
}

TEST(Oracle, AgreesWithCentralDifferences) {
  const auto problem = RandomProblem<double>({3, 6}, 23, 1.0);
  const Gradients got = Backward(problem, Forward(problem));
  const auto loss = [](const Problem<double>& at) {
    const Normalised forward = Forward(at);
    Real sum = 0;
    for (std::size_t i = 0; i < at.dy.size(); ++i) {
      sum += forward.y[i] * at.dy[i];
    }
    return sum;
  };
  // A power of two, so that x + step - step is x.
  constexpr double kStep = 0x1p-12;
  const auto differences = [&](std::vector<double> Problem<double>::* tensor) {
    std::vector<Real> result;
    Problem<double> moved = problem;
    for (std::size_t i = 0; i < (moved.*tensor).size(); ++i) {
      (moved.*tensor)[i] = (problem.*tensor)[i] + kStep;
      const Real above = loss(moved);
      (moved.*tensor)[i] = (problem.*tensor)[i] - kStep;
      const Real below = loss(moved);
      (moved.*tensor)[i] = (problem.*tensor)[i];
      result.push_back((above - below) / (2 * kStep));
    }
    return result;
  };
  EXPECT_LT(RelativeDistance(got.dx, differences(&Problem<double>::x)), 1e-6L);
  EXPECT_LT(RelativeDistance(got.dgamma, differences(&Problem<double>::gamma)), 1e-9L);
  EXPECT_LT(RelativeDistance(got.dbeta, differences(&Problem<double>::beta)), 1e-9L);
}

TEST(Oracle, OneRowWorkedByHand) {
  // x = (1, 3): mean 2, var 1, and eps = 3 makes rstd = 1/2, xhat = (-1/2, 1/2).
  const Problem<double> problem{.rows = 1,
                                .features = 2,
                                .eps = 3,
                                .x = {1, 3},
                                .gamma = {2, 4},
                                .beta = {10, 20},
                                .dy = {1, 0}};
  const Answer answer = Solve(problem);
  EXPECT_THAT(answer.forward.xhat, testing::ElementsAre(-0.5L, 0.5L));
  EXPECT_THAT(answer.forward.y, testing::ElementsAre(9.0L, 22.0L));
  // d = (2, 0), M1 = 1, M2 = -1/2: dx = 1/2 (2 - 1 - 1/4, 0 - 1 + 1/4).
  EXPECT_THAT(answer.gradients.dx, testing::ElementsAre(0.375L, -0.375L));
  EXPECT_THAT(answer.gradients.dgamma, testing::ElementsAre(-0.5L, 0.0L));
  EXPECT_THAT(answer.gradients.dbeta, testing::ElementsAre(1.0L, 0.0L));
}

TEST(Oracle, OneHotDyGivesRowOfJacobian) {
  auto problem = RandomProblem<double>({1, 9}, 31);
  std::ranges::fill(problem.dy, 0.0);
  problem.dy[4] = 1;
  const Answer answer = Solve(problem);
  const auto& xhat = answer.forward.xhat;
  std::vector<Real> jacobian;
  for (std::size_t k = 0; k < 9; ++k) {
    const Real identity = k == 4 ? 1 : 0;
    jacobian.push_back(answer.forward.rstd[0] * problem.gamma[4] *
                       (identity - 1.0L / 9 - xhat[4] * xhat[k] / 9));
  }
  EXPECT_LT(RelativeDistance(answer.gradients.dx, jacobian), 1e-15L);
}

TEST(Oracle, NoRowsGiveZeroParameterGradients) {
  const Answer answer = Solve(RandomProblem<float>({0, 5}, 3));
  EXPECT_TRUE(answer.gradients.dx.empty());
  EXPECT_THAT(answer.gradients.dgamma, testing::Each(0.0L));
  EXPECT_THAT(answer.gradients.dbeta, testing::SizeIs(5));
}

TEST(Oracle, NanInOneRowStaysInThatRow) {
  auto problem = RandomProblem<float>({4, 8}, 5);
  problem.x[2 * 8 + 3] = std::numeric_limits<float>::quiet_NaN();
  const Answer answer = Solve(problem);
  for (std::size_t i = 0; i < 32; ++i) {
    const bool touched = i / 8 == 2;
    EXPECT_EQ(std::isnan(answer.forward.y[i]), touched) << i;
    EXPECT_EQ(std::isnan(answer.gradients.dx[i]), touched) << i;
    EXPECT_EQ(std::isfinite(answer.bounds.dx[i]), !touched) << i;
    EXPECT_EQ(std::isfinite(answer.bounds.y[i]), !touched) << i;
  }
  for (std::size_t j = 0; j < 8; ++j) {
    EXPECT_TRUE(std::isnan(answer.gradients.dgamma[j]));
    EXPECT_TRUE(std::isfinite(answer.gradients.dbeta[j]));
    EXPECT_TRUE(std::isfinite(answer.bounds.dbeta[j]));
  }
}

TEST(NormalisedError, IsTheWorstOverTheLargest) {
  EXPECT_DOUBLE_EQ(NormalisedError<double>({1, 2.5, -4}, {1, 2, -4}), 0.125);
}

/// Also when what comes after it is right: a NaN compares as neither larger nor smaller.
TEST(NormalisedError, OfANanAnywhere_IsInfinite) {
  for (std::size_t at = 0; at < 3; ++at) {
    std::vector<float> got = {1, 2, -4};
    got[at] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(NormalisedError<float>(got, {1, 2, -4}), std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace assay::layernorm
