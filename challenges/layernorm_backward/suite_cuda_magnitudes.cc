// SPDX-License-Identifier: Apache-2.0
// As suite_magnitudes.cc, of ln_backward_cuda_f32, and sizes of x beside them: tags `cuda`,
// `cuda_backward`.

#include <cmath>
#include <cstddef>
#include <string>

#include "suite_cuda.h"

namespace assay::layernorm {
namespace {

/// What dy, gamma and x are about.
struct Sizes {
  double dy = 1;
  double gamma = 1;
  double x = 1;
};

class CudaMagnitudes : public LayerNormCudaTest {
 protected:
  void SetUp() override {
    LayerNormCudaTest::SetUp();
    Tag({"cuda", "cuda_backward"});
    NeedBackward();
  }

  /// One row, of widths that go by a warp, a block and several passes over memory; dy of both signs
  /// or of that of x, gamma drawn or the same in all columns. Each on another schedule.
  void ExpectRightOf(const Sizes& sizes) {
    for (const std::size_t features : {61U, 64U, 1000U, 8200U}) {
      for (const bool one_gamma : {true, false}) {
        for (const bool dy_as_x : {true, false}) {
          const auto problem = Draw(features, sizes, one_gamma, dy_as_x);
          const RowStatistics statistics = StatisticsOf(problem);
          asked = "dy, gamma and x about 1e" + Decade(sizes.dy) + ", 1e" + Decade(sizes.gamma) +
                  " and 1e" + Decade(sizes.x);
          ExpectRight(
              SolveWith(problem, statistics.mean, statistics.rstd),
              RunBackward(Schedules()[turn_++ % Schedules().size()], problem, statistics, {}));
        }
      }
    }
  }

 private:
  static std::string Decade(double size) { return std::to_string(std::lround(std::log10(size))); }

  Problem<float> Draw(std::size_t features, const Sizes& sizes, bool one_gamma, bool dy_as_x) {
    auto problem = Random(1, features);
    for (std::size_t j = 0; j < features; ++j) {
      const double sign = j % 2 == 0 ? 1 : -1;
      const auto drawn = static_cast<double>(problem.dy[j]);
      problem.dy[j] = static_cast<float>(sizes.dy * (dy_as_x ? sign * (1 + 0.1 * drawn) : drawn));
      problem.x[j] = static_cast<float>(sizes.x * sign);
      problem.gamma[j] =
          static_cast<float>(sizes.gamma * (one_gamma ? 1 : static_cast<double>(problem.gamma[j])));
    }
    return problem;
  }

  std::size_t turn_ = 0;
};

TEST_F(CudaMagnitudes, LargeDyAndSmallGamma) {
  ExpectRightOf({.dy = 1e37, .gamma = 1e-20});
  ExpectRightOf({.dy = 1e-20, .gamma = 1e37});
}

/// Of dy times x no float is large enough, of what it is divided by there is.
TEST_F(CudaMagnitudes, LargeDyOfLargeElements) {
  ExpectRightOf({.dy = 1e20, .x = 1e15});
  ExpectRightOf({.dy = 1e-25, .x = 1e15});
  ExpectRightOf({.dy = 1e25, .x = 1e-10});
}

}  // namespace
}  // namespace assay::layernorm
