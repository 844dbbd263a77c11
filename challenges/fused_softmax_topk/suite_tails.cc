// SPDX-License-Identifier: Apache-2.0
// Sums of which half or more lies at one distance below the maximum: tag `stability`. Single rows,
// with their winners in one warp; they are as long as the tail needs to weigh that much.

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

/// One logit above all others by so much that each of them is less than a millionth of it, or a
/// few, and all together are more than rounding: sums of lanes, threads or parts of a row that are
/// dropped where a maximum is far above theirs. Up to what is refused.
TYPED_TEST(Tails, EachNextToNothing) {
  for (const std::size_t vocabulary : {std::size_t{2048}, std::size_t{4096}, std::size_t{65'536}}) {
    for (const double below : {13.1, 14.2, 15.1, 15.9}) {
      auto problem = this->Constant({1, vocabulary, 2}, -below);
      problem.logits[this->random()() % 32] = this->Near(0);
      if (this->template Try<TypeParam>(problem, {}) == TestFixture::Outcome::kRefused) {
        if (vocabulary == 2048) {
          this->Skip("the shortest of these rows is refused");
        }
        return;
      }
    }
  }
}

/// All but one logit at one distance below it, for each of 40 fractions of a power of two: an
/// exponential that is wrong at some fractions and right at others is found by no mean over them.
TYPED_TEST(Tails, OneFractionForAll) {
  constexpr int kFractions = 40;
  this->UseOneSchedule();
  for (const int octaves : {0, 1, 2}) {
    for (int i = 0; i < kFractions; ++i) {
      const double distance = octaves + (i + 0.5) / kFractions;
      auto problem = this->Constant({1, 64, 2}, -distance * std::numbers::ln2);
      problem.logits[17] = this->Near(0);
      this->Expect(problem);
    }
  }
}

}  // namespace
}  // namespace assay::softmax_topk
