// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <unsupported/Eigen/AutoDiff>

namespace assay::layernorm {
namespace {

using Real = long double;

struct Shape {
  std::size_t rows;
  std::size_t features;
};

template <typename T>
Problem<T> RandomProblem(Shape shape, std::uint64_t seed, T offset = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto fill = [&](std::vector<T>& values, std::size_t count, T centre) {
    values.resize(count);
    std::ranges::generate(values, [&] { return centre + static_cast<T>(normal(random)); });
  };
  Problem<T> problem{.rows = shape.rows, .features = shape.features};
  fill(problem.x, shape.rows * shape.features, offset);
  fill(problem.gamma, shape.features, 1);
  fill(problem.beta, shape.features, 0);
  fill(problem.dy, shape.rows * shape.features, 0);
  return problem;
}

Real LargestMagnitude(const std::vector<Real>& values) {
  Real largest = 0;
  for (const Real value : values) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// Largest difference over the largest magnitude of `want`.
Real RelativeDistance(const std::vector<Real>& got, const std::vector<Real>& want) {
  EXPECT_EQ(got.size(), want.size());
  Real distance = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    distance = std::max(distance, std::abs(got[i] - want[i]));
  }
  return distance / std::max(LargestMagnitude(want), Real(1e-30));
}

/// Outputs of an implementation in T.
template <typename T>
struct Computed {
  std::vector<T> y, dx, dgamma, dbeta;
};

enum class Variance { kTwoPass, kWelford, kNaive };
enum class Form { kSavedNormalised, kFoldedStatistics };

/// Mean and reciprocal deviation of one row in T, summed in order.
template <typename T>
std::pair<T, T> Statistics(const T* x, std::size_t features, T eps, Variance variance) {
  const T count = static_cast<T>(features);
  T mean = 0;
  T squares = 0;
  switch (variance) {
    case Variance::kTwoPass:
      for (std::size_t j = 0; j < features; ++j) {
        mean += x[j];
      }
      mean /= count;
      for (std::size_t j = 0; j < features; ++j) {
        squares += (x[j] - mean) * (x[j] - mean);
      }
      return {mean, 1 / std::sqrt(squares / count + eps)};
    case Variance::kWelford:
      for (std::size_t j = 0; j < features; ++j) {
        const T before = x[j] - mean;
        mean += before / static_cast<T>(j + 1);
        squares += before * (x[j] - mean);
      }
      return {mean, 1 / std::sqrt(squares / count + eps)};
    case Variance::kNaive:
      break;
  }
  for (std::size_t j = 0; j < features; ++j) {
    mean += x[j];
  }
  mean /= count;
  for (std::size_t j = 0; j < features; ++j) {
    squares += x[j] * x[j];
  }
  return {mean, 1 / std::sqrt(squares / count - mean * mean + eps)};
}

/// A right implementation in T (but for kNaive), in the two forms found in libraries: xhat saved,
/// or x and its statistics saved and the normalisation folded into x*a + b (PyTorch on the CPU).
template <typename T>
Computed<T> Compute(const Problem<T>& problem, Variance variance, Form form) {
  const std::size_t features = problem.features;
  const T count = static_cast<T>(features);
  Computed<T> out{.y = std::vector<T>(problem.x.size()),
                  .dx = std::vector<T>(problem.x.size()),
                  .dgamma = std::vector<T>(features),
                  .dbeta = std::vector<T>(features)};
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const T* x = problem.x.data() + i * features;
    const T* dy = problem.dy.data() + i * features;
    const auto [mean, rstd] = Statistics(x, features, problem.eps, variance);
    T sum_d = 0;
    T sum_dx = 0;
    for (std::size_t j = 0; j < features; ++j) {
      const T d = dy[j] * problem.gamma[j];
      const T xhat =
          form == Form::kFoldedStatistics ? x[j] * rstd + -mean * rstd : (x[j] - mean) * rstd;
      out.y[i * features + j] = xhat * problem.gamma[j] + problem.beta[j];
      out.dgamma[j] += dy[j] * xhat;
      out.dbeta[j] += dy[j];
      sum_d += d;
      sum_dx += d * (form == Form::kFoldedStatistics ? x[j] : xhat);
    }
    for (std::size_t j = 0; j < features; ++j) {
      const T d = dy[j] * problem.gamma[j];
      if (form == Form::kFoldedStatistics) {
        const T slope = (sum_d * mean - sum_dx) * rstd * rstd * rstd / count;
        const T constant = -slope * mean - sum_d * rstd / count;
        out.dx[i * features + j] = rstd * d + slope * x[j] + constant;
      } else {
        const T xhat = (x[j] - mean) * rstd;
        out.dx[i * features + j] = rstd * (d - sum_d / count - xhat * (sum_dx / count));
      }
    }
  }
  return out;
}

/// Largest error over its bound.
template <typename T>
double WorstOverBound(const std::vector<T>& got, const std::vector<Real>& want,
                      const std::vector<double>& bound) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = static_cast<double>(std::abs(Real(got[i]) - want[i]));
    worst = std::max(worst, std::isnan(error) ? INFINITY : error / bound[i]);
  }
  return worst;
}

