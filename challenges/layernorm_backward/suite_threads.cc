// SPDX-License-Identifier: Apache-2.0
// The same calls again and again in processes that may use all processors: tag `integrity`.
// Elsewhere hosts are pinned to one, where threads of a function take turns and seldom meet; here
// two that write to one place without a lock do. Rows are many and features few, since what threads
// share are the sums over rows. On a machine with one processor this shows as little as the other
// cases.

#include <string>

#include "suite_support.h"

namespace assay::layernorm {
namespace {

template <class T>
class Threads : public LayerNormTest {
 protected:
  struct Size {
    std::size_t rows = 1;
    std::size_t features = 1;
  };

  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"integrity"});
  }

  /// Forward and backward, each so often, of one problem; every answer is compared.
  void ExpectRightEachTime(Size size, int times) {
    NeedType<T>();
    UseAllProcessors(kForward);
    UseAllProcessors(kBackward);
    const Problem<T> problem = RandomProblem<T>(random(), size.rows, size.features);
    const Answer answer = Solve(problem);
    for (int i = 0; i < times && !HasFailure(); ++i) {
      asked = "time " + std::to_string(i + 1) + " with all processors";
      const auto forward = RunForward(problem);
      ExpectForwardRight(answer, forward);
      ExpectGradientsRight(answer, RunBackward(problem, forward.saved));
    }
  }
};
TYPED_TEST_SUITE(Threads, ElementTypes, ElementNames);

TYPED_TEST(Threads, ManyRowsOfFewFeatures) {
  this->ExpectRightEachTime({.rows = 4096, .features = 24}, 12);
}

TYPED_TEST(Threads, AsManyRowsAsFeatures) {
  this->ExpectRightEachTime({.rows = 512, .features = 512}, 8);
}

TYPED_TEST(Threads, FewRowsOfManyFeatures) {
  this->ExpectRightEachTime({.rows = 9, .features = 20'000}, 6);
}

}  // namespace
}  // namespace assay::layernorm
