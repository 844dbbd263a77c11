// SPDX-License-Identifier: Apache-2.0
// NaN and the infinities in rows of few features, tag `edge`, and beside zeros that they meet in a
// product, which is NaN, tag `combinations`. Against code that knows what comes of few features
// without looking at them, and code that leaves out what a zero would make nothing of.

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "suite_support.h"
#include "suite_zeros.h"

namespace assay::layernorm {
namespace {

template <class T>
class NotFinite : public LayerNormTest {
 protected:
  static constexpr std::array<T, 3> kValues = {std::numeric_limits<T>::quiet_NaN(),
                                               std::numeric_limits<T>::infinity(),
                                               -std::numeric_limits<T>::infinity()};

  /// With each of the values at that element of x, and of dy.
  void ExpectRightWithEach(const Problem<T>& problem, std::size_t at, const std::string& beside) {
    for (const bool is_x : {true, false}) {
      for (const T value : kValues) {
        auto changed = problem;
        (is_x ? changed.x : changed.dy)[at] = value;
        asked = std::to_string(value) + " at element " + std::to_string(at) +
                (is_x ? " of x" : " of dy") + beside;
        ExpectRight(changed);
      }
    }
  }
};
TYPED_TEST_SUITE(NotFinite, ElementTypes, ElementNames);

/// Of one finite element xhat is 0, y is beta and dx is 0; of one that is not they are not finite.
TYPED_TEST(NotFinite, InRowsOfFewFeatures) {
  this->Tag({"edge"});
  for (const std::size_t features : {1U, 2U, 3U, 4U, 8U, 9U}) {
    const auto problem = RandomProblem<TypeParam>(this->random(), 4, features);
    this->ExpectRight(problem);
    for (const std::size_t row : {0U, 2U, 3U}) {
      this->ExpectRightWithEach(problem, row * features + this->random()() % features, "");
    }
  }
}

/// A gradient of zero, as that of padding is, or a gamma of zero: the products with what is not
/// finite count all the same.
TYPED_TEST(NotFinite, BesideZerosThatItIsMultipliedBy) {
  this->Tag({"combinations"});
  constexpr std::size_t kRows = 5;
  for (const std::size_t features : {1U, 21U, 64U}) {
    for (const auto& [zeros, name] : kZeros) {
      auto problem = RandomProblem<TypeParam>(this->random(), kRows, features);
      const std::size_t row = this->random()() % kRows;
      const std::size_t column = this->random()() % features;
      MakeZeros(zeros, row, column, problem);
      this->ExpectRightWithEach(problem, row * features + column,
                                ", and zero " + std::string(name));
    }
  }
}

}  // namespace
}  // namespace assay::layernorm