template <typename T>
double WorstOverBound(const Computed<T>& got, const Answer& answer) {
  return std::max({WorstOverBound(got.y, answer.forward.y, answer.bounds.y),
                   WorstOverBound(got.dx, answer.gradients.dx, answer.bounds.dx),
                   WorstOverBound(got.dgamma, answer.gradients.dgamma, answer.bounds.dgamma),
                   WorstOverBound(got.dbeta, answer.gradients.dbeta, answer.bounds.dbeta)});
}

constexpr Shape kShapes[] = {{1, 1},  {1, 2},   {7, 3},   {5, 31},
                             {4, 64}, {3, 257}, {33, 16}, {2, 1025}};

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

/// Every right way to compute stays below the bound, and not so far below that it says nothing.
template <typename T>
void ExpectRightImplementationsInside() {
  std::uint64_t seed = 100;
  for (const Shape shape : kShapes) {
    for (const double offset : {0.0, 3.0, 300.0}) {
      const auto problem = RandomProblem<T>(shape, seed++, static_cast<T>(offset));
      const Answer answer = Solve(problem);
      for (const Variance variance : {Variance::kTwoPass, Variance::kWelford}) {
        for (const Form form : {Form::kSavedNormalised, Form::kFoldedStatistics}) {
          const double worst = WorstOverBound(Compute(problem, variance, form), answer);
          EXPECT_LE(worst, 1) << shape.rows << 'x' << shape.features << " offset " << offset;
          if (shape.features > 2) {
            EXPECT_GE(worst, 1e-3) << shape.rows << 'x' << shape.features << " offset " << offset;
          }
        }
      }
    }
  }
}
TEST(ErrorBounds, HoldRightFloatImplementations) { ExpectRightImplementationsInside<float>(); }
TEST(ErrorBounds, HoldRightDoubleImplementations) { ExpectRightImplementationsInside<double>(); }

/// A bound that nothing reaches would hold everything, so each output's must be in sight.
TEST(ErrorBounds, AreInSightForEveryOutput) {
  const auto problem = RandomProblem<float>({33, 16}, 41, 1.0F);
  const auto got = Compute(problem, Variance::kTwoPass, Form::kSavedNormalised);
  const Answer answer = Solve(problem);
  EXPECT_GT(WorstOverBound(got.y, answer.forward.y, answer.bounds.y), 0.01);
  EXPECT_GT(WorstOverBound(got.dx, answer.gradients.dx, answer.bounds.dx), 0.01);
  EXPECT_GT(WorstOverBound(got.dgamma, answer.gradients.dgamma, answer.bounds.dgamma), 0.01);
  EXPECT_GT(WorstOverBound(got.dbeta, answer.gradients.dbeta, answer.bounds.dbeta), 0.01);
}

TEST(ErrorBounds, HoldLongSequentialSums) {
  for (const Shape shape : {Shape{3, 65536}, Shape{65537, 16}}) {
    auto problem = RandomProblem<float>(shape, 7, 4.0F);
    const Answer answer = Solve(problem);
    EXPECT_LE(WorstOverBound(Compute(problem, Variance::kTwoPass, Form::kSavedNormalised), answer),
              1);
    EXPECT_LE(WorstOverBound(Compute(problem, Variance::kWelford, Form::kSavedNormalised), answer),
              1);
  }
}

