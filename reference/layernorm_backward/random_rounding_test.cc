// SPDX-License-Identifier: Apache-2.0
// What random_rounding.h says of right implementations and of narrow storage, measured.

#include "random_rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "baseline_test_support.h"

namespace assay::layernorm {
namespace {

// ------------------------------------------------------------------------- right implementations

template <typename T>
struct RowStatistics {
  T mean;
  T rstd;
};

template <typename T>
RowStatistics<T> Sequential(const T* x, std::size_t features, T eps) {
  const T count = static_cast<T>(features);
  T mean = 0;
  for (std::size_t j = 0; j < features; ++j) {
    mean += x[j];
  }
  mean /= count;
  T squares = 0;
  for (std::size_t j = 0; j < features; ++j) {
    squares += (x[j] - mean) * (x[j] - mean);
  }
  return {mean, 1 / std::sqrt(squares / count + eps)};
}

template <typename T>
RowStatistics<T> Welford(const T* x, std::size_t features, T eps) {
  T mean = 0;
  T squares = 0;
  for (std::size_t j = 0; j < features; ++j) {
    const T before = x[j] - mean;
    mean += before / static_cast<T>(j + 1);
    squares += before * (x[j] - mean);
  }
  return {mean, 1 / std::sqrt(squares / static_cast<T>(features) + eps)};
}

template <typename T>
class KahanSum {
 public:
  void Add(T value) {
    const T corrected = value - lost_;
    const T next = sum_ + corrected;
    lost_ = (next - sum_) - corrected;
    sum_ = next;
  }
  [[nodiscard]] T sum() const { return sum_; }

