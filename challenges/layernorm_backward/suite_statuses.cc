// SPDX-License-Identifier: Apache-2.0
// The statuses of interface.h, each alone and with each other, in what order they are found out,
// and that a call which was refused changes nothing for the next: tag `edge`.

#include <cstdint>
#include <string>
#include <vector>

#include "interface.h"
#include "suite_support.h"

namespace assay::layernorm {
namespace {

template <class T>
class Statuses : public LayerNormTest {
 protected:
  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"edge"});
  }

  int StatusOfForward(const Problem<T>& problem, SaveLimits limits) {
    std::vector<T> y(problem.x.size());
    SavedTensors saved;
    Invocation call(FunctionName<T>("ln_forward"));
    call.Scalar(problem.rows).Scalar(problem.features).Input(problem.x).Input(problem.gamma);
    call.Input(problem.beta).Scalar(problem.eps).Output(y).Save(&saved, limits);
    return Call(kForward, call).status;
  }

  struct Backward {
    int status = 0;
    BackwardOutputs<T> outputs;
  };
  Backward CallBackward(const Problem<T>& problem, const SavedTensors& saved) {
    Backward got{.outputs = {.dx = std::vector<T>(problem.x.size()),
                             .dgamma = std::vector<T>(problem.features),
                             .dbeta = std::vector<T>(problem.features)}};
    Invocation call(FunctionName<T>("ln_backward"));
    call.Scalar(problem.rows).Scalar(problem.features).Input(problem.dy).Load(saved);
    call.Output(got.outputs.dx).Output(got.outputs.dgamma).Output(got.outputs.dbeta);
    got.status = Call(kBackward, call).status;
    return got;
  }

  void ExpectStatus(int wanted, int got, const std::string& of) {
    if (got != wanted) {
      FailCase(of + " returned status " + std::to_string(got) + " instead of " +
               std::to_string(wanted));
    }
  }
};
TYPED_TEST_SUITE(Statuses, ElementTypes, ElementNames);

/// No features wins over no rows, over nothing that can be saved, and over nothing to load.
TYPED_TEST(Statuses, NoFeaturesWins) {
  this->template NeedType<TypeParam>();
  const std::string forward = FunctionName<TypeParam>("ln_forward");
  const std::string backward = FunctionName<TypeParam>("ln_backward");
  for (const std::size_t rows : {0U, 1U, 4U}) {
    const auto problem = RandomProblem<TypeParam>(this->random(), rows, 0);
    const std::string of = " of " + std::to_string(rows) + " rows without features";
    for (const SaveLimits limits : {SaveLimits{}, SaveLimits{.tensors = 0}}) {
      this->ExpectStatus(
          LN_INVALID_ARGUMENT, this->StatusOfForward(problem, limits),
          forward + of + " with room for " + std::to_string(limits.tensors) + " tensors");
    }
    this->ExpectStatus(LN_INVALID_ARGUMENT, this->CallBackward(problem, {}).status, backward + of);
  }
  this->ExpectRight(RandomProblem<TypeParam>(this->random(), 5, 21));
}

/// No rows are right, whether or not anything can be saved or was.
TYPED_TEST(Statuses, NoRowsWithNothingSaved) {
  this->template NeedType<TypeParam>();
  const auto problem = RandomProblem<TypeParam>(this->random(), 0, 19);
  SavedTensors saved;
  this->asked = "nothing saved";
  this->ExpectGradientsRight(Solve(problem), this->RunBackward(problem, saved));
  this->ExpectStatus(LN_OK, this->StatusOfForward(problem, {}), "forward of no rows");
}

/// What a call with rows has summed is nothing to a call of that many features without.
TYPED_TEST(Statuses, NoRowsAfterRows) {
  for (const std::size_t features : {1U, 8U, 64U, 1025U}) {
    for (const std::size_t rows : {4U, 0U, 70U, 0U, 0U, 1U, 0U}) {
      this->asked = "one of calls with rows and without";
      this->ExpectRight(RandomProblem<TypeParam>(this->random(), rows, features));
    }
  }
}

/// What is empty may be null.
TYPED_TEST(Statuses, NoRowsOfNullPointers) {
  this->ExpectRight(RandomProblem<TypeParam>(this->random(), 3, 19));
  const auto problem = RandomProblem<TypeParam>(this->random(), 0, 19);
  std::vector<TypeParam> y;
  SavedTensors saved;
  Invocation forward(FunctionName<TypeParam>("ln_forward"));
  forward.Scalar(problem.rows).Scalar(problem.features).Input(problem.x).Input(problem.gamma);
  forward.Input(problem.beta).Scalar(problem.eps).Output(y).Save(&saved).EmptyIsNull();
  this->CallExpecting(LN_OK, TestFixture::kForward, forward);
  BackwardOutputs<TypeParam> got{.dx = {},
                                 .dgamma = std::vector<TypeParam>(problem.features),
                                 .dbeta = std::vector<TypeParam>(problem.features)};
  Invocation backward(FunctionName<TypeParam>("ln_backward"));
  backward.Scalar(problem.rows).Scalar(problem.features).Input(problem.dy).Load(saved);
  backward.Output(got.dx).Output(got.dgamma).Output(got.dbeta).EmptyIsNull();
  this->CallExpecting(LN_OK, TestFixture::kBackward, backward);
  this->asked = "null pointers to what is empty";
  this->ExpectGradientsRight(Solve(problem), got);
}

