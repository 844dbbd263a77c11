// SPDX-License-Identifier: Apache-2.0
// y, tag `forward`; and what forward saves, as metrics.

#include <cstdint>

#include "calculators.h"
#include "suite_support.h"

namespace assay::layernorm {
namespace {

template <class T>
class ForwardPass : public LayerNormTest {
 protected:
  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"forward"});
  }

  void ExpectForwardRightFor(std::size_t rows, std::size_t features, Distribution distribution) {
    ExpectRight(RandomProblem<T>(random(), rows, features, distribution), Judge::kForward);
  }
};
TYPED_TEST_SUITE(ForwardPass, ElementTypes, ElementNames);

TYPED_TEST(ForwardPass, OneRow) { this->ExpectForwardRightFor(1, 768, {}); }
TYPED_TEST(ForwardPass, TwoFeatures) { this->ExpectForwardRightFor(9, 2, {}); }
TYPED_TEST(ForwardPass, TransformerShape) { this->ExpectForwardRightFor(96, 768, {}); }
TYPED_TEST(ForwardPass, OffsetOfThreeDeviations) {
  this->ExpectForwardRightFor(31, 127, {.offset = -6, .scale = 2});
}
TYPED_TEST(ForwardPass, SmallDeviation) {
  // var and eps are of the same size.
  this->ExpectForwardRightFor(31, 127, {.offset = 0, .scale = 3e-3});
}

TYPED_TEST(ForwardPass, EveryTailOfVectorLoops) {
  for (std::size_t features = 2; features <= 48; ++features) {
    this->ExpectForwardRightFor(3, features, {});
  }
}

TYPED_TEST(ForwardPass, LargeEps) {
  auto problem = RandomProblem<TypeParam>(this->random(), 9, 40);
  problem.eps = TypeParam(0.25);
  this->ExpectRight(problem, Judge::kForward);
}

TYPED_TEST(ForwardPass, RandomShapes) {
  this->Tag({"random"});
  for (int i = 0; i < 12; ++i) {
    const std::size_t features = RandomExtent(this->random(), 3000);
    const std::size_t rows = RandomExtent(this->random(), 60'000 / features + 1);
    this->ExpectForwardRightFor(rows, features, {});
  }
}

class SavedTensorsCase : public LayerNormTest {};

/// The published study's "cache items" and "cache minimality". The shape is not square and not
/// small, so that neither per-row extras nor padding pass for the least.
TEST_F(SavedTensorsCase, CountAndBytes) {
  Tag({"forward"});
  NeedType<float>();
  constexpr Workload kShape{.rows = 64, .features = 96, .element_bytes = sizeof(float)};
  const auto problem = RandomProblem<float>(random(), kShape.rows, kShape.features);
  const auto forward = RunForward(problem);
  std::uint64_t bytes = 0;
  for (const SavedTensor& tensor : forward.saved) {
    bytes += tensor.data.size();
  }
  const Answer answer = Solve(problem);
  const bool forward_right = ExpectForwardRight(answer, forward);
  if (!ExpectGradientsRight(answer, RunBackward(problem, forward.saved)) || !forward_right) {
    return;  // What is saved is too little, or not what is wanted.
  }
  Metric("tensors_saved", static_cast<double>(forward.saved.size()));
  Metric("saved_bytes", static_cast<double>(bytes));
  Metric("saved_bytes_over_minimum",
         static_cast<double>(bytes) / static_cast<double>(LeastSavedBytes(kShape)));
}

}  // namespace
}  // namespace assay::layernorm
