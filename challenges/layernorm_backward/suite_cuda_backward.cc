// SPDX-License-Identifier: Apache-2.0
// ln_backward_cuda_f32: dx, dgamma and dbeta from given statistics, under three schedules: tags
// `cuda`, `cuda_backward`.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "interface.h"
#include "suite_cuda.h"

namespace assay::layernorm {
namespace {

class CudaBackwardPass : public LayerNormCudaTest {
 protected:
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  void SetUp() override {
    LayerNormCudaTest::SetUp();
    Tag({"cuda", "cuda_backward"});
  }

  void ExpectRightFor(std::size_t rows, std::size_t features, std::size_t offset_bytes = 0) {
    ExpectBackwardRight(Random(rows, features), offset_bytes);
  }
};

TEST_F(CudaBackwardPass, OneFeature) { ExpectRightFor(1000, 1); }
TEST_F(CudaBackwardPass, OneByOne) { ExpectRightFor(1, 1); }
TEST_F(CudaBackwardPass, OneRow) { ExpectRightFor(1, 768); }
TEST_F(CudaBackwardPass, LongRows) { ExpectRightFor(3, 65536); }
TEST_F(CudaBackwardPass, LongOddRows) { ExpectRightFor(2, 20011, 4); }
TEST_F(CudaBackwardPass, ManyRows) { ExpectRightFor(700, 260); }
TEST_F(CudaBackwardPass, MoreRowsThanGridsAreHigh) { ExpectRightFor(65537, 16); }

TEST_F(CudaBackwardPass, NoRows) {
  for (const std::size_t features : {1U, 12U, 768U, 4097U, 8192U, 8200U, 20'011U}) {
    ExpectRightFor(0, features);
  }
}

TEST_F(CudaBackwardPass, TailsOfVectors) {
  for (const std::size_t features : {2U, 3U, 4U, 5U, 31U, 32U, 33U, 100U, 1023U, 1024U, 1025U}) {
    ExpectRightFor(7, features);
  }
}

/// Rows enough for several blocks, none of whose shares is whole.
TEST_F(CudaBackwardPass, TailsOfRowBlocks) {
  for (const std::size_t rows : {2U, 31U, 33U, 127U, 257U, 1025U}) {
    ExpectRightFor(rows, 20);
  }
}

TEST_F(CudaBackwardPass, BuffersAtAnyFourBytes) {
  for (const std::size_t offset_bytes : {4U, 8U, 12U}) {
    ExpectRightFor(40, 512, offset_bytes);
  }
}

TEST_F(CudaBackwardPass, NoFeatures) {
  NeedBackward();
  Problem<float> problem = Random(4, 0);
  const std::vector<float> statistics(4);
  for (const std::string_view role : Schedules()) {
    gpu::DeviceInvocation call{std::string(kBackwardCuda)};
    call.Scalar(problem.rows).Scalar(problem.features).Input(problem.dy).Input(problem.x);
    call.Input(problem.gamma).Input(statistics).Input(statistics).Output(problem.x);
    call.Output(problem.gamma).Output(problem.beta).Scratch(0).Scalar(std::size_t{0});
    call.Scalar(std::uint32_t{0});
    CallOnDeviceExpecting(LN_INVALID_ARGUMENT, role, call);
  }
}

/// The bits that are handed in count, not the statistics of x.
TEST_F(CudaBackwardPass, StatisticsOfSomethingElse) {
  const auto problem = Random(50, 70);
  auto statistics = StatisticsOf(problem);
  for (std::size_t i = 0; i < problem.rows; ++i) {
    statistics.mean[i] += 0.125F * static_cast<float>(i % 5);
    statistics.rstd[i] *= 1 + 0.5F * static_cast<float>(i % 3);
  }
  ExpectBackwardRight(problem, statistics);
}

TEST_F(CudaBackwardPass, StatisticsThatAreNotFinite) {
  const auto problem = Random(50, 70);
  auto statistics = StatisticsOf(problem);
  statistics.mean[11] = kNan;
  statistics.rstd[33] = kInfinity;
  ExpectBackwardRight(problem, statistics);
}

/// Rows whose rstd is 0 are rows all the same: dbeta has their dy, and their dx is 0.
TEST_F(CudaBackwardPass, StatisticsOfZero) {
  for (const std::size_t features : {3U, 70U, 1025U, 9001U}) {
    const auto problem = Random(5, features);
    auto statistics = StatisticsOf(problem);
    statistics.rstd[1] = 0;
    statistics.mean[3] = 0;
    statistics.rstd[3] = 0;
    ExpectBackwardRight(problem, statistics);
  }
}

/// A constant row whose mean times rstd is too large for float, which no element of it meets: what
/// fills up a warp or a tile, and is no element, must not either.
TEST_F(CudaBackwardPass, LargeMeansWithLargeRstd) {
  for (const std::size_t features : {3U, 10U, 100U, 1000U, 5000U, 9001U}) {
    auto problem = Random(5, features);
    std::fill_n(problem.x.begin(), 3 * features, 1e10F);
    auto statistics = StatisticsOf(problem);
    std::fill_n(statistics.mean.begin(), 3, 1e10F);
    std::fill_n(statistics.rstd.begin(), 3, 1e30F);
    ExpectBackwardRight(problem, statistics);
  }
}

TEST_F(CudaBackwardPass, ConstantRows) {
  auto problem = Random(6, 100);
  std::fill_n(problem.x.begin(), 300, 2.5F);
  ExpectBackwardRight(problem);
}

TEST_F(CudaBackwardPass, RowsFarFromZero) {
  ExpectBackwardRight(Random(8, 768, {.offset = 1e4, .scale = 1}));
  ExpectBackwardRight(Random(3, 33, {.offset = 1e4, .scale = 1e-2}));
}

TEST_F(CudaBackwardPass, LargeElements) { ExpectBackwardRight(Random(4, 300, {.scale = 1e14})); }

TEST_F(CudaBackwardPass, GammaOfZero) {
  auto problem = Random(40, 50);
  std::ranges::fill(problem.gamma, 0.0F);
  ExpectBackwardRight(problem);
}

/// In every other column dy and gamma are so small that their product is nothing, but dy is not:
/// dgamma cannot be had from that product.
TEST_F(CudaBackwardPass, DyTimesGammaThatVanishes) {
  auto problem = Random(40, 50);
  for (float& dy : problem.dy) {
    dy *= 1e-18F;
  }
  for (std::size_t j = 0; j < problem.features; j += 2) {
    problem.gamma[j] *= 1e-30F;
  }
  ExpectBackwardRight(problem);
}

TEST_F(CudaBackwardPass, NoGradient) {
  auto problem = Random(40, 50);
  std::ranges::fill(problem.dy, 0.0F);
  problem.x[77] = 1e38F;
  ExpectBackwardRight(problem);
}

TEST_F(CudaBackwardPass, OneHotDy) {
  auto problem = Random(35, 257);
  std::ranges::fill(problem.dy, 0.0F);
  problem.dy.front() = 1;
  problem.dy.back() = 1;
  ExpectBackwardRight(problem);
}

TEST_F(CudaBackwardPass, CancellingColumns) {
  auto problem = Random(300, 16);
  constexpr float kCycle[] = {1e8F, -1e8F, 0.1F};
  for (std::size_t i = 0; i < problem.dy.size(); ++i) {
    problem.dy[i] = kCycle[i / 16 % 3];
  }
  ExpectBackwardRight(problem);
}

TEST_F(CudaBackwardPass, WhatIsNotFiniteStaysInItsRowAndColumn) {
  for (const float value : {kNan, kInfinity}) {
    auto problem = Random(60, 37);
    problem.dy[25 * 37 + 7] = value;
    ExpectBackwardRight(problem);
  }
  auto problem = Random(60, 37);
  problem.x[41 * 37 + 36] = kNan;
  ExpectBackwardRight(problem);
}

/// At either end of the first row and of the last, in numbers of rows that leave threads without
/// one: what these add must not come from the rows of others.
TEST_F(CudaBackwardPass, WhatIsNotFiniteAtTheEndsOfRows) {
  NeedBackward();
  std::size_t turn = 0;
  for (const std::size_t features : {1U, 12U, 100U, 500U, 1000U, 4000U, 8192U, 9001U}) {
    const std::size_t rows = features > 1000 ? 3 : 13;
    const std::size_t elements = rows * features;
    for (const std::size_t at : {std::size_t{0}, features - 1, elements - features, elements - 1}) {
      for (const float value : {kNan, kInfinity}) {
        auto problem = Random(rows, features);
        problem.dy[at] = value;
        const RowStatistics statistics = StatisticsOf(problem);
        asked = std::to_string(value) + " at element " + std::to_string(at) + " of dy";
        ExpectRight(SolveWith(problem, statistics.mean, statistics.rstd),
                    RunBackward(Schedules()[turn++ % Schedules().size()], problem, statistics, {}));
      }
    }
  }
}

/// The same call again, in memory that the last one has used, and wider and narrower ones between.
TEST_F(CudaBackwardPass, CallsAfterEachOther) {
  for (const std::size_t features : {200U, 200U, 40U, 900U, 200U}) {
    ExpectRightFor(300, features);
  }
}

/// More rows of the same features, and fewer: a plan that was made for others must not be used.
TEST_F(CudaBackwardPass, OtherNumbersOfRowsAfterEachOther) {
  for (const std::size_t features : {64U, 9001U}) {
    for (const std::size_t rows : {2U, 5U, 70U, 1U, 17U, 300U, 3U}) {
      ExpectRightFor(features > 1000 ? rows % 67 : rows, features);
    }
  }
}

/// What a call with rows has summed is nothing to a call of that many features without.
TEST_F(CudaBackwardPass, NoRowsAfterRows) {
  for (const std::size_t features : {12U, 1000U, 9001U}) {
    for (const std::size_t rows : {20U, 0U, 3U, 0U}) {
      ExpectRightFor(rows, features);
    }
  }
}

TEST_F(CudaBackwardPass, RandomShapes) {
  Tag({"random"});
  for (int i = 0; i < 8; ++i) {
    const RandomShape shape = DrawShape();
    ExpectRightFor(shape.rows, shape.features, shape.offset_bytes);
  }
}

TEST_F(CudaBackwardPass, FullPrecision) {
  Tag({"random"});
  for (const auto& problem : ProblemsOfFullPrecision()) {
    ExpectBackwardPrecise(problem);
  }
}

TEST_F(CudaBackwardPass, Traffic) { MeasureBackward(Random(2048, 1024)); }

}  // namespace
}  // namespace assay::layernorm
