// SPDX-License-Identifier: Apache-2.0
// ln_forward_cuda_f32: y, mean and rstd, under three schedules: tags `cuda`, `cuda_forward`.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "interface.h"
#include "suite_cuda.h"

namespace assay::layernorm {
namespace {

class CudaForwardPass : public LayerNormCudaTest {
 protected:
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  void SetUp() override {
    LayerNormCudaTest::SetUp();
    Tag({"cuda", "cuda_forward"});
  }

  void ExpectRightFor(std::size_t rows, std::size_t features, std::size_t offset_bytes = 0) {
    ExpectForwardRight(Random(rows, features), offset_bytes);
  }
};

TEST_F(CudaForwardPass, OneFeature) { ExpectRightFor(1000, 1); }
TEST_F(CudaForwardPass, OneByOne) { ExpectRightFor(1, 1); }
TEST_F(CudaForwardPass, OneRow) { ExpectRightFor(1, 768); }
TEST_F(CudaForwardPass, LongRows) { ExpectRightFor(3, 65536); }
TEST_F(CudaForwardPass, LongOddRows) { ExpectRightFor(2, 20011, 4); }
TEST_F(CudaForwardPass, MoreRowsThanGridsAreHigh) { ExpectRightFor(65537, 16); }

TEST_F(CudaForwardPass, NoRows) {
  ExpectRightFor(1, 12);  // Of no rows alone, who does nothing is right.
  for (const std::size_t features : {1U, 12U, 768U, 4097U, 8192U, 8200U, 20'011U}) {
    ExpectRightFor(0, features);
  }
}

TEST_F(CudaForwardPass, TailsOfVectors) {
  for (const std::size_t features : {2U, 3U, 4U, 5U, 31U, 32U, 33U, 100U, 1023U, 1024U, 1025U}) {
    ExpectRightFor(7, features);
  }
}

/// Whole fours in a row, and no row begins at 16 bytes.
TEST_F(CudaForwardPass, BuffersAtAnyFourBytes) {
  for (const std::size_t offset_bytes : {4U, 8U, 12U}) {
    ExpectRightFor(5, 512, offset_bytes);
  }
}

TEST_F(CudaForwardPass, NoFeatures) {
  NeedForward();
  Problem<float> problem = Random(4, 0);
  std::vector<float> outputs(4);
  for (const std::string_view role : Schedules()) {
    gpu::DeviceInvocation call{std::string(kForwardCuda)};
    call.Scalar(problem.rows).Scalar(problem.features).Input(problem.x).Input(problem.gamma);
    call.Input(problem.beta).Scalar(problem.eps).Output(problem.x).Output(outputs).Output(outputs);
    call.Scalar(std::uint32_t{0});
    CallOnDeviceExpecting(LN_INVALID_ARGUMENT, role, call);
  }
}

TEST_F(CudaForwardPass, ConstantRows) {
  auto problem = Random(6, 100);
  std::fill_n(problem.x.begin(), 300, 1234.5F);
  ExpectForwardRight(problem);
}

/// Where sum(x^2) - mean^2 has no digit left.
TEST_F(CudaForwardPass, RowsFarFromZero) {
  ExpectForwardRight(Random(8, 768, {.offset = 1e4, .scale = 1}));
  ExpectForwardRight(Random(3, 16, {.offset = 1e4, .scale = 1e-2}));
  ExpectForwardRight(Random(2, 9000, {.offset = 1e3, .scale = 1}));
}

TEST_F(CudaForwardPass, LargeElements) { ExpectForwardRight(Random(4, 300, {.scale = 1e14})); }

/// As Edge.HugeScaleInRuns.
TEST_F(CudaForwardPass, LargeElementsInRuns) {
  for (const std::size_t features : {1024U, 65'536U}) {
    for (const std::size_t run : {1U, 4U, 32U, 128U, 256U, 512U, 1024U, 32'768U}) {
      auto problem = Random(1, features);
      for (std::size_t i = 0; i < features; ++i) {
        problem.x[i] = i / run % 2 == 0 ? 1e15F : -1e15F;
      }
      ExpectForwardRight(problem);
    }
  }
}

TEST_F(CudaForwardPass, LargeEps) {
  auto problem = Random(5, 64);
  problem.eps = 0.25F;
  ExpectForwardRight(problem);
}

TEST_F(CudaForwardPass, WhatIsNotFiniteStaysInItsRow) {
  for (const float value : {kNan, kInfinity, -kInfinity}) {
    auto problem = Random(9, 37);
    problem.x[5 * 37 + 7] = value;
    ExpectForwardRight(problem);
  }
}

/// At either end of the first row and of the last, of rows that few threads share and that many do:
/// the elements that a thread meets first and last, and those of the last thread.
TEST_F(CudaForwardPass, WhatIsNotFiniteAtTheEndsOfRows) {
  NeedForward();
  std::size_t turn = 0;
  for (const std::size_t features : {12U, 100U, 500U, 1000U, 4000U, 8192U, 8704U, 12'288U}) {
    const std::size_t elements = 3 * features;
    for (const std::size_t at : {std::size_t{0}, features - 1, elements - features, elements - 1}) {
      for (const float value : {kNan, kInfinity}) {
        auto problem = Random(3, features);
        problem.x[at] = value;
        asked = std::to_string(value) + " at element " + std::to_string(at);
        ExpectRight(Solve(problem),
                    RunForward(Schedules()[turn++ % Schedules().size()], problem, {}));
      }
    }
  }
}

/// A second call finds nothing of the first.
TEST_F(CudaForwardPass, CallsAfterEachOther) {
  for (const std::size_t features : {700U, 40U, 700U}) {
    ExpectRightFor(20, features);
  }
}

TEST_F(CudaForwardPass, RandomShapes) {
  Tag({"random"});
  for (int i = 0; i < 8; ++i) {
    const RandomShape shape = DrawShape();
    ExpectRightFor(shape.rows, shape.features, shape.offset_bytes);
  }
}

TEST_F(CudaForwardPass, FullPrecision) {
  Tag({"random"});
  for (const auto& problem : ProblemsOfFullPrecision()) {
    ExpectForwardPrecise(problem);
  }
}

TEST_F(CudaForwardPass, Traffic) { MeasureForward(Random(1024, 1024)); }

}  // namespace
}  // namespace assay::layernorm