TEST(ErrorBounds, RejectNaiveVarianceFarFromZero) {
  for (const std::size_t features : {16U, 33U, 64U}) {
    const auto single = RandomProblem<float>({8, features}, features, 1e4F);
    EXPECT_GT(
        WorstOverBound(Compute(single, Variance::kNaive, Form::kSavedNormalised), Solve(single)),
        10);
    const auto twice = RandomProblem<double>({8, features}, features, 1e6);
    EXPECT_GT(
        WorstOverBound(Compute(twice, Variance::kNaive, Form::kSavedNormalised), Solve(twice)), 10);
  }
}

TEST(ErrorBounds, RejectArithmeticOfANarrowerType) {
  for (const Shape shape : {Shape{7, 33}, Shape{4, 768}}) {
    const auto wide = RandomProblem<double>(shape, 9);
    Problem<float> narrow{.rows = wide.rows, .features = wide.features};
    narrow.x.assign(wide.x.begin(), wide.x.end());
    narrow.gamma.assign(wide.gamma.begin(), wide.gamma.end());
    narrow.beta.assign(wide.beta.begin(), wide.beta.end());
    narrow.dy.assign(wide.dy.begin(), wide.dy.end());
    const auto got = Compute(narrow, Variance::kTwoPass, Form::kSavedNormalised);
    EXPECT_GT(WorstOverBound(got.dx, Solve(wide).gradients.dx, Solve(wide).bounds.dx), 1e3);
  }
}

TEST(ErrorBounds, RejectTermsLeftOut) {
  const auto problem = RandomProblem<float>({7, 768}, 11);
  const Answer answer = Solve(problem);
  Computed<float> right = Compute(problem, Variance::kTwoPass, Form::kSavedNormalised);
  std::vector<float> without_mean = right.dx;
  std::vector<float> without_xhat = right.dx;
  for (std::size_t i = 0; i < problem.rows; ++i) {
    Real first = 0;
    Real second = 0;
    for (std::size_t j = 0; j < 768; ++j) {
      const Real d = Real(problem.dy[i * 768 + j]) * problem.gamma[j];
      first += d / 768;
      second += d * answer.forward.xhat[i * 768 + j] / 768;
    }
    const Real rstd = answer.forward.rstd[i];
    for (std::size_t j = 0; j < 768; ++j) {
      without_mean[i * 768 + j] += static_cast<float>(rstd * first);
      without_xhat[i * 768 + j] +=
          static_cast<float>(rstd * second * answer.forward.xhat[i * 768 + j]);
    }
  }
  const auto over = [&](const std::vector<float>& dx) {
    return WorstOverBound(dx, answer.gradients.dx, answer.bounds.dx);
  };
  EXPECT_LE(over(right.dx), 1);
  EXPECT_GT(over(without_mean), 10);
  EXPECT_GT(over(without_xhat), 10);
  for (float& value : right.dx) {
    value *= 1.001F;
  }
  EXPECT_GT(over(right.dx), 10);
}

/// The statistics of the problem's rows, rounded to float; with them, what float arithmetic gives.
struct Given {
  std::vector<float> mean, rstd;
};
Given RoundedStatistics(const Problem<float>& problem) {
  const Normalised forward = Forward(problem);
  return {.mean = std::vector<float>(forward.mean.begin(), forward.mean.end()),
          .rstd = std::vector<float>(forward.rstd.begin(), forward.rstd.end())};
}

