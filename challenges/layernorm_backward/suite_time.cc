// SPDX-License-Identifier: Apache-2.0
// Thousands of calls in one process: tag `integrity`. Against what is wrong from a count of calls
// on, and what each call leaves behind in memory. Few problems, solved once, are asked in turns, so
// that thousands of answers are compared in full at little cost.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interface.h"
#include "suite_support.h"

namespace assay::layernorm {
namespace {

template <class T>
class Time : public LayerNormTest {
 protected:
  static constexpr int kCalls = 5000;
  /// Of what is refused.
  static constexpr int kRefusals = 2500;
  /// Of private bytes after the first calls, in which buffers that are kept are taken.
  static constexpr int kWarmUp = 500;
  /// 64 bytes a call are 280 KiB.
  static constexpr std::int64_t kGrowthAllowed_bytes = std::int64_t{96} << 10;

  struct Solved {
    Problem<T> problem;
    Answer answer;
    SavedTensors saved;
  };

  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"integrity"});
  }

  /// In fresh processes, so that calls are counted from the first.
  std::vector<Solved> SolveSome() {
    NeedType<T>();
    RestartHost(kForward);
    RestartHost(kBackward);
    std::vector<Solved> all;
    for (const std::size_t features : {1U, 6U, 16U, 39U, 63U}) {
      Problem<T> problem = RandomProblem<T>(random(), 1 + features % 4, features);
      Answer answer = Solve(problem);
      all.push_back({.problem = std::move(problem), .answer = std::move(answer), .saved = {}});
    }
    return all;
  }

  /// The values of the `place`-th of four buffers, in every fourth call with room for one more. All
  /// buffers end at a page: that one then begins an element before the others would.
  static std::vector<T> InTurn(std::size_t call, std::size_t place, std::vector<T> values) {
    values.resize(values.size() + (call % 4 == place ? 1 : 0));
    return values;
  }

  /// Makes so many calls `call(number)`, and looks at what the process keeps.
  template <class Call>
  void ExpectNothingKept(std::string_view role, const std::string& operation, int calls,
                         Call call) {
    std::int64_t warm_bytes = 0;
    for (int i = 0; i < (sanitized() ? calls / 10 : calls); ++i) {
      asked = "call " + std::to_string(i + 1) + " of " + operation + " in its process";
      call(static_cast<std::size_t>(i));
      if (HasFailure()) {
        return;
      }
      if (i + 1 == kWarmUp) {
        warm_bytes = PrivateBytes(role);
      }
    }
    const std::int64_t kept_bytes = PrivateBytes(role) - warm_bytes;
    if (!sanitized() && kept_bytes > kGrowthAllowed_bytes) {
      FailCase(std::to_string(calls - kWarmUp) + " calls of " + operation + " kept " +
               std::to_string(kept_bytes) + " bytes of the process's memory, " +
               std::to_string(kGrowthAllowed_bytes) + " are allowed");
    }
  }

  /// What is kept for a size, as scratch may be, must not add up over sizes: the largest come
  /// first, and then only sizes that were not asked before. 8 bytes for each element of a size are
  /// 720,000; an allocator may need some room for sizes that it has not met. `shape(problem, size)`
  /// sets rows and features, whose product is twice the size.
  template <class Shape>
  void ExpectNothingKeptOverSizes(const std::string& sizes, Shape shape) {
    NeedType<T>();
    if (sanitized()) {
      Skip("a sanitizer's allocator keeps what was freed");
    }
    constexpr std::size_t kLargest = 1201;
    constexpr std::int64_t kAllowed_bytes = std::int64_t{512} << 10;
    const auto largest = RandomProblem<T>(random(), 2, kLargest);
    ExpectRight(largest);  // Who does nothing keeps nothing.
    const auto both_passes = [&](std::size_t size) {
      Problem<T> problem = largest;
      shape(problem, size);
      problem.x.resize(problem.rows * problem.features);
      problem.dy.resize(problem.x.size());
      problem.gamma.resize(problem.features);
      problem.beta.resize(problem.features);
      RunBackward(problem, RunForward(problem).saved);
    };
    const auto private_bytes = [&] { return PrivateBytes(kForward) + PrivateBytes(kBackward); };
    RestartHost(kForward);
    RestartHost(kBackward);
    for (std::size_t size = kLargest; size > kLargest / 2; size -= 2) {
      both_passes(size);
    }
    const std::int64_t before_bytes = private_bytes();
    for (std::size_t size = 2; size <= kLargest / 2; size += 2) {
      both_passes(size);
    }
    const std::int64_t kept_bytes = private_bytes() - before_bytes;
    if (kept_bytes > kAllowed_bytes) {
      FailCase("passes of 300 other " + sizes + " kept " + std::to_string(kept_bytes) +
               " bytes of the processes' memory, " + std::to_string(kAllowed_bytes) +
               " are allowed");
    }
  }
};
TYPED_TEST_SUITE(Time, ElementTypes, ElementNames);