 private:
  T sum_ = 0;
  T lost_ = 0;
};

/// Welford in blocks of 256, which Chan's formula joins, their means by Kahan's sums.
template <typename T>
RowStatistics<T> Blocks(const T* x, std::size_t features, T eps) {
  constexpr std::size_t kBlock = 256;
  KahanSum<T> total;
  KahanSum<T> squares;
  std::vector<T> means;
  std::vector<T> sizes;
  for (std::size_t first = 0; first < features; first += kBlock) {
    const std::size_t size = std::min(kBlock, features - first);
    T mean = 0;
    T of_block = 0;
    for (std::size_t j = 0; j < size; ++j) {
      const T before = x[first + j] - mean;
      mean += before / static_cast<T>(j + 1);
      of_block += before * (x[first + j] - mean);
    }
    squares.Add(of_block);
    total.Add(mean * static_cast<T>(size));
    means.push_back(mean);
    sizes.push_back(static_cast<T>(size));
  }
  const T mean = total.sum() / static_cast<T>(features);
  for (std::size_t b = 0; b < means.size(); ++b) {
    squares.Add(sizes[b] * (means[b] - mean) * (means[b] - mean));
  }
  return {mean, 1 / std::sqrt(squares.sum() / static_cast<T>(features) + eps)};
}

enum class Form { kSavedXhat, kFolded, kChainRule };

/// Where an implementation keeps less than it says.
enum class Narrow { kNothing, kXhat, kRstd, kGamma, kX };

/// `value` in as many bits of fraction, the leading one counted.
template <typename T>
T Rounded(T value, int bits) {
  int exponent = 0;
  const T fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

template <typename T>
struct Way {
  std::string name;
  RowStatistics<T> (*statistics)(const T*, std::size_t, T);
  Form form = Form::kSavedXhat;
  Narrow narrow = Narrow::kNothing;
  int bits = 0;

  [[nodiscard]] T Kept(T value, Narrow what) const {
    return what == narrow ? Rounded(value, bits) : value;
  }
};

/// dx of one row, from d, xhat and the row's statistics.
template <typename T>
struct BackwardRow {
  const T* x;
  const std::vector<T>& d;
  const std::vector<T>& xhat;
  T mean;
  T rstd;
  T* dx;

  void SavedXhat() const {
    const T count = static_cast<T>(d.size());
    T sum_d = 0;
    T sum_dxhat = 0;
    for (std::size_t j = 0; j < d.size(); ++j) {
      sum_d += d[j];
      sum_dxhat += d[j] * xhat[j];
    }
    for (std::size_t j = 0; j < d.size(); ++j) {
      dx[j] = rstd * (d[j] - sum_d / count - xhat[j] * (sum_dxhat / count));
    }
  }

  void Folded() const {
    const T count = static_cast<T>(d.size());
    T sum_d = 0;
    T sum_dx = 0;
    for (std::size_t j = 0; j < d.size(); ++j) {
      sum_d += d[j];
      sum_dx += d[j] * x[j];
    }
    const T slope = (sum_d * mean - sum_dx) * rstd * rstd * rstd / count;
    const T constant = -slope * mean - sum_d * rstd / count;
    for (std::size_t j = 0; j < d.size(); ++j) {
      dx[j] = rstd * d[j] + slope * x[j] + constant;
    }
  }

  void ChainRule() const {
    const T count = static_cast<T>(d.size());
    T rstd_gradient = 0;
    T mean_gradient = 0;
    T sum_centred = 0;
    for (std::size_t j = 0; j < d.size(); ++j) {
      rstd_gradient += d[j] * (x[j] - mean);
      mean_gradient -= d[j] * rstd;
      sum_centred += x[j] - mean;
    }
    const T variance_gradient = rstd_gradient * (T(-0.5) * rstd * rstd * rstd);
    mean_gradient += variance_gradient * (-2 * sum_centred / count);
    for (std::size_t j = 0; j < d.size(); ++j) {
      dx[j] = d[j] * rstd + variance_gradient * (2 * (x[j] - mean) / count) + mean_gradient / count;
    }
  }
};

template <typename T>
Outputs<T> Compute(const Problem<T>& problem, const Way<T>& way) {
  const std::size_t features = problem.features;
  Outputs<T> out{.y = std::vector<T>(problem.x.size()),
                 .dx = std::vector<T>(problem.x.size()),
                 .dgamma = std::vector<T>(features),
                 .dbeta = std::vector<T>(features)};
  std::vector<T> d(features);
  std::vector<T> xhat(features);
  std::vector<T> kept_x(features);
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const T* x = problem.x.data() + i * features;
    const T* dy = problem.dy.data() + i * features;
    const auto [mean, exact_rstd] = way.statistics(x, features, problem.eps);
    const T rstd = way.Kept(exact_rstd, Narrow::kRstd);
    for (std::size_t j = 0; j < features; ++j) {
      const T exact = way.form == Form::kFolded ? x[j] * exact_rstd + -mean * exact_rstd
                                                : (x[j] - mean) * exact_rstd;
      out.y[i * features + j] = exact * problem.gamma[j] + problem.beta[j];
      kept_x[j] = way.Kept(x[j], Narrow::kX);
      xhat[j] =
          way.narrow == Narrow::kX ? (kept_x[j] - mean) * rstd : way.Kept(exact, Narrow::kXhat);
      d[j] = dy[j] * way.Kept(problem.gamma[j], Narrow::kGamma);
      out.dgamma[j] += dy[j] * xhat[j];
      out.dbeta[j] += dy[j];
    }
    const BackwardRow<T> row{kept_x.data(), d, xhat, mean, rstd, out.dx.data() + i * features};
    switch (way.form) {
      case Form::kSavedXhat:
        row.SavedXhat();
        break;
      case Form::kFolded:
        row.Folded();
        break;
      case Form::kChainRule:
        row.ChainRule();
    }
  }
  return out;
}

// ------------------------------------------------------------------------------------- measuring

struct Ratios {
  double y, dx, dgamma, dbeta;
  [[nodiscard]] double Largest() const { return std::max({y, dx, dgamma, dbeta}); }
};

template <typename T>
Ratios RatiosOf(const Outputs<T>& got, const Answer& want, const Bounds& bounds) {
  return {.y = RmsOverBound<T>(got.y, want.forward.y, bounds.y),
          .dx = RmsOverBound<T>(got.dx, want.gradients.dx, bounds.dx),
          .dgamma = RmsOverBound<T>(got.dgamma, want.gradients.dgamma, bounds.dgamma),
          .dbeta = RmsOverBound<T>(got.dbeta, want.gradients.dbeta, bounds.dbeta)};
}

struct Shape {
  std::size_t rows;
  std::size_t features;
};
constexpr Shape kShapes[] = {{65'537, 8}, {200, 64},   {120, 512}, {96, 768},
                             {55, 1100},  {1500, 520}, {16, 4096}, {4, 20'011},
                             {4, 40'000}, {4, 70'000}, {9, 70'000}};

template <typename T>
class RandomRounding : public testing::Test {
 protected:
  static constexpr bool kIsFloat = std::is_same_v<T, float>;

  /// Of f16 (and tf32), bf16; of float where T is double.
  static std::vector<int> NarrowBits() {
    return kIsFloat ? std::vector<int>{11, 8} : std::vector<int>{24, 11};
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(RandomRounding, Types);

/// Half of what the bound admits: the rest is for what nobody has thought of.
TYPED_TEST(RandomRounding, RightImplementationsAreFarInside) {
  using T = TypeParam;
  const Way<T> ways[] = {{"sequential", Sequential<T>},
                         {"Welford", Welford<T>},
                         {"blocks", Blocks<T>},
                         {"x*a + b", Sequential<T>, Form::kFolded},
                         {"chain rule", Sequential<T>, Form::kChainRule}};
  double largest = 0;
  for (const Shape shape : kShapes) {
    for (const double offset : {0.0, 3.0, 30.0}) {
      const auto problem = RandomProblem<T>(shape.rows, shape.features, offset);
      const Answer answer = Solve(problem);
      const Bounds bounds = RandomRoundingBounds(problem, answer);
      for (const Way<T>& way : ways) {
        const Ratios ratios = RatiosOf(Compute(problem, way), answer, bounds);
        EXPECT_LT(ratios.Largest(), 0.5)
            << way.name << ", " << shape.rows << "x" << shape.features << ", offset " << offset
            << ": y " << ratios.y << ", dx " << ratios.dx << ", dgamma " << ratios.dgamma
            << ", dbeta " << ratios.dbeta;
        largest = std::max(largest, ratios.Largest());
      }
    }
  }
  std::cout << "largest of right implementations " << largest << '\n';
}

TYPED_TEST(RandomRounding, NarrowStorageIsOutside) {
  using T = TypeParam;
  double smallest = std::numeric_limits<double>::infinity();
  for (const Shape shape : kShapes) {
    const auto problem = RandomProblem<T>(shape.rows, shape.features);
    const Answer answer = Solve(problem);
    const Bounds bounds = RandomRoundingBounds(problem, answer);
    for (const Narrow narrow : {Narrow::kXhat, Narrow::kRstd, Narrow::kGamma, Narrow::kX}) {
      for (const int bits : TestFixture::NarrowBits()) {
        const Way<T> way{"", Sequential<T>, Form::kSavedXhat, narrow, bits};
        const Ratios ratios = RatiosOf(Compute(problem, way), answer, bounds);
        EXPECT_GT(ratios.Largest(), 1.5)
            << "tensor " << static_cast<int>(narrow) << " in " << bits << " bits, " << shape.rows
            << "x" << shape.features << ": y " << ratios.y << ", dx " << ratios.dx << ", dgamma "
            << ratios.dgamma << ", dbeta " << ratios.dbeta;
        smallest = std::min(smallest, ratios.Largest());
      }
    }
  }
  std::cout << "smallest of narrow storage " << smallest << '\n';
}

/// The hole that this bound closes.
TEST(WorstCase, HasRoomForHalfPrecision) {
  const auto problem = RandomProblem<float>(96, 768);
  const Answer answer = Solve(problem);
  const Outputs<float> narrow =
      Compute(problem, Way<float>{"", Sequential<float>, Form::kSavedXhat, Narrow::kXhat, 11});
  EXPECT_LT(WorstOverBound(narrow.dx, answer.gradients.dx, answer.bounds.dx), 1);
  EXPECT_LT(WorstOverBound(narrow.dgamma, answer.gradients.dgamma, answer.bounds.dgamma), 1);
  const Bounds bounds = RandomRoundingBounds(problem, answer);
  EXPECT_GT(RatiosOf(narrow, answer, bounds).dgamma, 3);
}

/// No element is asked for more than its worst case.
TYPED_TEST(RandomRounding, IsNeverAboveTheWorstCase) {
  const auto problem = RandomProblem<TypeParam>(20, 30, 5);
  const Answer answer = Solve(problem);
  const Bounds bounds = RandomRoundingBounds(problem, answer);
  const auto above = [](const std::vector<double>& bound, const std::vector<double>& worst) {
    EXPECT_EQ(bound.size(), worst.size());
    bool any = false;
    for (std::size_t k = 0; k < bound.size(); ++k) {
      any |= !(bound[k] <= worst[k]);
    }
    return any;
  };
  EXPECT_FALSE(above(bounds.y, answer.bounds.y));
  EXPECT_FALSE(above(bounds.dx, answer.bounds.dx));
  EXPECT_FALSE(above(bounds.dgamma, answer.bounds.dgamma));
  EXPECT_FALSE(above(bounds.dbeta, answer.bounds.dbeta));
  EXPECT_FALSE(above(bounds.mean, answer.bounds.mean));
  EXPECT_FALSE(above(bounds.rstd, answer.bounds.rstd));
}

/// Statistics that are handed in are exact.
TEST(RandomRoundingOfGivenStatistics, IsNarrower) {
  const auto problem = RandomProblem<float>(8, 5000, 30);
  const Normalised forward = Forward(problem);
  const std::vector<float> mean(forward.mean.begin(), forward.mean.end());
  const std::vector<float> rstd(forward.rstd.begin(), forward.rstd.end());
  const Answer answer = SolveWith(problem, mean, rstd);
  const Bounds given = RandomRoundingBounds(problem, answer, Statistics::kGiven);
  const Bounds taken = RandomRoundingBounds(problem, answer);
  EXPECT_LT(given.dx[17], taken.dx[17]);
}

/// What a bench takes from a few rows is what all rows would give.
TYPED_TEST(RandomRounding, OfRowsLikeASample) {
  const std::size_t features = 96;
  const auto all = RandomProblem<TypeParam>(2048, features);
  const auto sample = RandomProblem<TypeParam>(32, features);
  const RmsBounds carried_over = RmsBoundsOfRowsLike(sample, Solve(sample), all.rows);
  const Bounds bounds = RandomRoundingBounds(all, Solve(all));
  const auto rms = [](const std::vector<double>& values) {
    double squares = 0;
    for (const double value : values) {
      squares += value * value;
    }
    return std::sqrt(squares / static_cast<double>(values.size()));
  };
  EXPECT_NEAR(carried_over.y / rms(bounds.y), 1, 0.2);
  EXPECT_NEAR(carried_over.dx / rms(bounds.dx), 1, 0.2);
  EXPECT_NEAR(carried_over.dgamma / rms(bounds.dgamma), 1, 0.2);
  EXPECT_NEAR(carried_over.dbeta / rms(bounds.dbeta), 1, 0.2);
}

TEST(RmsOverBound, IsOfAllElements) {
  const std::vector<float> got = {1, 2, 7};
  const std::vector<long double> want = {1, 2, 4};
  EXPECT_DOUBLE_EQ(RmsOverBound<float>(got, want, std::vector<double>{0, 0, 3}), std::sqrt(1 / 3.));
  EXPECT_EQ(RmsOverBound<float>({}, {}, {}), 0);
}

/// A NaN is within no bound: callers ask in that form.
TEST(RmsOverBound, OfANan_IsNan) {
  const std::vector<float> got = {1, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_TRUE(std::isnan(
      RmsOverBound<float>(got, std::vector<long double>{1, 2}, std::vector<double>{1, 1})));
}

}  // namespace
}  // namespace assay::layernorm
