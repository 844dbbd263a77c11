// SPDX-License-Identifier: Apache-2.0
// The baseline against the oracle, in this process: quick, and with a debugger at hand. The suite
// judges it a second time, as it judges submissions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "baseline_test_support.h"
#include "interface.h"
#include "oracle.h"

namespace assay::layernorm {
namespace {

template <typename T>
void ExpectWithinBounds(const Problem<T>& problem) {
  SCOPED_TRACE(testing::Message() << problem.rows << " x " << problem.features << ", " << sizeof(T)
                                  << "-byte elements");
  const Outputs<T> got = ForwardAndBackward(problem);
  const Normalised forward = Forward(problem);
  const Gradients want = Backward(problem, forward);
  const Bounds bounds = ErrorBounds(problem, forward, want);
  EXPECT_LT(WorstOverBound(got.y, forward.y, bounds.y), 1);
  EXPECT_LT(WorstOverBound(got.dx, want.dx, bounds.dx), 1);
  EXPECT_LT(WorstOverBound(got.dgamma, want.dgamma, bounds.dgamma), 1);
  EXPECT_LT(WorstOverBound(got.dbeta, want.dbeta, bounds.dbeta), 1);
}

TEST(Baseline, EveryWidthAroundAVectorAndRowsAroundABlock_WithinBounds) {
  for (std::size_t features = 1; features <= 67; ++features) {
    for (std::size_t rows : {std::size_t{1}, std::size_t{4}, std::size_t{7}}) {
      ExpectWithinBounds(RandomProblem<float>(rows, features));
      ExpectWithinBounds(RandomProblem<double>(rows, features));
    }
  }
}

TEST(Baseline, ManyRows_FlushPartialSums) {
  for (std::size_t rows : {std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{259}}) {
    ExpectWithinBounds(RandomProblem<float>(rows, 33));
    ExpectWithinBounds(RandomProblem<double>(rows, 33));
  }
}

TEST(Baseline, RowsFarFromZero_WithinBounds) {
  for (double offset : {1e2, 1e4, 1e6}) {
    ExpectWithinBounds(RandomProblem<float>(5, 768, offset));
    ExpectWithinBounds(RandomProblem<double>(5, 768, offset * 1e4));
  }
}

TEST(Baseline, LargerThanTheCache_StreamsOutputsAtAnyAlignment) {
  ExpectWithinBounds(RandomProblem<float>(1031, 3001));
  ExpectWithinBounds(RandomProblem<float>(771, 4096));
  ExpectWithinBounds(RandomProblem<double>(301, 6007));
}

TEST(Baseline, NoRows_SumsAreZero) {
  const Outputs<float> out =
      ForwardAndBackward(Problem<float>{.features = 3, .gamma = {1, 2, 3}, .beta = {0, 0, 0}});
  EXPECT_THAT(out.dgamma, testing::Each(0));
  EXPECT_THAT(out.dbeta, testing::Each(0));
}

TEST(Baseline, NoFeatures_IsAnInvalidArgument) {
  EXPECT_EQ(ln_forward_f32(2, 0, nullptr, nullptr, nullptr, 1e-5F, nullptr, SaveTo, nullptr),
            LN_INVALID_ARGUMENT);
  EXPECT_EQ(ln_backward_f32(2, 0, nullptr, LoadFrom, nullptr, nullptr, nullptr, nullptr),
            LN_INVALID_ARGUMENT);
}

TEST(Baseline, NothingSaved_IsAnInvalidArgument) {
  SavedTensors saved;
  std::vector<float> values(4);
  EXPECT_EQ(ln_backward_f32(1, 4, values.data(), LoadFrom, &saved, values.data(), values.data(),
                            values.data()),
            LN_INVALID_ARGUMENT);
}

TEST(Baseline, NothingCanBeSaved_IsOutOfMemory) {
  int asked = 0;
  const ln_save_fn refuse_the_second = [](void* context, const char*, std::size_t bytes) -> void* {
    static std::vector<std::byte> first;
    first.resize(bytes);
    return (*static_cast<int*>(context))++ == 0 ? first.data() : nullptr;
  };
  const Problem<float> problem = RandomProblem<float>(2, 5);
  std::vector<float> y(10);
  EXPECT_EQ(ln_forward_f32(2, 5, problem.x.data(), problem.gamma.data(), problem.beta.data(), 1e-5F,
                           y.data(), refuse_the_second, &asked),
            LN_OUT_OF_MEMORY);
}

TEST(Baseline, ConstantRow_DividesByNothing) {
  Problem<float> problem = RandomProblem<float>(3, 100);
  std::ranges::fill(problem.x, 12345.678F);
  ExpectWithinBounds(problem);
}

/// interface.h says so without a bound: a test may ask for it to the bit.
template <typename T>
void ExpectOneFeatureExact() {
  for (const double offset : {0.0, 1e4}) {
    Problem<T> problem = RandomProblem<T>(301, 1, offset);
    problem.dy[7] = 0;
    const Outputs<T> out = ForwardAndBackward(problem);
    EXPECT_THAT(out.y, testing::Each(problem.beta[0]));
    EXPECT_THAT(out.dx, testing::Each(T{0}));
    EXPECT_THAT(out.dgamma, testing::Each(T{0}));
  }
}

TEST(Baseline, OneFeature_YIsBetaAndDxIsZero) {
  ExpectOneFeatureExact<float>();
  ExpectOneFeatureExact<double>();
}

TEST(Baseline, NotANumberInOneRow_StaysInThatRow) {
  for (float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Problem<float> problem = RandomProblem<float>(6, 40);
    const Outputs<float> clean = ForwardAndBackward(problem);
    problem.x[2 * 40 + 7] = bad;
    const Outputs<float> out = ForwardAndBackward(problem);
    for (std::size_t k = 0; k < out.y.size(); ++k) {
      if (k / 40 == 2) {
        EXPECT_FALSE(std::isfinite(out.y[k]) || std::isfinite(out.dx[k])) << k;
      } else {
        EXPECT_EQ(out.y[k], clean.y[k]);
        EXPECT_EQ(out.dx[k], clean.dx[k]);
      }
    }
    for (float value : out.dgamma) {
      EXPECT_FALSE(std::isfinite(value));
    }
    EXPECT_EQ(out.dbeta, clean.dbeta);
  }
}

// ------------------------------------------------------------------------------ gradient checker

struct Planted {
  int tensor = -1;  ///< None.
  std::size_t index = 0;
  double relative = 0;  ///< To the largest of the tensor.
  double absolute = 0;
};

int BackwardWithPlantedError(void* context, std::size_t rows, std::size_t features, const double* x,
                             const double* gamma, const double* beta, double eps, const double* dy,
                             double* dx, double* dgamma, double* dbeta) {
  const auto matrix = [&](const double* from) {
    return std::vector<double>(from, from + rows * features);
  };
  const Problem<double> problem{rows,
                                features,
                                eps,
                                matrix(x),
                                std::vector<double>(gamma, gamma + features),
                                std::vector<double>(beta, beta + features),
                                matrix(dy)};
  const Gradients right = Backward(problem, Forward(problem));
  const auto& planted = *static_cast<const Planted*>(context);
  const std::vector<long double>* tensors[] = {&right.dx, &right.dgamma, &right.dbeta};
  double* outputs[] = {dx, dgamma, dbeta};
  for (int tensor = 0; tensor < 3; ++tensor) {
    const std::vector<long double>& values = *tensors[tensor];
    long double largest = 0;
    for (long double value : values) {
      largest = std::max(largest, std::abs(value));
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool wrong = tensor == planted.tensor && k == planted.index;
      outputs[tensor][k] = static_cast<double>(
          values[k] + (wrong ? planted.relative * largest + planted.absolute : 0));
    }
  }
  return LN_OK;
}

ln_check_report Check(Problem<double> problem, Planted planted) {
  const Problem<double> before = problem;
  ln_check_report report = {-1, -1, 0, 0};
  EXPECT_EQ(ln_check_gradients(problem.rows, problem.features, problem.x.data(),
                               problem.gamma.data(), problem.beta.data(), problem.eps,
                               problem.dy.data(), BackwardWithPlantedError, &planted, &report),
            LN_OK);
  EXPECT_EQ(problem.x, before.x);
  EXPECT_EQ(problem.gamma, before.gamma);
  EXPECT_EQ(problem.beta, before.beta);
  return report;
}

TEST(GradientCheck, RightBackward_IsRight) {
  for (std::size_t features : {1U, 2U, 3U, 64U, 1023U}) {
    for (double offset : {0.0, 1e3, 1e6}) {
      const ln_check_report report = Check(RandomProblem<double>(9, features, offset), {});
      EXPECT_EQ(report.right, 1) << features << " features, offset " << offset << ", worst "
                                 << report.worst_relative_error;
    }
  }
}

TEST(GradientCheck, OneWrongElement_IsFoundAndNamed) {
  const Problem<double> problem = RandomProblem<double>(11, 37, 5);
  for (const Planted& planted : {Planted{0, 123, 1e-4}, Planted{1, 36, -1e-4}, Planted{2, 0, 1e-4},
                                 Planted{0, 406, std::nan("")}}) {
    const ln_check_report report = Check(problem, planted);
    EXPECT_EQ(report.right, 0);
    EXPECT_EQ(report.worst_tensor, planted.tensor);
    EXPECT_EQ(report.worst_index, planted.index);
    if (!std::isnan(planted.relative)) {
      EXPECT_NEAR(report.worst_relative_error, 1e-4, 1e-6);
    }
  }
}

TEST(GradientCheck, BetweenRightAndWrong_LiesTheLine) {
  const Problem<double> problem = RandomProblem<double>(11, 37, 5);
  for (const int tensor : {0, 1, 2}) {
    EXPECT_EQ(Check(problem, {tensor, 30, 1e-8}).right, 1);
    EXPECT_EQ(Check(problem, {tensor, 30, 1e-4}).right, 0);
  }
  const ln_check_report report = Check(RandomProblem<double>(500, 200), {0, 77'777, 1e-4});
  EXPECT_EQ(report.right, 0);
  EXPECT_EQ(report.worst_index, 77'777U);
}

/// dx and dgamma of one feature are all zeros: what is not is infinitely far off.
TEST(GradientCheck, TensorOfZeros) {
  const Problem<double> problem = RandomProblem<double>(6, 1);
  EXPECT_EQ(Check(problem, {}).right, 1);
  const ln_check_report report = Check(problem, {.tensor = 0, .index = 2, .absolute = 1e-6});
  EXPECT_EQ(report.right, 0);
  EXPECT_EQ(report.worst_tensor, 0);
  EXPECT_EQ(report.worst_index, 2U);
  EXPECT_TRUE(std::isinf(report.worst_relative_error));
}

TEST(GradientCheck, BackwardThatFails_StatusIsReturned) {
  const ln_backward_under_check_fn fails =
      [](void*, std::size_t, std::size_t, const double*, const double*, const double*, double,
         const double*, double*, double*, double*) -> int { return LN_UNSUPPORTED; };
  Problem<double> problem = RandomProblem<double>(2, 3);
  ln_check_report report = {};
  EXPECT_EQ(ln_check_gradients(2, 3, problem.x.data(), problem.gamma.data(), problem.beta.data(),
                               problem.eps, problem.dy.data(), fails, nullptr, &report),
            LN_UNSUPPORTED);
}

}  // namespace
}  // namespace assay::layernorm
