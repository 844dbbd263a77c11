// SPDX-License-Identifier: Apache-2.0
// Sizes behind which an implementation may go another way: tag `edge`. Around every power of two up
// to twice what a block or 16 bits hold, one less and one more; around the blocks of rows and the
// traffic at which the baseline changes how it works; and primes, which no tile divides.

#include <cstddef>
#include <vector>

#include "random_rounding.h"
#include "suite_support.h"
#include "timed_shapes.h"

namespace assay::layernorm {
namespace {

/// The powers of two from 2^first to 2^last, with one less and one more.
std::vector<std::size_t> AroundPowers(int first, int last) {
  std::vector<std::size_t> sizes;
  for (int k = first; k <= last; ++k) {
    const std::size_t power = std::size_t{1} << k;
    sizes.insert(sizes.end(), {power - 1, power, power + 1});
  }
  return sizes;
}

template <class T>
class Thresholds : public LayerNormTest {
 protected:
  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"edge"});
  }

  void ExpectRightFor(std::size_t rows, std::size_t features) {
    ExpectRight(RandomProblem<T>(random(), rows, features));
  }

  /// Of a matrix that an oracle of all rows takes too long for: its dy is zero but for some rows,
  /// which dgamma and dbeta are sums of, and dx of the others is zero.
  void ExpectSparseRight(std::size_t rows, std::size_t features) {
    NeedType<T>();
    auto problem = RandomProblem<T>(random(), rows, features);
    RowChoice chosen = {0, rows / 2, rows - 2, rows - 1};
    std::vector<char> is_chosen(rows);
    for (const std::size_t row : chosen) {
      is_chosen[row] = 1;
    }
    for (std::size_t i = 0; i < problem.dy.size(); ++i) {
      problem.dy[i] = is_chosen[i / features] != 0 ? problem.dy[i] : T(0);
    }
    const Problem<T> sample = RowsOf(problem, chosen);
    const Answer answer = Solve(sample);
    const ForwardOutputs<T> forward = RunForward(problem);
    const BackwardOutputs<T> backward = RunBackward(problem, forward.saved);
    asked = "rows 0, the middle and the last two of " + std::to_string(rows);
    ExpectForwardRight<T>(answer, {.y = RowsOf(forward.y, features, chosen), .saved = {}});
    ExpectGradientsRight<T>(answer, {.dx = RowsOf(backward.dx, features, chosen),
                                     .dgamma = backward.dgamma,
                                     .dbeta = backward.dbeta});
    for (std::size_t i = 0; i < backward.dx.size(); ++i) {
      if (is_chosen[i / features] == 0 && backward.dx[i] != 0) {
        FailCase("dx[" + std::to_string(i) + "] of " + std::to_string(rows) + "x" +
                 std::to_string(features) + " is not 0 in a row whose dy is 0");
      }
    }
  }
};
TYPED_TEST_SUITE(Thresholds, ElementTypes, ElementNames);

TYPED_TEST(Thresholds, FeaturesAroundPowersOfTwo) {
  for (const std::size_t features : AroundPowers(2, this->sanitized() ? 14 : 17)) {
    this->ExpectRightFor(features > 20'000 ? 1 : 2, features);
  }
}

TYPED_TEST(Thresholds, RowsAroundPowersOfTwo) {
  for (const std::size_t rows : AroundPowers(1, this->sanitized() ? 14 : 17)) {
    this->ExpectRightFor(rows, 1 + this->random()() % 3);
  }
}

/// Numbers that a counter of blocks, or room on a stack, may not hold.
TYPED_TEST(Thresholds, Millions) {
  if (this->sanitized()) {
    this->Skip("a sanitizer takes too long");
  }
  this->ExpectRightFor(1, 1'000'001);
  if constexpr (sizeof(TypeParam) == sizeof(float)) {
    this->ExpectSparseRight(4'500'000, 1);
  }
}

TYPED_TEST(Thresholds, PrimeSizes) {
  this->ExpectRightFor(2, 70'001);
  this->ExpectRightFor(3, 40'009);
  this->ExpectRightFor(70'001, 2);
  this->ExpectRightFor(251, 257);
}

/// Both many: blocks of rows and tiles of columns have a rest each, and a rest of a rest.
TYPED_TEST(Thresholds, RowsAndFeaturesBesideBlocks) {
  for (const std::size_t rows : {63U, 65U, 129U, 257U}) {
    for (const std::size_t features : {63U, 65U, 129U, 257U}) {
      this->ExpectRightFor(rows, features);
    }
  }
}

/// More than any cache holds, so that stores may go past it: at widths where rows are aligned
/// alike, and where they are not, by one element or eight, and by three less; and of rows
/// shorter than a vector, or than what is missing to the next aligned address.
TYPED_TEST(Thresholds, MoreThanACacheHolds) {
  const std::size_t bytes = (std::size_t{34} << 20) / (this->sanitized() ? 8 : 3);
  for (const std::size_t features : {1024U, 1021U, 1025U, 1032U, 7U}) {
    this->ExpectSparseRight(bytes / sizeof(TypeParam) / features, features);
  }
}

/// And of rows of one to two vectors, of any number of lanes: what is missing to the next aligned
/// address and what lies behind it are less than a vector each.
TYPED_TEST(Thresholds, MoreThanACacheHoldsOfShortRows) {
  const std::size_t bytes = (std::size_t{34} << 20) / (this->sanitized() ? 8 : 3);
  for (const std::size_t features : {5U, 11U, 20U, 27U}) {
    this->ExpectSparseRight(bytes / sizeof(TypeParam) / features, features);
  }
}

/// What the first call of a process decides, or the first that goes some way, must not hold for the
/// calls behind it: rows of whole vectors and rows of none, few and more than a cache holds, in
/// fresh hosts, and in others the last of them first.
TYPED_TEST(Thresholds, FirstOfItsProcessIsAnother) {
  const std::size_t many =
      (std::size_t{12} << 20) / (this->sanitized() ? 3 : 1) / sizeof(TypeParam);
  const std::size_t shapes[][2] = {
      {70, 1}, {5, 64}, {6, 33}, {5, 600}, {5, 5001}, {many / 1021, 1021}, {many / 1024, 1024}};
  this->InBothOrders({this->kForward, this->kBackward}, shapes,
                     [this](const auto& shape) { this->ExpectSparseRight(shape[0], shape[1]); });
}

}  // namespace
}  // namespace assay::layernorm
