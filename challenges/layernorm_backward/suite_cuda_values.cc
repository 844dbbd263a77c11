// SPDX-License-Identifier: Apache-2.0
// Values that one width has a case of elsewhere, at every width that a device may treat apart: eps
// of any size, one element far from its row, statistics that are not those of x, and what is not
// finite beside zeros. Tag `cuda`, and that of the operation, or `combinations` where two meet.
// Each call is on another schedule than the one before.

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "suite_cuda.h"
#include "suite_zeros.h"

namespace assay::layernorm {
namespace {

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