TYPED_TEST(Time, ThousandsOfForwards) {
  auto all = this->SolveSome();
  this->ExpectNothingKept(
      this->kForward, FunctionName<TypeParam>("ln_forward"), this->kCalls, [&](std::size_t i) {
        const auto& solved = all[i % all.size()];
        this->ExpectForwardRight(solved.answer, this->RunForward(solved.problem));
      });
}

TYPED_TEST(Time, ThousandsOfBackwards) {
  auto all = this->SolveSome();
  for (auto& solved : all) {
    solved.saved = this->RunForward(solved.problem).saved;
  }
  this->ExpectNothingKept(
      this->kBackward, FunctionName<TypeParam>("ln_backward"), this->kCalls, [&](std::size_t i) {
        const auto& solved = all[i % all.size()];
        this->ExpectGradientsRight(solved.answer, this->RunBackward(solved.problem, solved.saved));
      });
}

/// What was saved in the thousandth call is as good as in the first.
TYPED_TEST(Time, SavedInEachOfAThousandCalls) {
  auto all = this->SolveSome();
  for (int i = 0; i < (this->sanitized() ? 100 : 1100) && !this->HasFailure(); ++i) {
    const auto& solved = all[static_cast<std::size_t>(i) % all.size()];
    const auto forward = this->RunForward(solved.problem);
    this->asked = "saved in call " + std::to_string(i + 1);
    this->ExpectGradientsRight(solved.answer, this->RunBackward(solved.problem, forward.saved));
  }
}

TYPED_TEST(Time, HundredsOfWidths) {
  this->ExpectNothingKeptOverSizes("widths", [&](Problem<TypeParam>& problem, std::size_t size) {
    problem.rows = 2;
    problem.features = size;
  });
}

TYPED_TEST(Time, HundredsOfNumbersOfRows) {
  this->ExpectNothingKeptOverSizes("numbers of rows",
                                   [&](Problem<TypeParam>& problem, std::size_t size) {
                                     problem.rows = size;
                                     problem.features = 2;
                                   });
}

/// Nor what there is nothing to do for.
TYPED_TEST(Time, ThousandsOfCallsWithoutRows) {
  this->SolveSome();
  const auto problem = RandomProblem<TypeParam>(this->random(), 0, 256);
  const Answer answer = Solve(problem);
  SavedTensors saved;
  this->ExpectNothingKept(this->kForward, FunctionName<TypeParam>("ln_forward"), this->kRefusals,
                          [&](std::size_t /*i*/) { saved = this->RunForward(problem).saved; });
  this->ExpectNothingKept(this->kBackward, FunctionName<TypeParam>("ln_backward"), this->kRefusals,
                          [&](std::size_t /*i*/) {
                            this->ExpectGradientsRight(answer, this->RunBackward(problem, saved));
                          });
}

