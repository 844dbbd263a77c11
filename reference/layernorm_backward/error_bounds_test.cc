// SPDX-License-Identifier: Apache-2.0
// The oracle's error bounds hold every right way to compute, and none that is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "oracle.h"
#include "oracle_test_support.h"

namespace assay::layernorm {
namespace {

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

template <typename T>
double WorstOfAll(const Computed<T>& got, const Answer& answer) {
  return std::max({WorstOverBound(got.y, answer.forward.y, answer.bounds.y),
                   WorstOverBound(got.dx, answer.gradients.dx, answer.bounds.dx),
                   WorstOverBound(got.dgamma, answer.gradients.dgamma, answer.bounds.dgamma),
                   WorstOverBound(got.dbeta, answer.gradients.dbeta, answer.bounds.dbeta)});
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
          const double worst = WorstOfAll(Compute(problem, variance, form), answer);
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
    EXPECT_LE(WorstOfAll(Compute(problem, Variance::kTwoPass, Form::kSavedNormalised), answer), 1);
    EXPECT_LE(WorstOfAll(Compute(problem, Variance::kWelford, Form::kSavedNormalised), answer), 1);
  }
}

TEST(ErrorBounds, RejectNaiveVarianceFarFromZero) {
  for (const std::size_t features : {16U, 33U, 64U}) {
    const auto single = RandomProblem<float>({8, features}, features, 1e4F);
    EXPECT_GT(WorstOfAll(Compute(single, Variance::kNaive, Form::kSavedNormalised), Solve(single)),
              10);
    const auto twice = RandomProblem<double>({8, features}, features, 1e6);
    EXPECT_GT(WorstOfAll(Compute(twice, Variance::kNaive, Form::kSavedNormalised), Solve(twice)),
              10);
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

}  // namespace
}  // namespace assay::layernorm
