// SPDX-License-Identifier: Apache-2.0
// NaN and the infinities, in rows of few features, tag `edge`, and beside zeros that they meet in a
// product, which is NaN, tag `combinations`: against code that knows what comes of few features
// without looking at them, and code that leaves out what a zero would make nothing of. On a device
// also other values that one width has a case of elsewhere, at every width that it may treat apart:
// eps of any size, one element far from its row, statistics that are not those of x. Tag `cuda`,
// and that of the operation, or `combinations` where two meet. Each call on a device is on another
// schedule than the one before.

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "suite_cuda.h"
#include "suite_support.h"

namespace assay::layernorm {
namespace {

/// What is zero beside the element of a row and a column.
enum class Zeros { kDyOfRow, kDyOfColumn, kDy, kXOfRow, kGammaOfColumn, kGammaOfOthers, kGamma };

constexpr std::pair<Zeros, std::string_view> kZeros[] = {
    {Zeros::kDyOfRow, "dy of its row"},
    {Zeros::kDyOfColumn, "dy of its column"},
    {Zeros::kDy, "dy"},
    {Zeros::kXOfRow, "x of its row"},
    {Zeros::kGammaOfColumn, "gamma of its column"},
    {Zeros::kGammaOfOthers, "gamma of all other columns"},
    {Zeros::kGamma, "gamma"}};

template <class T>
void MakeZeros(Zeros zeros, std::size_t row, std::size_t column, Problem<T>& problem) {
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    const bool in_row = i / problem.features == row;
    const bool in_column = i % problem.features == column;
    if (zeros == Zeros::kDy || (zeros == Zeros::kDyOfRow && in_row) ||
        (zeros == Zeros::kDyOfColumn && in_column)) {
      problem.dy[i] = 0;
    }
    if (zeros == Zeros::kXOfRow && in_row) {
      problem.x[i] = 0;
    }
  }
  for (std::size_t j = 0; j < problem.features; ++j) {
    if (zeros == Zeros::kGamma || (zeros == Zeros::kGammaOfColumn && j == column) ||
        (zeros == Zeros::kGammaOfOthers && j != column)) {
      problem.gamma[j] = 0;
    }
  }
}

template <class T>
class NotFinite : public LayerNormTest {
 protected:
  static constexpr std::array<T, 3> kValues = {std::numeric_limits<T>::quiet_NaN(),
                                               std::numeric_limits<T>::infinity(),
                                               -std::numeric_limits<T>::infinity()};

  /// With each of the values at that element of x, and of dy.
  void ExpectRightWithEach(const Problem<T>& problem, std::size_t at, const std::string& beside) {
    for (const bool is_x : {true, false}) {
      for (const T value : kValues) {
        auto changed = problem;
        (is_x ? changed.x : changed.dy)[at] = value;
        asked = std::to_string(value) + " at element " + std::to_string(at) +
                (is_x ? " of x" : " of dy") + beside;
        ExpectRight(changed);
      }
    }
  }
};
TYPED_TEST_SUITE(NotFinite, ElementTypes, ElementNames);

/// Of one finite element xhat is 0, y is beta and dx is 0; of one that is not they are not finite.
TYPED_TEST(NotFinite, InRowsOfFewFeatures) {
  this->Tag({"edge"});
  for (const std::size_t features : {1U, 2U, 3U, 4U, 8U, 9U}) {
    const auto problem = RandomProblem<TypeParam>(this->random(), 4, features);
    this->ExpectRight(problem);
    for (const std::size_t row : {0U, 2U, 3U}) {
      this->ExpectRightWithEach(problem, row * features + this->random()() % features, "");
    }
  }
}

/// A gradient of zero, as that of padding is, or a gamma of zero: the products with what is not
/// finite count all the same.
TYPED_TEST(NotFinite, BesideZerosThatItIsMultipliedBy) {
  this->Tag({"combinations"});
  constexpr std::size_t kRows = 5;
  for (const std::size_t features : {1U, 21U, 64U}) {
    for (const auto& [zeros, name] : kZeros) {
      auto problem = RandomProblem<TypeParam>(this->random(), kRows, features);
      const std::size_t row = this->random()() % kRows;
      const std::size_t column = this->random()() % features;
      MakeZeros(zeros, row, column, problem);
      this->ExpectRightWithEach(problem, row * features + column,
                                ", and zero " + std::string(name));
    }
  }
}

/// What of a problem, or of the statistics that backward is handed, is not finite.
enum class Where { kX, kDy, kMean, kRstd };

constexpr std::pair<Where, std::string_view> kPlaces[] = {
    {Where::kX, "x"}, {Where::kDy, "dy"}, {Where::kMean, "mean"}, {Where::kRstd, "rstd"}};

class CudaValues : public LayerNormCudaTest {
 protected:
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr std::array<float, 3> kNotFinite = {kNan, kInfinity, -kInfinity};
  /// Of one thread, a few, a warp, blocks, and rows that are read twice.
  static constexpr std::array<std::size_t, 6> kWidths = {1, 12, 100, 1000, 5000, 9001};

  static std::size_t RowsOfWidth(std::size_t features) { return features > 1000 ? 2 : 5; }

  void ExpectForwardRightOnce(const Problem<float>& problem) {
    ExpectRight(Solve(problem), RunForward(NextSchedule(), problem, {}));
  }

