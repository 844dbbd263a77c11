// SPDX-License-Identifier: Apache-2.0
// dx, dgamma and dbeta over shapes, f32 and f64: tag `gradient`. Small widths first, where bounds
// are tightest, then the tails of vector loops, then long rows and many rows.

#include <algorithm>
#include <cmath>

#include "suite_support.h"

namespace assay::layernorm {
namespace {

template <class T>
class Gradient : public LayerNormTest {
 protected:
  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"gradient"});
  }
};
TYPED_TEST_SUITE(Gradient, ElementTypes, ElementNames);

TYPED_TEST(Gradient, SevenRowsOf2) { this->template ExpectGradientsRightFor<TypeParam>(7, 2); }
TYPED_TEST(Gradient, SevenRowsOf3) { this->template ExpectGradientsRightFor<TypeParam>(7, 3); }
TYPED_TEST(Gradient, SevenRowsOf31) { this->template ExpectGradientsRightFor<TypeParam>(7, 31); }
TYPED_TEST(Gradient, SevenRowsOf33) { this->template ExpectGradientsRightFor<TypeParam>(7, 33); }
TYPED_TEST(Gradient, SevenRowsOf1023) {
  this->template ExpectGradientsRightFor<TypeParam>(7, 1023);
}
TYPED_TEST(Gradient, SevenRowsOf1025) {
  this->template ExpectGradientsRightFor<TypeParam>(7, 1025);
}
TYPED_TEST(Gradient, OneRowOf768) { this->template ExpectGradientsRightFor<TypeParam>(1, 768); }
TYPED_TEST(Gradient, ManyRowsOf8) { this->template ExpectGradientsRightFor<TypeParam>(513, 8); }
TYPED_TEST(Gradient, TransformerShape) {
  this->template ExpectGradientsRightFor<TypeParam>(96, 768);
}

/// Every width that a vector loop of up to 16 lanes, unrolled by up to two, can leave over.
TYPED_TEST(Gradient, EveryTailOfVectorLoops) {
  for (std::size_t features = 2; features <= 48; ++features) {
    this->template ExpectGradientsRightFor<TypeParam>(3, features);
  }
}

/// Every number of rows that blocks of rows can leave over.
TYPED_TEST(Gradient, EveryTailOfRowBlocks) {
  for (std::size_t rows = 1; rows <= 34; ++rows) {
    this->template ExpectGradientsRightFor<TypeParam>(rows, 19);
  }
}

TYPED_TEST(Gradient, LargeEps) {
  // 1/(sigma + eps) in place of 1/sqrt(var + eps) is far off here, and by a millionth at 1e-5.
  auto problem = RandomProblem<TypeParam>(this->random(), 9, 40);
  problem.eps = TypeParam(0.25);
  this->ExpectRight(problem, Judge::kGradients);
}

TYPED_TEST(Gradient, GammaOverSixDecades) {
  auto problem = RandomProblem<TypeParam>(this->random(), 11, 61);
  for (std::size_t j = 0; j < problem.features; ++j) {
    problem.gamma[j] *= static_cast<TypeParam>(std::pow(10.0, static_cast<double>(j % 7) - 3));
  }
  this->ExpectRight(problem, Judge::kGradients);
}

/// Both means of the closed form are seen in full: dx is a row of the Jacobian.
TYPED_TEST(Gradient, OneHotDy) {
  for (const std::size_t features : {5U, 64U, 257U}) {
    auto problem = RandomProblem<TypeParam>(this->random(), 3, features);
    std::ranges::fill(problem.dy, TypeParam(0));
    problem.dy[0] = 1;
    problem.dy.back() = 1;
    this->ExpectRight(problem, Judge::kGradients);
  }
}

/// Columns of dy that cancel: the sum is small and its bound follows sum |dy|.
TYPED_TEST(Gradient, CancellingColumns) {
  auto problem = RandomProblem<TypeParam>(this->random(), 300, 16);
  constexpr TypeParam kCycle[] = {TypeParam(1e8), TypeParam(-1e8), TypeParam(0.1)};
  for (std::size_t i = 0; i < problem.dy.size(); ++i) {
    problem.dy[i] = kCycle[i / 16 % 3];
  }
  this->ExpectRight(problem, Judge::kGradients);
}

/// Shapes that no list holds.
TYPED_TEST(Gradient, RandomShapes) {
  this->Tag({"random"});
  for (int i = 0; i < 12; ++i) {
    const std::size_t features = RandomExtent(this->random(), 3000);
    const std::size_t rows = RandomExtent(this->random(), 60'000 / features + 1);
    this->template ExpectGradientsRightFor<TypeParam>(rows, features);
  }
}

TYPED_TEST(Gradient, RandomShapesAndRanges) {
  this->Tag({"random"});
  for (int i = 0; i < 12; ++i) {
    const std::size_t features = RandomExtent(this->random(), 600);
    const std::size_t rows = RandomExtent(this->random(), 200);
    std::uniform_real_distribution<double> exponent(-3, 3);
    const double scale = std::pow(10.0, exponent(this->random()));
    const double offset = scale * std::pow(10.0, exponent(this->random()) / 2);
    this->ExpectRight(RandomProblem<TypeParam>(this->random(), rows, features, {offset, scale}),
                      Judge::kGradients);
  }
}

/// How exact the f64 gradients are on plain data: the published study's "gradient precision".
class GradientPrecision : public LayerNormTest {};

TEST_F(GradientPrecision, F64) {
  Tag({"gradient"});
  NeedType<double>();
  double dx = 0;
  double dgamma = 0;
  double dbeta = 0;
  bool right = true;
  for (const std::size_t features : {24U, 96U, 768U}) {
    const auto problem = RandomProblem<double>(random(), 64, features);
    const Answer answer = Solve(problem);
    const auto got = RunBackward(problem, RunForward(problem).saved);
    right = ExpectGradientsRight(answer, got) && right;
    dx = std::max(dx, NormalisedError(got.dx, answer.gradients.dx));
    dgamma = std::max(dgamma, NormalisedError(got.dgamma, answer.gradients.dgamma));
    dbeta = std::max(dbeta, NormalisedError(got.dbeta, answer.gradients.dbeta));
  }
  if (right) {  // At every size, and all three: a NaN, which std::max may lose, is not.
    Metric("gradient_precision_dx", dx);
    Metric("gradient_precision_dgamma", dgamma);
    Metric("gradient_precision_dbeta", dbeta);
  }
}

}  // namespace
}  // namespace assay::layernorm