/// dx, dgamma and dbeta in float, in the order of the elements.
Computed<float> ComputeWith(const Problem<float>& problem, const Given& given) {
  const std::size_t features = problem.features;
  Computed<float> out{.y = {},
                      .dx = std::vector<float>(problem.x.size()),
                      .dgamma = std::vector<float>(features),
                      .dbeta = std::vector<float>(features)};
  for (std::size_t i = 0; i < problem.rows; ++i) {
    float sum_d = 0;
    float sum_d_xhat = 0;
    std::vector<float> xhat(features);
    for (std::size_t j = 0; j < features; ++j) {
      const float dy = problem.dy[i * features + j];
      xhat[j] = (problem.x[i * features + j] - given.mean[i]) * given.rstd[i];
      out.dgamma[j] += dy * xhat[j];
      out.dbeta[j] += dy;
      sum_d += dy * problem.gamma[j];
      sum_d_xhat += dy * problem.gamma[j] * xhat[j];
    }
    const auto count = static_cast<float>(features);
    for (std::size_t j = 0; j < features; ++j) {
      const float d = problem.dy[i * features + j] * problem.gamma[j];
      out.dx[i * features + j] =
          given.rstd[i] * (d - sum_d / count - xhat[j] * (sum_d_xhat / count));
    }
  }
  return out;
}

TEST(GivenStatistics, AgreeWithClosedFormWhereTheyAreThoseOfX) {
  const auto problem = RandomProblem<double>({6, 40}, 21);
  const Normalised forward = Forward(problem);
  const Answer answer =
      SolveWith(problem, std::vector<double>(forward.mean.begin(), forward.mean.end()),
                std::vector<double>(forward.rstd.begin(), forward.rstd.end()));
  const Gradients want = Backward(problem, forward);
  EXPECT_LT(RelativeDistance(answer.gradients.dx, want.dx), 1e-14L);
  EXPECT_LT(RelativeDistance(answer.gradients.dgamma, want.dgamma), 1e-14L);
  EXPECT_LT(RelativeDistance(answer.forward.y, forward.y), 1e-14L);
}

/// The bits that were given count: gradients from others are far outside, also where those are
/// nearer to the statistics of x.
TEST(GivenStatistics, AreWhatIsJudged) {
  const auto problem = RandomProblem<float>({9, 200}, 22, 50);
  const Given exact = RoundedStatistics(problem);
  Given moved = exact;
  for (std::size_t i = 0; i < problem.rows; ++i) {
    moved.mean[i] += 0.25F;
    moved.rstd[i] *= 1.5F;
  }
  const Answer answer = SolveWith(problem, moved.mean, moved.rstd);
  const auto over = [&](const Computed<float>& got) {
    return std::max(WorstOverBound(got.dx, answer.gradients.dx, answer.bounds.dx),
                    WorstOverBound(got.dgamma, answer.gradients.dgamma, answer.bounds.dgamma));
  };
  EXPECT_LE(over(ComputeWith(problem, moved)), 1);
  EXPECT_GT(over(ComputeWith(problem, exact)), 10);
}

/// Statistics that are given are exact, so that the bounds far from zero are narrower.
TEST(GivenStatistics, NarrowTheBounds) {
  const auto problem = RandomProblem<float>({4, 300}, 23, 1e4F);
  const Given given = RoundedStatistics(problem);
  const Answer with = SolveWith(problem, given.mean, given.rstd);
  const Answer taken = Solve(problem);
  for (std::size_t i = 0; i < with.bounds.dx.size(); ++i) {
    ASSERT_LT(with.bounds.dx[i], taken.bounds.dx[i]) << i;
  }
}

TEST(GivenStatistics, OutputsOfForwardHaveBounds) {
  for (const float offset : {0.0F, 100.0F}) {
    const auto problem = RandomProblem<float>({5, 300}, 24, offset);
    const Answer answer = Solve(problem);
    std::vector<float> mean, rstd, wrong_rstd;
    for (std::size_t i = 0; i < problem.rows; ++i) {
      const float* x = problem.x.data() + i * problem.features;
      const auto right = Statistics(x, problem.features, problem.eps, Variance::kTwoPass);
      mean.push_back(right.first);
      rstd.push_back(right.second);
      wrong_rstd.push_back(right.second * 1.2F);
    }
    EXPECT_LE(WorstOverBound(mean, answer.forward.mean, answer.bounds.mean), 1);
    EXPECT_LE(WorstOverBound(rstd, answer.forward.rstd, answer.bounds.rstd), 1);
    EXPECT_GT(WorstOverBound(wrong_rstd, answer.forward.rstd, answer.bounds.rstd), 1);
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