  void ExpectBackwardRightOnce(const Problem<float>& problem, const RowStatistics& statistics) {
    ExpectRight(SolveWith(problem, statistics.mean, statistics.rstd),
                RunBackward(NextSchedule(), problem, statistics, {}));
  }

  /// Backward of that value at one place, drawn, and of zeros beside it.
  void ExpectRightBesideZeros(std::size_t features, Zeros zeros, Where where, float value) {
    auto problem = Random(RowsOfWidth(features), features);
    const std::size_t row = random()() % problem.rows;
    const std::size_t column = random()() % features;
    MakeZeros(zeros, row, column, problem);
    if (where == Where::kX || where == Where::kDy) {
      (where == Where::kX ? problem.x : problem.dy)[row * features + column] = value;
    }
    RowStatistics statistics = StatisticsOf(problem);
    if (where == Where::kMean || where == Where::kRstd) {
      (where == Where::kMean ? statistics.mean : statistics.rstd)[row] = value;
    }
    ExpectBackwardRightOnce(problem, statistics);
  }

 private:
  std::string_view NextSchedule() { return Schedules()[turn_++ % Schedules().size()]; }

  std::size_t turn_ = 0;
};

/// As Edge.EpsOfAnySizeBesideRowsAsSmall.
TEST_F(CudaValues, EpsOfAnySizeBesideRowsAsSmall) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  constexpr std::array<double, 5> kDeviations = {0, 1e-1, 1, 10, 100};
  for (const std::size_t features : kWidths) {
    for (int decade = -34; decade <= 24; decade += 6) {
      const double eps = std::pow(10.0, decade);
      auto problem = Random(kDeviations.size(), features);
      problem.eps = static_cast<float>(eps);
      for (std::size_t i = 0; i < problem.x.size(); ++i) {
        const double deviation = std::sqrt(eps) * kDeviations[i / features];
        problem.x[i] = static_cast<float>(deviation * static_cast<double>(problem.x[i]));
      }
      asked = "eps 1e" + std::to_string(decade);
      ExpectForwardRightOnce(problem);
    }
  }
}

/// As Stability.OneElementFarFromALongRow.
TEST_F(CudaValues, OneElementFarFromALongRow) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  std::uniform_real_distribution<double> exponent(2, 3.5);
  for (const std::size_t features : {1000U, 4100U, 8192U, 9001U, 65'536U}) {
    for (const std::size_t at : {std::size_t{0}, random()() % features, features - 1}) {
      auto problem = Random(3, features);
      for (std::size_t j = 0; j < features; ++j) {
        problem.x[features + j] = 0;
        problem.x[2 * features + j] = 0.5F;
      }
      for (std::size_t row = 0; row < problem.rows; ++row) {
        problem.x[row * features + at] = static_cast<float>(std::pow(10.0, exponent(random())));
      }
      asked = "element " + std::to_string(at) + " of each row far from the rest";
      ExpectForwardRightOnce(problem);
    }
  }
}

/// The bits that are handed in count at every width, one feature too, where xhat of the row's own
/// statistics would be 0.
TEST_F(CudaValues, StatisticsOfSomethingElse) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  for (const std::size_t features : {1U, 2U, 3U, 16U, 17U, 100U, 513U, 1025U, 5000U, 9001U}) {
    const auto problem = Random(RowsOfWidth(features), features);
    RowStatistics statistics = StatisticsOf(problem);
    for (std::size_t i = 0; i < problem.rows; ++i) {
      statistics.mean[i] += 0.5F + static_cast<float>(i);
      statistics.rstd[i] *= i % 2 == 0 ? 3.0F : 0.25F;
    }
    asked = "statistics of another x";
    ExpectBackwardRightOnce(problem, statistics);
    for (const float value : kNotFinite) {
      for (const bool is_mean : {true, false}) {
        RowStatistics changed = statistics;
        (is_mean ? changed.mean : changed.rstd)[1] = value;
        asked = std::to_string(value) + (is_mean ? " as a mean" : " as an rstd");
        ExpectBackwardRightOnce(problem, changed);
      }
    }
  }
}

/// As NotFinite.BesideZerosThatItIsMultipliedBy.
TEST_F(CudaValues, WhatIsNotFiniteBesideZerosInForward) {
  Tag({"cuda", "combinations"});
  NeedForward();
  for (const std::size_t features : kWidths) {
    for (const Zeros zeros : {Zeros::kXOfRow, Zeros::kGammaOfColumn, Zeros::kGamma}) {
      for (const float value : kNotFinite) {
        auto problem = Random(RowsOfWidth(features), features);
        const std::size_t row = random()() % problem.rows;
        const std::size_t column = random()() % features;
        MakeZeros(zeros, row, column, problem);
        problem.x[row * features + column] = value;
        asked = std::to_string(value) + " at element " + std::to_string(row * features + column) +
                " of x beside zeros";
        ExpectForwardRightOnce(problem);
      }
    }
  }
}

TEST_F(CudaValues, WhatIsNotFiniteBesideZerosInBackward) {
  Tag({"cuda", "combinations"});
  NeedBackward();
  for (const std::size_t features : kWidths) {
    for (const auto& [zeros, zero] : kZeros) {
      for (const auto& [where, place] : kPlaces) {
        const float value = kNotFinite[random()() % kNotFinite.size()];
        asked =
            std::to_string(value) + " in " + std::string(place) + ", and zero " + std::string(zero);
        ExpectRightBesideZeros(features, zeros, where, value);
      }
    }
  }
}

}  // namespace
}  // namespace assay::layernorm
