// SPDX-License-Identifier: Apache-2.0
// CUDA, features together and sizes behind thresholds: tags `cuda`, `combinations`, and
// `cuda_forward` or `cuda_backward` where a case is about a size alone. Widths are drawn from
// between those at which a row is given to another number of threads, or is read twice; each call
// is on one schedule.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "client/covering_array.h"
#include "interface.h"
#include "suite_cuda.h"
#include "timed_shapes.h"

namespace assay::layernorm {
namespace {

enum CudaFeatureIndex { kCudaWidth, kCudaHeight, kCudaX, kCudaDy, kCudaOffset, kCudaStream };

/// The widest of each kind of team that the baseline has, one of 8192 in registers and one wider.
constexpr std::array<std::size_t, 8> kWidestOf = {1, 16, 128, 512, 1024, 4096, 8192, 12'000};

const std::vector<Feature>& CudaFeatures() {
  static const std::vector<Feature> features = {
      {.name = "features",
       .values = {"one", "to 16", "to 128", "to 512", "to 1024", "to 4096", "to 8192", "more"}},
      {.name = "rows", .values = {"one", "few", "tens", "hundreds"}},
      {.name = "x", .values = {"drawn", "far from zero", "constant rows", "NaN", "large"}},
      {.name = "dy", .values = {"drawn", "last row alone", "one-hot", "large", "infinity"}},
      {.name = "buffers at", .values = {"16 bytes", "4 bytes", "8 bytes", "12 bytes"}},
      {.name = "stream", .values = {"default", "non-blocking"}}};
  return features;
}

bool CudaAllowed(std::span<const int> choice) {
  return choice[kCudaHeight] != 3 || choice[kCudaWidth] < 5;
}

class CudaCombinations : public LayerNormCudaTest {
 protected:
  void SetUp() override {
    LayerNormCudaTest::SetUp();
    Tag({"cuda", "combinations"});
  }

  std::size_t Between(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random());
  }

  Problem<float> Draw(const FeatureChoice& choice) {
    const auto width = static_cast<std::size_t>(choice[kCudaWidth]);
    const std::size_t most = kWidestOf[width];
    const std::size_t least = width == 0 ? 1 : kWidestOf[width - 1] + 1;
    // One in two at an end of its range, where a bound that is off by one shows.
    const std::size_t features =
        Between(0, 1) == 0 ? Between(least, most) : (Between(0, 1) == 0 ? least : most);
    constexpr std::array<std::size_t, 5> kRows = {1, 2, 8, 33, 300};
    const auto height = static_cast<std::size_t>(choice[kCudaHeight]);
    const std::size_t rows = height == 0 ? 1 : Between(kRows[height], kRows[height + 1] - 1);
    auto problem = Random(rows, features);
    ChangeX(choice[kCudaX], problem);
    ChangeDy(choice[kCudaDy], problem);
    return problem;
  }

  void ChangeX(int values, Problem<float>& problem) {
    for (std::size_t i = 0; i < problem.x.size(); ++i) {
      const std::size_t row = i / problem.features;
      float& x = problem.x[i];
      const float changed[] = {x, x + 1e3F, row % 2 == 0 ? problem.x[row * problem.features] : x, x,
                               x * 1e13F};
      x = changed[values];
    }
    if (values == 3) {
      problem.x[Between(0, problem.x.size() - 1)] = std::numeric_limits<float>::quiet_NaN();
    }
  }

  void ChangeDy(int values, Problem<float>& problem) {
    const std::size_t last_row = problem.dy.size() - problem.features;
    const std::size_t hot = Between(0, problem.dy.size() - 1);
    for (std::size_t i = 0; i < problem.dy.size(); ++i) {
      float& dy = problem.dy[i];
      const float changed[] = {dy, i < last_row ? 0.0F : dy, i == hot ? 1.0F : 0.0F, dy * 1e5F,
                               i == hot ? std::numeric_limits<float>::infinity() : dy};
      dy = changed[values];
    }
  }

  /// Each row of the array, on one of the schedules in turn.
  template <class Judge>
  void ForEachChoice(Judge judge) {
    std::size_t turn = 0;
    for (const FeatureChoice& choice : CoveringArray(CudaFeatures(), {}, CudaAllowed, random()())) {
      const Problem<float> problem = Draw(choice);
      const CallPlace place{.offset_bytes = 4 * static_cast<std::size_t>(choice[kCudaOffset]),
                            .stream = choice[kCudaStream] == 0 ? gpu::StreamKind::kDefault
                                                               : gpu::StreamKind::kNonBlocking};
      asked = DescribeChoice(CudaFeatures(), choice);
      judge(Schedules()[turn++ % Schedules().size()], problem, place);
      if (HasFailure()) {
        return;
      }
    }
  }
};

TEST_F(CudaCombinations, EveryPairInForward) {
  NeedForward();
  ForEachChoice([&](std::string_view role, const Problem<float>& problem, CallPlace place) {
    ExpectRight(Solve(problem), RunForward(role, problem, place));
  });
}

TEST_F(CudaCombinations, EveryPairInBackward) {
  NeedBackward();
  ForEachChoice([&](std::string_view role, const Problem<float>& problem, CallPlace place) {
    const RowStatistics statistics = StatisticsOf(problem);
    ExpectRight(SolveWith(problem, statistics.mean, statistics.rstd),
                RunBackward(role, problem, statistics, place));
  });
}

class CudaThresholds : public LayerNormCudaTest {
 protected:
  static constexpr float kMean = 0.25F;
  static constexpr float kRstd = 1.5F;
  /// Of more rows than a grid that fills the device has teams for, by threads, warps and blocks.
  static constexpr std::size_t kShapesOfSecondRows[][2] = {
      {8500, 20}, {8500, 129}, {1100, 516}, {1100, 1025}, {280, 4100}};

