// SPDX-License-Identifier: Apache-2.0
// Arithmetic narrower than float where the bound of the worst case is too wide to see it: tag
// `stability`. Logits of many rows are drawn independently, so that the errors of their sums can be
// held against what chance makes of roundings (row_errors.h). Rows are long, since only a long sum
// shows how it was made, come one in a call, and have their winners in one warp.

#include <algorithm>
#include <cmath>
#include <random>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Precision : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"stability"});
    this->LogitsAreDrawn();
    this->NotesMassErrors();
    this->UseOneSchedule();
  }

  /// Rows of a size from `least` to `most` that no call of a run before has had.
  void ExpectRows(int rows, std::size_t least, std::size_t most, std::size_t k) {
    const std::size_t vocabulary =
        std::uniform_int_distribution<std::size_t>(least / 8, most / 8)(this->random()) * 8;
    this->RowsComeInSeveralCalls();
    for (int row = 0; row < rows; ++row) {
      this->ExpectRandomForOneWarp({1, vocabulary, k});
    }
  }
};
TYPED_TEST_SUITE(Precision, Variants, VariantNames);

/// Alone in its row a probability shows its sum's error and its own together.
TYPED_TEST(Precision, LargestAlone) {
  this->ExpectRows(48, 200, 400, 1);
  this->ExpectRows(24, 1200, 2000, 1);
  this->ExpectRows(8, 20'000, 30'000, 1);
}

TYPED_TEST(Precision, SumsOfLongRows) {
  this->ExpectRows(16, 4000, 6000, 4);
  this->ExpectRows(4, 40'000, 50'000, 8);
}

/// One above many that are e^4 to e^5 below it and together about as much: there a factor of the
/// exponents that is slightly off shows most in the sum, and the additions are too few to hide it.
TYPED_TEST(Precision, OneAboveMany) {
  constexpr double kOthersOverOne = 2.7;
  this->RowsComeInSeveralCalls();
  for (int row = 0; row < 128; ++row) {
    const std::size_t vocabulary =
        std::uniform_int_distribution<std::size_t>(25, 50)(this->random()) * 8;
    auto problem = this->RandomForOneWarp({1, vocabulary, 1}, {.scale = 0.5});
    *std::ranges::max_element(problem.logits, {}, [](auto logit) { return ToFloat(logit); }) =
        this->Near(std::log(static_cast<double>(vocabulary) / kOthersOverOne));
    this->Expect(problem);
  }
}

}  // namespace
}  // namespace assay::softmax_topk
