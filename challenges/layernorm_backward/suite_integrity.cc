// SPDX-License-Identifier: Apache-2.0
// The same answer in every call, whatever came before: tag `integrity`. Against code that remembers
// (by pointer, by a sample of the content, in a global), that is right for the first calls alone,
// nearly always, or that computes or saves in a narrower type than it says (suite_precision.cc,
// too).

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "random_rounding.h"
#include "suite_support.h"
#include "timed_shapes.h"

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

  /// The calls of a block of a bench, backward after each forward: timed or not, a bench uses what
  /// forward saved.
  void ExpectRightAsTimed(std::size_t rows, std::size_t features) {
    NeedType<T>();
    RestartHost(kForward);
    RestartHost(kBackward);
    Problem<T> problem{.rows = rows, .features = features};
    const std::uint64_t judged_in_full = random()() % kCallsOfTimedHosts;
    for (std::uint64_t call = 0; call < kCallsOfTimedHosts; ++call) {
      DrawTimed(random(), problem);
      if (call == judged_in_full) {
        ExpectPrecise(problem);
      } else {
        ExpectSampledRowsRight(problem);
      }
    }
  }

  /// y and dx, in rows that are drawn.
  void ExpectSampledRowsRight(const Problem<T>& problem) {
    constexpr std::size_t kRows = 40;
    const RowChoice rows = DrawRows(random(), problem.rows, kRows);
    const Problem<T> sample = RowsOf(problem, rows);
    const Answer answer = Solve(sample);
    const Bounds bounds = RandomRoundingBounds(sample, answer);
    const ForwardOutputs<T> forward = RunForward(problem);
    const std::vector<T> y = RowsOf(forward.y, problem.features, rows);
    const std::vector<T> dx =
        RowsOf(RunBackward(problem, forward.saved).dx, problem.features, rows);
    ExpectWithin({"y", " in sampled rows"}, y, answer.forward.y, answer.bounds.y);
    ExpectRmsWithin({"y", " in sampled rows"}, y, answer.forward.y, bounds.y);
    ExpectWithin({"dx", " in sampled rows"}, dx, answer.gradients.dx, answer.bounds.dx);
    ExpectRmsWithin({"dx", " in sampled rows"}, dx, answer.gradients.dx, bounds.dx);
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

/// Each shape that is timed, on inputs drawn and placed as there, in hosts as fresh as there and as
/// often as a bench calls these: what is a test and what is timed looks the same from inside. One
/// call, drawn, is judged in full, the others in some rows.
TYPED_TEST(Integrity, AsTheBenchCalls) {
  this->placement = Placement::kAligned;
  for (const TimedShape& shape : kTimedShapes) {
    if (shape.element_bytes == sizeof(TypeParam) && shape.pass == TimedPass::kBackward) {
      this->ExpectRightAsTimed(shape.rows, shape.features);
    }
  }
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
  this->ExpectPrecise(RandomProblem<TypeParam>(this->random(), 512, 256));
}

/// A fault that strikes a call with chance p, whatever its cause, is seen in a run with chance
/// 1 - (1 - p)^n, n calls of either function: in f32 92 % for one call in a thousand and 12 % for
/// one in 20,000; in f64 63 % and 5 %. Other seeds are other runs. Every input is fresh, every
/// output compared in full; one process answers all calls, and meets what counts them.
TYPED_TEST(Integrity, ThousandsOfTinyCalls) {
  const int calls = (std::is_same_v<TypeParam, float> ? 2500 : 1000) / (this->sanitized() ? 4 : 1);
  for (int i = 0; i < calls && !this->HasFailure(); ++i) {
    const std::size_t rows = 1 + this->random()() % 3;
    const std::size_t features = 2 + this->random()() % 7;
    this->ExpectRight(RandomProblem<TypeParam>(this->random(), rows, features));
  }
}

}  // namespace
}  // namespace assay::layernorm
