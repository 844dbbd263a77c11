// SPDX-License-Identifier: Apache-2.0
// Shapes, values and layouts at random: tag
// `combinations`. The seed is the run's.

#include <algorithm>
#include <array>
#include <limits>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Random : public VariantTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;

  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"combinations"});
  }

  /// Normal logits of some scale and level, of which some are made equal, masked or odd.
  Problem<Logit> Draw(Shape shape) {
    auto& random = this->random();
    constexpr std::array<double, 5> kScales = {0.01, 1, 1, 8, 60};
    constexpr std::array<double, 4> kOffsets = {0, 0, 85, -3000};
    auto problem = this->VariantTest<Variant>::Random(
        shape, {.offset = kOffsets[random() % 4], .scale = kScales[random() % 5]});
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (random() % 6) {
      case 0:  // Ties.
        Change(problem, 2, [&](Logit) { return problem.logits[random() % problem.logits.size()]; });
        break;
      case 1:  // A mask.
        Change(problem, 1 + random() % 4, [](Logit) { return Nearest<Logit>(-kInfinity); });
        break;
      case 2:  // A few NaN.
        Change(problem, problem.logits.size(),
               [](Logit) { return Nearest<Logit>(std::numeric_limits<double>::quiet_NaN()); });
        break;
      default:
        break;
    }
    return problem;
  }

  /// Replaces one logit in `every`.
  template <class Replace>
  void Change(Problem<Logit>& problem, std::size_t every, Replace replace) {
    for (Logit& logit : problem.logits) {
      if (this->random()() % every == 0) {
        logit = replace(logit);
      }
    }
  }

  void ExpectRightWithKFrom(std::size_t least_k, std::size_t most_k, int calls) {
    auto& random = this->random();
    for (int i = 0; i < calls; ++i) {
      const std::size_t k = std::uniform_int_distribution<std::size_t>(least_k, most_k)(random);
      const std::size_t vocabulary = k - 1 + RandomExtent(random, 4096 - most_k);
      const std::size_t rows = RandomExtent(random, std::max<std::size_t>(1, 12'000 / vocabulary));
      this->ExpectAnywhere(Draw({std::min<std::size_t>(rows, 70), vocabulary, k}));
    }
  }
};
TYPED_TEST_SUITE(Random, Variants, VariantNames);

TYPED_TEST(Random, KTo8) { this->ExpectRightWithKFrom(1, 8, 40); }
TYPED_TEST(Random, KTo32) { this->ExpectRightWithKFrom(9, 32, 10); }
TYPED_TEST(Random, KTo100) { this->ExpectRightWithKFrom(33, 100, 6); }
TYPED_TEST(Random, KTo256) { this->ExpectRightWithKFrom(101, 256, 6); }
TYPED_TEST(Random, KTo1024) { this->ExpectRightWithKFrom(257, 1024, 5); }

}  // namespace
}  // namespace assay::softmax_topk
