// SPDX-License-Identifier: Apache-2.0
// All of the type's precision, in arithmetic and in what is saved, at every size: tag `integrity`.
// Shapes are drawn, so that none is known to be left out, and some rows in their middle are
// hostile.

#include <algorithm>
#include <cmath>

#include "suite_support.h"

namespace assay::layernorm {
namespace {

template <class T>
class Precision : public LayerNormTest {
 protected:
  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"integrity", "random"});
  }

  /// As many rows of that many features as make more than kElements, some of them hostile.
  void ExpectPreciseFor(std::size_t features) {
    constexpr std::size_t kElements = 60'000;
    const std::size_t rows = std::max<std::size_t>(4, kElements / features + 1);
    auto problem = RandomProblem<T>(random(), rows + random()() % 8, features);
    MakeMiddleRowsHostile(random(), problem);
    ExpectPrecise(problem);
  }

  /// Evenly on a logarithmic scale.
  std::size_t DrawFeatures(double least, double most) {
    std::uniform_real_distribution<double> exponent(std::log(least), std::log(most));
    return static_cast<std::size_t>(std::exp(exponent(random())));
  }
};

TYPED_TEST_SUITE(Precision, ElementTypes, ElementNames);

TYPED_TEST(Precision, DrawnNarrowRows) { this->ExpectPreciseFor(this->DrawFeatures(16, 512)); }

/// The widths of transformers, where the bound of an element has room for an xhat in half.
TYPED_TEST(Precision, DrawnRowsOf512To1100) {
  for (int i = 0; i < 2; ++i) {
    this->ExpectPreciseFor(512 + this->random()() % 589);
  }
}

TYPED_TEST(Precision, DrawnLongRows) {
  this->ExpectPreciseFor(this->DrawFeatures(1101, 12'000));
  this->ExpectPreciseFor(this->DrawFeatures(12'000, 72'000));
}

}  // namespace
}  // namespace assay::layernorm