  /// The first, and some that come late.
  static RowChoice SomeRows(std::size_t rows) {
    return {0, rows / 2, rows - rows / 10, rows - 2, rows - 1};
  }

  /// Of all rows, some of which the oracle has.
  void ExpectForwardRightInSomeRows(std::size_t rows, std::size_t features) {
    const Problem<float> problem = Random(rows, features);
    const CudaForward got = RunForward(Schedules().front(), problem, {});
    const RowChoice chosen = SomeRows(rows);
    const Answer answer = Solve(RowsOf(problem, chosen));
    const std::string of = OfSomeRows(rows, features);
    ExpectWithin({"y", of}, RowsOf(got.y, features, chosen), answer.forward.y, answer.bounds.y);
    ExpectWithin({"mean", of}, RowsOf(got.statistics.mean, 1, chosen), answer.forward.mean,
                 answer.bounds.mean);
    ExpectWithin({"rstd", of}, RowsOf(got.statistics.rstd, 1, chosen), answer.forward.rstd,
                 answer.bounds.rstd);
  }

  /// The same of dx, whose rows need no other.
  void ExpectDxRightInSomeRows(std::size_t rows, std::size_t features) {
    const Problem<float> problem = Random(rows, features);
    const RowStatistics statistics{.mean = std::vector<float>(rows, kMean),
                                   .rstd = std::vector<float>(rows, kRstd)};
    const CudaBackward got = RunBackward(Schedules().front(), problem, statistics, {});
    const RowChoice chosen = SomeRows(rows);
    const Answer answer = SolveGiven(problem, chosen);
    ExpectWithin({"dx", OfSomeRows(rows, features)}, RowsOf(got.gradients.dx, features, chosen),
                 answer.gradients.dx, answer.bounds.dx);
  }

  /// So many rows that blocks go through several each, of rows that a block cannot keep: dy is zero
  /// but for four rows, whose oracle is all that it takes.
  void ExpectSparseRight(std::size_t rows, std::size_t features) {
    NeedBackward();
    auto problem = Random(rows, features);
    const RowChoice chosen = {0, rows / 2, rows - 2, rows - 1};
    std::vector<char> is_chosen(rows);
    for (const std::size_t row : chosen) {
      is_chosen[row] = 1;
    }
    for (std::size_t i = 0; i < problem.dy.size(); ++i) {
      problem.dy[i] = is_chosen[i / features] != 0 ? problem.dy[i] : 0.0F;
    }
    const RowStatistics statistics{.mean = std::vector<float>(rows, kMean),
                                   .rstd = std::vector<float>(rows, kRstd)};
    const Answer answer = SolveGiven(problem, chosen);
    const CudaBackward got = RunBackward(Schedules().front(), problem, statistics, {});
    asked = "rows 0, the middle and the last two of " + std::to_string(rows);
    ExpectRightInRows(answer, chosen, got.gradients);
  }

