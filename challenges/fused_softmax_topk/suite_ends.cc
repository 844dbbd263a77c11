// SPDX-License-Identifier: Apache-2.0
// The last logit of a row, whatever is left over behind whole warps, blocks and tiles: tag `merge`.
// Single rows, dense and aligned, of one logit more and one less than every power of two.

#include <cstddef>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Ends : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"merge"});
    this->UseOneSchedule();
  }
};
TYPED_TEST_SUITE(Ends, Variants, VariantNames);

/// The first and the last logit have all of the mass, half each: a last one that is not looked at
/// shows in the indices, and one that is not summed in both probabilities. Up to what is refused.
TYPED_TEST(Ends, FirstAndLastLogitOfEverySize) {
  const auto is_refused = [this](std::size_t vocabulary) {
    auto problem = this->Random({1, vocabulary, 2}, {.offset = -9, .scale = 0.5});
    const bool last_is_larger = this->random()() % 2 == 0;
    problem.logits.front() = this->Near(last_is_larger ? 8 : 8.25);
    problem.logits.back() = this->Near(last_is_larger ? 8.25 : 8);
    return this->template Try<TypeParam>(problem, {}) == TestFixture::Outcome::kRefused;
  };
  if (is_refused(3)) {
    this->Skip("the least of these sizes is refused");
  }
  const int last = this->sanitized() ? 12 : 16;
  for (int exponent = 2; exponent <= last; ++exponent) {
    const std::size_t power = std::size_t{1} << exponent;
    if (is_refused(power + 1) || (exponent <= 14 && is_refused(2 * power - 1))) {
      return;
    }
  }
}

}  // namespace
}  // namespace assay::softmax_topk
