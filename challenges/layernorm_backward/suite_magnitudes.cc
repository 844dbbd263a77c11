// SPDX-License-Identifier: Apache-2.0
// dy and gamma of sizes at which a product fits its type and what it is made of, or a sum of that,
// does not: tag `edge`. Sizes of x and of eps are in suite_edge.cc.

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "suite_support.h"

namespace assay::layernorm {
namespace {

template <class T>
class Magnitudes : public LayerNormTest {
 protected:
  static constexpr bool kIsFloat = std::is_same_v<T, float>;

  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"edge"});
  }

  /// dy about `dy_size`, of both signs or of one, and gamma about `gamma_size`, drawn or the same
  /// in all columns. One row, so that no sum over rows is larger than what it is of; a vector's
  /// width, and one that it does not divide.
  void ExpectRightOfSizes(double dy_size, double gamma_size) {
    for (const std::size_t features : {64U, 61U}) {
      for (const bool one_gamma : {true, false}) {
        for (const bool one_sign : {true, false}) {
          auto problem = RandomProblem<T>(random(), 1, features);
          for (T& dy : problem.dy) {
            const auto drawn = static_cast<double>(dy);
            dy = static_cast<T>(dy_size * (one_sign ? 1 + 0.1 * drawn : drawn));
          }
          for (T& gamma : problem.gamma) {
            gamma = static_cast<T>(gamma_size * (one_gamma ? 1 : static_cast<double>(gamma)));
          }
          asked = "dy about 1e" + std::to_string(std::lround(std::log10(dy_size))) +
                  ", gamma about 1e" + std::to_string(std::lround(std::log10(gamma_size)));
          ExpectRight(problem);
        }
      }
    }
  }
};
TYPED_TEST_SUITE(Magnitudes, ElementTypes, ElementNames);

/// A sum of dy alone is infinite, of their products with gamma far from it; and the other way
/// round.
TYPED_TEST(Magnitudes, LargeDyAndSmallGamma) {
  if constexpr (TestFixture::kIsFloat) {
    this->ExpectRightOfSizes(1e37, 1e-20);
    this->ExpectRightOfSizes(1e30, 1e-30);
    this->ExpectRightOfSizes(1e-20, 1e37);
  } else {
    this->ExpectRightOfSizes(1e307, 1e-200);
    this->ExpectRightOfSizes(1e200, 1e-200);
    this->ExpectRightOfSizes(1e-200, 1e307);
  }
}

/// Products whose inverse is infinite, in all of a row: flushed to zero or not, the bound holds.
TYPED_TEST(Magnitudes, ProductsThatAreDenormal) {
  const double least = TestFixture::kIsFloat ? 1e-40 : 1e-310;
  this->ExpectRightOfSizes(least, 1);
  this->ExpectRightOfSizes(1, least);
  this->ExpectRightOfSizes(std::sqrt(least), std::sqrt(least));
}

/// One such row, and one of zeros, among ordinary ones.
TYPED_TEST(Magnitudes, RowsOfNextToNothingAmongOthers) {
  constexpr std::size_t kFeatures = 40;
  auto problem = RandomProblem<TypeParam>(this->random(), 6, kFeatures);
  std::ranges::fill(problem.gamma, TypeParam(1));
  for (std::size_t j = 0; j < kFeatures; ++j) {
    problem.dy[kFeatures + j] = static_cast<TypeParam>((TestFixture::kIsFloat ? 1e-40 : 1e-310) *
                                                       static_cast<double>(1 + j));
    problem.dy[3 * kFeatures + j] = 0;
  }
  this->ExpectRight(problem);
}

}  // namespace
}  // namespace assay::layernorm
