// SPDX-License-Identifier: Apache-2.0
// Rows far from zero, tag `stability`: |mean| / sigma is what sum(x^2) - mean^2 loses the square
// of. And what the contract does not ask, tag `stretch`, which does not gate.

#include <algorithm>
#include <cmath>
#include <string>

#include "suite_support.h"

namespace assay::layernorm {
namespace {

template <class T>
class Stability : public LayerNormTest {
 protected:
  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"stability"});
  }

  /// All outputs within their bounds, and a point of the curve error against offset. Rows are short
  /// enough that the bound, which grows with D * kappa (kappa = |mean| / sigma), stays far below
  /// what a naive variance loses, which grows with kappa^2.
  void ExpectStable(double offset) {
    NeedType<T>();
    const auto problem = RandomProblem<T>(random(), 24, 48, {.offset = offset, .scale = 1});
    const Answer answer = Solve(problem);
    const ForwardOutputs<T> forward = RunForward(problem);
    const BackwardOutputs<T> backward = RunBackward(problem, forward.saved);
    const std::string type = std::is_same_v<T, float> ? "f32" : "f64";
    CurvePoint("error_against_offset_y_" + type, offset,
               NormalisedError(forward.y, answer.forward.y));
    CurvePoint("error_against_offset_dx_" + type, offset,
               NormalisedError(backward.dx, answer.gradients.dx));
    ExpectForwardRight(answer, forward);
    ExpectGradientsRight(answer, backward);
  }
};
TYPED_TEST_SUITE(Stability, ElementTypes, ElementNames);

TYPED_TEST(Stability, Offset1e2) { this->ExpectStable(1e2); }
TYPED_TEST(Stability, Offset1e3) { this->ExpectStable(1e3); }
TYPED_TEST(Stability, Offset1e4) { this->ExpectStable(1e4); }

TYPED_TEST(Stability, NegativeOffset) {
  this->ExpectRight(RandomProblem<TypeParam>(this->random(), 16, 20, {.offset = -3e3}));
}

/// Every row at its own offset: statistics of one row must not help another.
TYPED_TEST(Stability, OffsetsOfManySizes) {
  auto problem = RandomProblem<TypeParam>(this->random(), 40, 24);
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    const std::size_t row = i / 24;
    const double offset = std::pow(10.0, static_cast<double>(row) / 10);
    problem.x[i] += static_cast<TypeParam>(row % 2 == 0 ? offset : -offset);
  }
  this->ExpectRight(problem);
}

/// A known failure of one-pass variances: sixteen steps of 1e-3 at 1e4, as far as T holds them.
TYPED_TEST(Stability, StaircaseOnAPlateau) {
  auto problem = RandomProblem<TypeParam>(this->random(), 5, 16);
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    problem.x[i] = static_cast<TypeParam>(1e4 + 1e-3 * static_cast<double>(i % 16));
  }
  this->ExpectRight(problem);
}

/// The first element, which a shifted variance takes as its shift, is far from all others.
TYPED_TEST(Stability, MisleadingFirstElement) {
  auto problem = RandomProblem<TypeParam>(this->random(), 12, 30, {.offset = 2e3});
  for (std::size_t i = 0; i < problem.rows; ++i) {
    problem.x[i * 30] = 0;
  }
  this->ExpectRight(problem);
}

/// In a long row even a little of that shift is much: what is left of the squares is less than they
/// err by.
TYPED_TEST(Stability, MisleadingFirstElementOfALongRow) {
  for (const double first : {1e3, -1e6}) {
    auto problem = RandomProblem<TypeParam>(this->random(), 2, 65'536);
    problem.x[0] = problem.x[65'536] = static_cast<TypeParam>(first);
    this->ExpectRight(problem);
  }
}

/// Wherever that element is, and whether the others are drawn or all the same: any one may be taken
/// as the shift of a row, or of a part of it. Errors of equal squares do not cancel.
TYPED_TEST(Stability, OneElementFarFromALongRow) {
  std::uniform_real_distribution<double> exponent(2, 3.5);
  for (const std::size_t features : {1000U, 4096U, 65'536U}) {
    for (const std::size_t at : {std::size_t{0}, this->random()() % features, features - 1}) {
      auto problem = RandomProblem<TypeParam>(this->random(), 3, features);
      for (std::size_t j = 0; j < features; ++j) {
        problem.x[features + j] = 0;
        problem.x[2 * features + j] = TypeParam(0.5);
      }
      for (std::size_t row = 0; row < problem.rows; ++row) {
        const double far = std::pow(10.0, exponent(this->random()));
        problem.x[row * features + at] = static_cast<TypeParam>(far);
      }
      this->asked = "element " + std::to_string(at) + " of each row far from the rest";
      this->ExpectRight(problem);
    }
  }
}

class StabilityF64 : public Stability<double> {};
TEST_F(StabilityF64, Offset1e5) { ExpectStable(1e5); }
TEST_F(StabilityF64, Offset1e6) { ExpectStable(1e6); }
TEST_F(StabilityF64, Offset1e7) { ExpectStable(1e7); }
TEST_F(StabilityF64, Offset1e8) { ExpectStable(1e8); }
TEST_F(StabilityF64, Offset1e9) { ExpectStable(1e9); }
TEST_F(StabilityF64, Offset1e10) { ExpectStable(1e10); }

/// Down to a spread of some hundred units in the last place.
TEST_F(StabilityF64, SpreadsOfTheLastDigits) {
  for (const double offset : {1e11, 1e12, 1e13}) {
    ExpectRight(RandomProblem<double>(random(), 16, 20, {.offset = offset}));
  }
}

/// Beyond the contract: squares overflow, or nothing of the row is left in T.
template <class T>
class Stretch : public LayerNormTest {
 protected:
  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"stretch"});
    DoesNotGate();
  }
};
TYPED_TEST_SUITE(Stretch, ElementTypes, ElementNames);

TYPED_TEST(Stretch, SquaresOverflow) {
  const double scale = std::is_same_v<TypeParam, float> ? 1e30 : 1e200;
  this->ExpectRight(RandomProblem<TypeParam>(this->random(), 7, 61, {.scale = scale}));
}

TYPED_TEST(Stretch, ZeroDyBesideHugeRows) {
  const double scale = std::is_same_v<TypeParam, float> ? 1e37 : 1e306;
  auto problem = RandomProblem<TypeParam>(this->random(), 7, 45, {.scale = scale});
  std::fill(problem.dy.begin(), problem.dy.end(), TypeParam(0));
  this->ExpectRight(problem, Judge::kGradients);
}

/// Tighter than the contract: offset 1e3 over long rows, within what a pairwise or compensated mean
/// reaches and a sequential one need not.
TYPED_TEST(Stretch, LongRowsFarFromZero) {
  auto problem = RandomProblem<TypeParam>(this->random(), 4, 8192, {.offset = 1e3});
  Answer answer = Solve(problem);
  constexpr double kPairwise = 1.0 / 64;  // log2(8192) + constants, over 8192
  for (auto* bound : {&answer.bounds.y, &answer.bounds.dx}) {
    for (double& value : *bound) {
      value *= kPairwise;
    }
  }
  this->template NeedType<TypeParam>();
  const auto forward = this->RunForward(problem);
  this->ExpectForwardRight(answer, forward);
  this->ExpectGradientsRight(answer, this->RunBackward(problem, forward.saved));
}

}  // namespace
}  // namespace assay::layernorm
