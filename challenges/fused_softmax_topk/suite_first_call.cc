// SPDX-License-Identifier: Apache-2.0
// What the first call of a process decides, or the first that goes some way, a form, a plan or a
// size of scratch, must not hold for the calls behind it: tag `combinations`.

#include <cstddef>
#include <vector>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

struct Asked {
  Shape shape;
  std::size_t logits_offset = 0;
};

template <class Variant>
class FirstOfItsProcess : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"combinations"});
    this->UseOneSchedule();
  }
};
TYPED_TEST_SUITE(FirstOfItsProcess, Variants, VariantNames);

/// Of another vocabulary, list, number of rows or place of the logits, and of rows that may be
/// shared out, each of two sizes at least: in a fresh host, and in another the last of them first.
/// A refusal is the matter of other cases.
TYPED_TEST(FirstOfItsProcess, IsOfAnotherShape) {
  this->ExpectRandom({2, 64, 4});  // Whoever refuses all keeps nothing of a call.
  const std::vector<Asked> calls = {
      {{0, 64, 4}},     {{1, 1, 1}},      {{2, 64, 1}},     {{2, 64, 4}},
      {{2, 64, 4}, 1},  {{2, 63, 4}},     {{300, 64, 4}},   {{900, 20, 2}},
      {{2, 64, 33}},    {{2, 300, 200}},  {{2, 3001, 4}},   {{2, 5000, 64}},
      {{3, 5000, 700}}, {{2, 40'000, 4}}, {{1, 90'000, 9}}, {{1, 50'000, 64}}};
  this->InBothOrders({this->SchedulesUsed().front()}, calls, [this](const Asked& asked) {
    this->template Try<TypeParam>(this->Random(asked.shape),
                                  {.logits_offset = asked.logits_offset});
  });
}

}  // namespace
}  // namespace assay::softmax_topk