  void ExpectRightInRows(const Answer& answer, const RowChoice& chosen,
                         const BackwardOutputs<float>& got) {
    const std::size_t features = got.dgamma.size();
    const std::string of = " of " + std::to_string(features) + " features, " + asked;
    ExpectWithin({"dx", of}, RowsOf(got.dx, features, chosen), answer.gradients.dx,
                 answer.bounds.dx);
    ExpectWithin({"dgamma", of}, got.dgamma, answer.gradients.dgamma, answer.bounds.dgamma);
    ExpectWithin({"dbeta", of}, got.dbeta, answer.gradients.dbeta, answer.bounds.dbeta);
  }

 private:
  static std::string OfSomeRows(std::size_t rows, std::size_t features) {
    return " of some rows of " + std::to_string(rows) + "x" + std::to_string(features);
  }

  /// Those rows, every one with the statistics kMean and kRstd.
  static Answer SolveGiven(const Problem<float>& problem, const RowChoice& chosen) {
    return SolveWith(RowsOf(problem, chosen), std::vector<float>(chosen.size(), kMean),
                     std::vector<float>(chosen.size(), kRstd));
  }
};

/// More rows than fit a grid's first blocks, each wider than registers hold.
TEST_F(CudaThresholds, ManyRowsOfManyFeatures) {
  Tag({"cuda", "cuda_backward"});
  ExpectSparseRight(1029, 8197);
}

/// The same of forward.
TEST_F(CudaThresholds, ManyRowsOfManyFeaturesInForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  ExpectForwardRightInSomeRows(1029, 8197);
}

/// The second row of each team finds nothing of its first.
TEST_F(CudaThresholds, SecondRowsOfEachTeamInForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  for (const auto& [rows, features] : kShapesOfSecondRows) {
    ExpectForwardRightInSomeRows(rows, features);
  }
}

TEST_F(CudaThresholds, SecondRowsOfEachTeamInBackward) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  for (const auto& [rows, features] : kShapesOfSecondRows) {
    ExpectDxRightInSomeRows(rows, features);
  }
}

TEST_F(CudaThresholds, WidthsOfBackward) {
  Tag({"cuda", "cuda_backward"});
  for (const std::size_t features : {4095U, 4097U, 5003U, 8191U, 8192U, 8193U, 16'385U}) {
    const Problem<float> problem = Random(3, features);
    const RowStatistics statistics = StatisticsOf(problem);
    ExpectRight(SolveWith(problem, statistics.mean, statistics.rstd),
                RunBackward(Schedules().front(), problem, statistics, {}));
  }
}

TEST_F(CudaThresholds, WidthsOfForward) {
  Tag({"cuda", "cuda_forward"});
  NeedForward();
  for (const std::size_t features : {4095U, 4097U, 5003U, 8191U, 8192U, 8193U, 16'385U}) {
    const Problem<float> problem = Random(3, features);
    ExpectRight(Solve(problem), RunForward(Schedules().front(), problem, {}));
  }
}

/// In one process, with another input each time.
TEST_F(CudaThresholds, HundredsOfCalls) {
  Tag({"cuda", "cuda_backward"});
  NeedBackward();
  RestartHost(Schedules().front());
  for (int call = 1; call <= 300 && !HasFailure(); ++call) {
    const Problem<float> problem = Random(2, 1 + random()() % 9);
    const RowStatistics statistics = StatisticsOf(problem);
    asked = "call " + std::to_string(call) + " in its process";
    ExpectRight(SolveWith(problem, statistics.mean, statistics.rstd),
                RunBackward(Schedules().front(), problem, statistics, {}));
  }
}

}  // namespace
}  // namespace assay::layernorm
