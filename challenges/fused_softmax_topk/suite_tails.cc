// SPDX-License-Identifier: Apache-2.0
// Sums of which half lies far below the maximum: tag `stability`. Single rows, with their winners
// in one warp; they are as long as the tail needs to weigh that much.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Tails : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"stability"});
    this->UseOneSchedule();
  }
};
TYPED_TEST_SUITE(Tails, Variants, VariantNames);

/// One logit above so many equal ones that they weigh as much as it does, 3 to 18 powers of two
/// below it: an exponential that is coarse, or nothing, somewhere on the way shows in the sum. Not
/// at a whole power, where a coarse one is right. Up to what is refused.
TYPED_TEST(Tails, AsHeavyAsTheirTop) {
  for (const int octaves : {3, 5, 7, 9, 11, 13, 14, 15, 16, 17}) {
    const double below = (octaves + 0.4) * std::numbers::ln2;
    const auto vocabulary = static_cast<std::size_t>(std::ceil(std::exp(below) / 8)) * 8;
    auto problem = this->Constant({1, vocabulary, 2}, -below);
    problem.logits[std::min<std::size_t>(vocabulary - 1, 17)] = this->Near(0);
    if (this->template Try<TypeParam>(problem, {}) == TestFixture::Outcome::kRefused) {
      if (octaves == 3) {
        this->Skip("the shortest of these rows is refused");
      }
      return;
    }
  }
}

}  // namespace
}  // namespace assay::softmax_topk