/// Each buffer in turn begins an element before an aligned address, and so do its copies, if any.
TYPED_TEST(Time, ThousandsOfForwardsOfBuffersThatBeginElsewhere) {
  this->SolveSome();
  const auto problem = RandomProblem<TypeParam>(this->random(), 2, 256);
  const Answer answer = Solve(problem);
  this->ExpectNothingKept(
      this->kForward, FunctionName<TypeParam>("ln_forward"), this->kCalls, [&](std::size_t call) {
        const auto x = this->InTurn(call, 0, problem.x);
        const auto gamma = this->InTurn(call, 1, problem.gamma);
        const auto beta = this->InTurn(call, 2, problem.beta);
        ForwardOutputs<TypeParam> got{.y = this->InTurn(call, 3, problem.x), .saved = {}};
        Invocation forward(FunctionName<TypeParam>("ln_forward"));
        forward.Scalar(problem.rows).Scalar(problem.features).Input(x).Input(gamma).Input(beta);
        forward.Scalar(problem.eps).Output(got.y).Save(&got.saved);
        this->CallExpecting(LN_OK, this->kForward, forward);
        got.y.resize(problem.x.size());
        this->ExpectForwardRight(answer, got);
      });
}

TYPED_TEST(Time, ThousandsOfBackwardsOfBuffersThatBeginElsewhere) {
  this->SolveSome();
  const auto problem = RandomProblem<TypeParam>(this->random(), 2, 256);
  const Answer answer = Solve(problem);
  const SavedTensors saved = this->RunForward(problem).saved;
  this->ExpectNothingKept(
      this->kBackward, FunctionName<TypeParam>("ln_backward"), this->kCalls, [&](std::size_t call) {
        const auto dy = this->InTurn(call, 0, problem.dy);
        BackwardOutputs<TypeParam> got{.dx = this->InTurn(call, 1, problem.x),
                                       .dgamma = this->InTurn(call, 2, problem.gamma),
                                       .dbeta = this->InTurn(call, 3, problem.beta)};
        Invocation backward(FunctionName<TypeParam>("ln_backward"));
        backward.Scalar(problem.rows).Scalar(problem.features).Input(dy).Load(saved);
        backward.Output(got.dx).Output(got.dgamma).Output(got.dbeta);
        this->CallExpecting(LN_OK, this->kBackward, backward);
        got.dx.resize(problem.x.size());
        got.dgamma.resize(problem.features);
        got.dbeta.resize(problem.features);
        this->ExpectGradientsRight(answer, got);
      });
}

/// Also what is refused leaves nothing behind, and does not wear out.
TYPED_TEST(Time, ThousandsOfRefusals) {
  auto all = this->SolveSome();
  auto& problem = all.back().problem;
  const SavedTensors nothing;
  std::vector<TypeParam> dx(problem.x.size());
  std::vector<TypeParam> dgamma(problem.features);
  std::vector<TypeParam> dbeta(problem.features);
  Invocation call(FunctionName<TypeParam>("ln_backward"));
  call.Scalar(problem.rows).Scalar(problem.features).Input(problem.dy).Load(nothing);
  call.Output(dx).Output(dgamma).Output(dbeta);
  this->ExpectNothingKept(
      this->kBackward, FunctionName<TypeParam>("ln_backward"), this->kRefusals,
      [&](std::size_t /*i*/) { this->CallExpecting(LN_INVALID_ARGUMENT, this->kBackward, call); });
}

TYPED_TEST(Time, ThousandsOfRefusedForwards) {
  auto all = this->SolveSome();
  auto& problem = all.back().problem;
  std::vector<TypeParam> y(problem.x.size());
  this->ExpectNothingKept(
      this->kForward, FunctionName<TypeParam>("ln_forward"), this->kRefusals, [&](std::size_t i) {
        SavedTensors saved;
        Invocation call(FunctionName<TypeParam>("ln_forward"));
        call.Scalar(problem.rows).Scalar(problem.features).Input(problem.x).Input(problem.gamma);
        call.Input(problem.beta).Scalar(problem.eps).Output(y);
        call.Save(&saved, {.tensors = static_cast<std::uint32_t>(i % 3)});
        this->CallExpecting(LN_OUT_OF_MEMORY, this->kForward, call);
      });
}

}  // namespace
}  // namespace assay::layernorm
