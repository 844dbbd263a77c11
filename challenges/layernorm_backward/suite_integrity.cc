// SPDX-License-Identifier: Apache-2.0
// The same answer in every call, whatever came before: tag `integrity`. Against code that remembers
// (by pointer, by a sample of the content, in a global), that is right for the first calls alone,
// or that computes in a narrower type than it says.

#include <algorithm>

#include "suite_support.h"

namespace assay::layernorm {
namespace {

template <class T>
class Integrity : public LayerNormTest {
 protected:
  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"integrity"});
  }

  /// As many calls as a bench makes of one shape, so that there is no telling them apart.
  void ExpectNoDrift(std::size_t rows, std::size_t features, int calls) {
    RestartHost(kForward);
    RestartHost(kBackward);
    for (int i = 0; i < calls; ++i) {
      ExpectRight(RandomProblem<T>(random(), rows, features));
    }
  }

  /// Changes `count` elements at random places, away from the ends and from multiples of 8, where a
  /// sample of the content would be taken.
  void ChangeUnsampled(std::vector<T>& values, int count) {
    std::uniform_int_distribution<std::size_t> anywhere(64, values.size() - 64);
    for (int i = 0; i < count; ++i) {
      const std::size_t at = anywhere(random()) / 8 * 8 + 3;
      values[at] += T(2);
    }
  }
};
TYPED_TEST_SUITE(Integrity, ElementTypes, ElementNames);

/// One shape over and over: the buffers come to lie at the same addresses with new contents.
TYPED_TEST(Integrity, NoDriftOverManyCalls) { this->ExpectNoDrift(16, 128, 60); }
TYPED_TEST(Integrity, NoDriftOnLargerTensors) { this->ExpectNoDrift(64, 768, 12); }

/// A shape of bench.cc, aligned as there, in hosts as fresh as there: what is a test and what is
/// timed looks the same from inside.
TYPED_TEST(Integrity, AsTheBenchCalls) {
  this->placement = Placement::kAligned;
  this->ExpectNoDrift(1024, 768, 4);
}

/// The forward host remembers nothing that backward could use, and no backward before this one can
/// have left anything either.
TYPED_TEST(Integrity, BackwardInFreshProcess) {
  this->template NeedType<TypeParam>();
  for (int i = 0; i < 3; ++i) {
    const auto problem = RandomProblem<TypeParam>(this->random(), 13, 57);
    const auto forward = this->RunForward(problem);
    this->RestartHost(this->kForward);
    this->RestartHost(this->kBackward);
    this->ExpectGradientsRight(Solve(problem), this->RunBackward(problem, forward.saved));
  }
}

/// Backward of an older forward, after newer ones of the same shape: what it gets decides.
TYPED_TEST(Integrity, BackwardOutOfOrder) {
  this->template NeedType<TypeParam>();
  std::vector<Problem<TypeParam>> problems;
  std::vector<SavedTensors> saved;
  for (int i = 0; i < 4; ++i) {
    problems.push_back(RandomProblem<TypeParam>(this->random(), 10, 64));
    saved.push_back(this->RunForward(problems.back()).saved);
  }
  for (const std::size_t i : {2U, 0U, 3U, 1U, 0U}) {
    this->ExpectGradientsRight(Solve(problems[i]), this->RunBackward(problems[i], saved[i]));
  }
}

/// Two inputs that differ in a few elements which no sample of ends or strides would hold.
TYPED_TEST(Integrity, TwinsThatDifferInFewElements) {
  for (int i = 0; i < 4; ++i) {
    auto problem = RandomProblem<TypeParam>(this->random(), 32, 96);
    this->ExpectRight(problem);
    this->ChangeUnsampled(problem.x, 3);
    this->ExpectRight(problem);
    this->ChangeUnsampled(problem.dy, 3);
    this->ExpectRight(problem);
  }
}

/// The same, with gamma alone changed: x, dy and all shapes are those of the call before.
TYPED_TEST(Integrity, TwinsThatDifferInGamma) {
  auto problem = RandomProblem<TypeParam>(this->random(), 8, 400);
  this->ExpectRight(problem);
  this->ChangeUnsampled(problem.gamma, 1);
  this->ExpectRight(problem);
  problem.eps = TypeParam(0.5);
  this->ExpectRight(problem);
}

TYPED_TEST(Integrity, ShapesInTurn) {
  constexpr std::size_t kShapes[][2] = {{16, 48}, {48, 16}, {3, 256}, {256, 3}, {1, 768}};
  for (int i = 0; i < 15; ++i) {
    const auto [rows, features] = kShapes[i % 5];
    this->ExpectRight(RandomProblem<TypeParam>(this->random(), rows, features));
  }
}

/// Where the bound is a few roundings wide: arithmetic or saved tensors in half or bfloat16 (or
/// float, in the f64 functions) are outside it by orders of magnitude.
TYPED_TEST(Integrity, FullPrecisionOnShortRows) {
  for (const std::size_t features : {4U, 5U, 8U}) {
    this->ExpectRight(RandomProblem<TypeParam>(this->random(), 200, features));
  }
}

/// And on a shape where a narrower type would pay: larger tensors are not rounded either.
TYPED_TEST(Integrity, FullPrecisionOnLargeTensors) {
  this->ExpectRight(RandomProblem<TypeParam>(this->random(), 512, 256));
}

}  // namespace
}  // namespace assay::layernorm