/// The last tensor that forward saves, or the first, finds no room.
TYPED_TEST(Statuses, NoRoomToSave) {
  this->template NeedType<TypeParam>();
  const auto problem = RandomProblem<TypeParam>(this->random(), 9, 31);
  const auto saved = this->RunForward(problem).saved;
  std::uint64_t bytes = 0;
  for (const SavedTensor& tensor : saved) {
    bytes += tensor.data.size();
  }
  const auto tensors = static_cast<std::uint32_t>(saved.size());
  const std::string of = FunctionName<TypeParam>("ln_forward") + " of 9x31 with room for ";
  for (std::uint32_t room = 0; room < tensors; ++room) {
    this->ExpectStatus(LN_OUT_OF_MEMORY, this->StatusOfForward(problem, {.tensors = room}),
                       of + std::to_string(room) + " of " + std::to_string(tensors) + " tensors");
    this->ExpectRight(problem);
  }
  for (const std::uint64_t room : {std::uint64_t{0}, bytes / 2, bytes - 1}) {
    this->ExpectStatus(LN_OUT_OF_MEMORY, this->StatusOfForward(problem, {.bytes = room}),
                       of + std::to_string(room) + " of " + std::to_string(bytes) + " bytes");
    this->ExpectRight(problem);
  }
}

/// In a process that has seen nothing else: what a refused call would keep is not there.
TYPED_TEST(Statuses, NoRoomInTheFirstCall) {
  this->template NeedType<TypeParam>();
  const auto problem = RandomProblem<TypeParam>(this->random(), 3, 4001);
  for (std::uint32_t room = 0; room < 3; ++room) {
    this->RestartHost(this->kForward);
    this->ExpectStatus(LN_OUT_OF_MEMORY, this->StatusOfForward(problem, {.tensors = room}),
                       FunctionName<TypeParam>("ln_forward") + " of 3x4001 with room for " +
                           std::to_string(room) + " tensors");
    this->ExpectRight(problem);
  }
}

/// Each tensor missing, and each two. One that backward does without may be.
TYPED_TEST(Statuses, SavedTensorsMissing) {
  this->template NeedType<TypeParam>();
  const auto problem = RandomProblem<TypeParam>(this->random(), 6, 23);
  const Answer answer = Solve(problem);
  const SavedTensors saved = this->RunForward(problem).saved;
  for (std::size_t first = 0; first < saved.size(); ++first) {
    for (std::size_t second = first; second < saved.size(); ++second) {
      SavedTensors left;
      for (std::size_t i = 0; i < saved.size(); ++i) {
        if (i != first && i != second) {
          left.push_back(saved[i]);
        }
      }
      this->asked = "without " + saved[first].name + " and " + saved[second].name;
      const auto got = this->CallBackward(problem, left);
      if (got.status == LN_OK) {
        this->ExpectGradientsRight(answer, got.outputs);
      } else {
        this->ExpectStatus(LN_INVALID_ARGUMENT, got.status,
                           FunctionName<TypeParam>("ln_backward") + " " + this->asked);
      }
      this->asked = "after a refusal";
      this->ExpectGradientsRight(answer, this->RunBackward(problem, saved));
    }
  }
  this->ExpectStatus(LN_INVALID_ARGUMENT, this->CallBackward(problem, {}).status,
                     "backward with nothing saved");
}

/// 1 GiB is what one call may save, not what all calls of a process may. A forward saves rows *
/// features elements at least.
class StatusesF32 : public Statuses<float> {};
TEST_F(StatusesF32, RoomForMoreInAllThanOneCallMaySave) {
  NeedType<float>();
  ExpectRight(RandomProblem<float>(random(), 5, 21));  // Who does nothing has room for all.
  const auto problem = RandomProblem<float>(random(), 1024, 4096);
  const std::size_t saved_bytes = problem.x.size() * sizeof(float);
  for (std::size_t calls = 0; calls * saved_bytes <= std::size_t{1} << 30; ++calls) {
    ExpectStatus(LN_OK, StatusOfForward(problem, {}),
                 "ln_forward_f32 of 1024x4096 after " + std::to_string(calls) + " calls of it");
  }
}

}  // namespace
}  // namespace assay::layernorm
