// SPDX-License-Identifier: Apache-2.0
// Sizes and values at the edge of the contract: tag `edge`. All outputs are judged.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "interface.h"
#include "suite_support.h"

namespace assay::layernorm {
namespace {

template <class T>
class Edge : public LayerNormTest {
 protected:
  static constexpr bool kIsFloat = std::is_same_v<T, float>;
  static constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();

  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"edge"});
  }

  Problem<T> Random(std::size_t rows, std::size_t features, Distribution distribution = {}) {
    return RandomProblem<T>(random(), rows, features, distribution);
  }

  /// One odd value in x or dy, in the middle and at both ends.
  void ExpectContained(std::vector<T> Problem<T>::* tensor, T value) {
    for (const std::size_t row : {0U, 5U, 8U}) {
      auto problem = Random(9, 21);
      (problem.*tensor)[row * 21 + (row * 4) % 21] = value;
      ExpectRight(problem);
    }
  }

  /// Both passes over whole vectors, whose buffers begin aligned; those in `moved`, bit 0 for x and
  /// so on in the order of the calls, are an element longer and, since all end at a page, begin an
  /// element before that.
  void ExpectRightWithMoved(const Problem<T>& problem, const Answer& answer, unsigned moved) {
    int buffer = 0;
    const auto place = [&](std::vector<T> values) {
      values.resize(values.size() + ((moved >> buffer++) & 1U));
      return values;
    };
    const std::vector<T> x = place(problem.x);
    const std::vector<T> gamma = place(problem.gamma);
    const std::vector<T> beta = place(problem.beta);
    ForwardOutputs<T> forward{.y = place(problem.x), .saved = {}};
    const std::vector<T> dy = place(problem.dy);
    BackwardOutputs<T> backward{
        .dx = place(problem.x), .dgamma = place(problem.gamma), .dbeta = place(problem.beta)};
    Invocation forwards(FunctionName<T>("ln_forward"));
    forwards.Scalar(problem.rows).Scalar(problem.features).Input(x).Input(gamma).Input(beta);
    forwards.Scalar(problem.eps).Output(forward.y).Save(&forward.saved);
    CallExpecting(LN_OK, kForward, forwards);
    Invocation backwards(FunctionName<T>("ln_backward"));
    backwards.Scalar(problem.rows).Scalar(problem.features).Input(dy).Load(forward.saved);
    backwards.Output(backward.dx).Output(backward.dgamma).Output(backward.dbeta);
    CallExpecting(LN_OK, kBackward, backwards);
    forward.y.resize(problem.x.size());
    backward.dx.resize(problem.x.size());
    backward.dgamma.resize(problem.features);
    backward.dbeta.resize(problem.features);
    ExpectForwardRight(answer, forward);
    ExpectGradientsRight(answer, backward);
  }
};
TYPED_TEST_SUITE(Edge, ElementTypes, ElementNames);

TYPED_TEST(Edge, NoRows) { this->ExpectRight(this->Random(0, 768)); }

TYPED_TEST(Edge, NoFeatures) {
  // Nothing but the status: there is no output to write.
  this->template NeedType<TypeParam>();
  auto problem = this->Random(4, 0);
  SavedTensors saved;
  Invocation forward(FunctionName<TypeParam>("ln_forward"));
  forward.Scalar(problem.rows).Scalar(problem.features).Input(problem.x).Input(problem.gamma);
  forward.Input(problem.beta).Scalar(problem.eps).Output(problem.x).Save(&saved);
  this->CallExpecting(LN_INVALID_ARGUMENT, this->kForward, forward);
  Invocation backward(FunctionName<TypeParam>("ln_backward"));
  backward.Scalar(problem.rows).Scalar(problem.features).Input(problem.dy).Load(saved);
  backward.Output(problem.x).Output(problem.gamma).Output(problem.beta);
  this->CallExpecting(LN_INVALID_ARGUMENT, this->kBackward, backward);
}

TYPED_TEST(Edge, OneByOne) { this->ExpectRight(this->Random(1, 1)); }
TYPED_TEST(Edge, OneFeature) { this->ExpectRight(this->Random(1000, 1)); }
TYPED_TEST(Edge, Features1024) { this->ExpectRight(this->Random(5, 1024)); }

TYPED_TEST(Edge, PrimeFeatures) {
  for (const std::size_t features : {7U, 13U, 127U, 1009U}) {
    this->ExpectRight(this->Random(5, features));
  }
}

/// Longer than any buffer on a stack or in shared memory would hold.
TYPED_TEST(Edge, LongRows) { this->ExpectRight(this->Random(3, 65'536)); }

/// More rows than 16 bits count.
TYPED_TEST(Edge, ManyRows) { this->ExpectRight(this->Random(65'537, 16)); }

/// One buffer begins elsewhere than all others: what is known of one says nothing of the next.
TYPED_TEST(Edge, OneBufferBeginsElsewhere) {
  constexpr unsigned kBuffers = 8;
  constexpr unsigned kAll = (1U << kBuffers) - 1;
  const auto problem = this->Random(8, 64);
  this->ExpectRight(problem);  // Ends the case where that size is not supported.
  const Answer answer = Solve(problem);
  for (unsigned buffer = 0; buffer < kBuffers; ++buffer) {
    for (const unsigned moved : {1U << buffer, kAll ^ (1U << buffer)}) {
      this->asked = "buffers " + std::to_string(moved) + " moved";
      this->ExpectRightWithMoved(problem, answer, moved);
    }
  }
}

TYPED_TEST(Edge, ZeroInput) {
  auto problem = this->Random(6, 50);
  std::ranges::fill(problem.x, TypeParam(0));
  this->ExpectRight(problem);
}

/// var is 0 and rstd is 1/sqrt(eps); 1/sqrt(var) is a division by zero.
TYPED_TEST(Edge, ConstantRows) {
  auto problem = this->Random(6, 50);
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    problem.x[i] = problem.x[i / 50 * 50];
  }
  this->ExpectRight(problem);
}

/// Of so many features that a mean is off by more than a rounding: what is left of the squares
/// after that error's own square is taken away may be less than 0, and in large rows by more than
/// eps.
TYPED_TEST(Edge, LongConstantRows) {
  constexpr std::size_t kFeatures = 70'001;
  constexpr std::size_t kScales = 8;
  auto problem = this->Random(2 * kScales, kFeatures);
  for (std::size_t row = 0; row < problem.rows; ++row) {
    const auto first = problem.x.begin() + static_cast<std::ptrdiff_t>(row * kFeatures);
    const double size = std::pow(10.0, row % kScales);
    std::fill_n(first, kFeatures, static_cast<TypeParam>(size * static_cast<double>(*first)));
  }
  this->ExpectRight(problem);
}

/// Small or large beside all of x: rstd is 1/sqrt(eps), as far as the type goes.
TYPED_TEST(Edge, EpsOfAnySize) {
  const std::vector<double> sizes =
      this->kIsFloat ? std::vector{1e-35, 1e-20, 1e-12, 1e6, 1e25}
                     : std::vector{1e-200, 1e-60, 1e-44, 1e-30, 1e-12, 1e40, 1e150};
  for (const double eps : sizes) {
    auto problem = this->Random(6, 30);
    problem.eps = static_cast<TypeParam>(eps);
    std::fill_n(problem.x.begin() + 2 * 30, 2 * 30, TypeParam(2));
    this->asked = "eps " + std::to_string(std::log10(eps)) + " decades above 1";
    this->ExpectRight(problem);
  }
}

/// Rows of zeros, and of variances about eps, wherever that is: of other constant rows rstd may be
/// anything up to 1/sqrt(eps) where eps is small, of these it is known to its last digits, so that
/// a limit shows which eps, or rstd, is held to.
TYPED_TEST(Edge, EpsOfAnySizeBesideRowsAsSmall) {
  constexpr double kDeviations[] = {0, 1e-1, 1, 10, 100};
  constexpr std::size_t kFeatures = 30;
  const int first = this->kIsFloat ? -34 : -200;
  const int last = this->kIsFloat ? 24 : 200;
  const int step = this->kIsFloat ? 2 : 10;
  for (int decade = first; decade <= last; decade += step) {
    const double eps = std::pow(10.0, decade);
    auto problem = this->Random(5, kFeatures);
    problem.eps = static_cast<TypeParam>(eps);
    for (std::size_t i = 0; i < problem.x.size(); ++i) {
      const double deviation = std::sqrt(eps) * kDeviations[i / kFeatures];
      problem.x[i] = static_cast<TypeParam>(deviation * static_cast<double>(problem.x[i]));
    }
    this->asked = "eps 1e" + std::to_string(decade);
    this->ExpectRight(problem);
  }
}

/// From the last digit of their sum to where eps is its last digit. Without beta, so that nothing
/// of y hides the rest.
TYPED_TEST(Edge, VariancesOfAnySizeBesideEps) {
  const int digits = std::numeric_limits<TypeParam>::digits10;
  for (int decade = -digits - 2; decade <= digits + 2; ++decade) {
    auto problem = this->Random(4, 30);
    const double scale = std::sqrt(static_cast<double>(problem.eps) * std::pow(10.0, decade));
    for (auto& x : problem.x) {
      x = static_cast<TypeParam>(scale * static_cast<double>(x));
    }
    std::ranges::fill(problem.beta, TypeParam(0));
    this->asked = "variance " + std::to_string(decade) + " decades above eps";
    this->ExpectRight(problem);
  }
}

/// All elements of a row are equal but for one that is no number: what is found to be constant by a
/// comparison is not, if that comparison passes a NaN.
TYPED_TEST(Edge, ConstantRowsWithANan) {
  for (const std::size_t features : {21U, 64U}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{7}, features - 1}) {
      for (const TypeParam odd : {this->kNan, this->kInfinity}) {
        auto problem = this->Random(5, features);
        for (const std::size_t row : {1U, 3U}) {
          const auto first = problem.x.begin() + static_cast<std::ptrdiff_t>(row * features);
          std::fill_n(first, features, row == 1 ? TypeParam(0) : TypeParam(2.5));
          problem.x[row * features + at] = odd;
        }
        this->ExpectRight(problem);
      }
    }
  }
}

/// gamma is 1 and beta 0 as they are at first, but in one column: wherever that is, it counts.
TYPED_TEST(Edge, ParametersThatAreOneAndZeroButInOneColumn) {
  for (const std::size_t features : {9U, 80U, 300U}) {
    for (const std::size_t at : {std::size_t{0}, features / 2, features - 2, features - 1}) {
      auto problem = this->Random(4, features);
      std::ranges::fill(problem.gamma, TypeParam(1));
      std::ranges::fill(problem.beta, TypeParam(0));
      problem.gamma[at] = TypeParam(2);
      problem.beta[features - 1 - at] = TypeParam(3);
      this->ExpectRight(problem);
    }
  }
}

TYPED_TEST(Edge, ConstantRowsAmongOthers) {
  auto problem = this->Random(9, 33);
  std::fill_n(problem.x.begin() + 4 * 33, 33, TypeParam(2));
  this->ExpectRight(problem);
}

/// Both means of a row are exactly 0, its dy is not: dx is rstd * dy * gamma.
TYPED_TEST(Edge, DyWithoutAMean) {
  auto problem = this->Random(6, 64);
  std::ranges::fill(problem.gamma, TypeParam(1));
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    problem.dy[i] = i % 2 == 0 ? TypeParam(1) : TypeParam(-1);
    const bool is_constant = i / 64 % 2 == 0;
    problem.x[i] = is_constant || i % 4 < 2 ? TypeParam(3) : TypeParam(-3);
  }
  this->ExpectRight(problem);
}

TYPED_TEST(Edge, ZeroDy) {
  auto problem = this->Random(7, 45);
  std::ranges::fill(problem.dy, TypeParam(0));
  this->ExpectRight(problem);
}

/// An implementation that divides by gamma to get xhat back makes NaN of these.
TYPED_TEST(Edge, ZeroGamma) {
  auto problem = this->Random(7, 45);
  std::ranges::fill(problem.gamma, TypeParam(0));
  this->ExpectRight(problem);
}

TYPED_TEST(Edge, SomeZeroGamma) {
  auto problem = this->Random(7, 45);
  for (std::size_t j = 0; j < problem.features; j += 3) {
    problem.gamma[j] = 0;
  }
  this->ExpectRight(problem);
}

/// To the largest elements whose squares must not overflow: 1e15 and 1e150.
TYPED_TEST(Edge, HugeScale) {
  this->ExpectRight(this->Random(7, 61, {.scale = this->kIsFloat ? 1e10 : 1e80}));
  this->ExpectRight(this->Random(7, 61, {.scale = this->kIsFloat ? 2e14 : 2e149}));
}

/// Wide rows, in runs of one sign: however a row is cut into parts, some of them have other means
/// than the rest, by as much as there may be.
TYPED_TEST(Edge, HugeScaleInRuns) {
  constexpr std::size_t kFeatures = 65'536;
  const auto size = static_cast<TypeParam>(this->kIsFloat ? 1e15 : 1e150);
  for (const std::size_t run : {1U, 8U, 64U, 256U, 512U, 4096U, 32'768U}) {
    auto problem = this->Random(1, kFeatures);
    for (std::size_t i = 0; i < kFeatures; ++i) {
      problem.x[i] = i / run % 2 == 0 ? size : -size;
    }
    this->ExpectRight(problem);
  }
}

TYPED_TEST(Edge, TinyScale) {
  this->ExpectRight(this->Random(7, 61, {.scale = this->kIsFloat ? 1e-15 : 1e-100}));
}

/// All of x is denormal: flushed to zero or not, the bound holds.
TYPED_TEST(Edge, DenormalRows) {
  this->ExpectRight(this->Random(7, 61, {.scale = this->kIsFloat ? 1e-40 : 1e-310}));
}

/// dy and gamma of which one is denormal and the other large: their product is neither, so that to
/// take the denormal for zero is no matter of rounding.
TYPED_TEST(Edge, DenormalDyAndGamma) {
  const auto small = static_cast<TypeParam>(this->kIsFloat ? 1e-40 : 1e-310);
  const auto large = static_cast<TypeParam>(this->kIsFloat ? 1e20 : 1e150);
  for (const bool is_dy : {true, false}) {
    auto problem = this->Random(7, 61);
    for (TypeParam& dy : problem.dy) {
      dy *= is_dy ? small : large;
    }
    for (TypeParam& gamma : problem.gamma) {
      gamma *= is_dy ? large : small;
    }
    this->ExpectRight(problem);
  }
}

/// In every other column dy and gamma are so small that their product is nothing, but dy is not:
/// dgamma cannot be had from that product.
TYPED_TEST(Edge, DyTimesGammaThatVanishes) {
  auto problem = this->Random(7, 61);
  for (TypeParam& dy : problem.dy) {
    dy *= static_cast<TypeParam>(this->kIsFloat ? 1e-18 : 1e-150);
  }
  for (std::size_t j = 0; j < problem.features; j += 2) {
    problem.gamma[j] *= static_cast<TypeParam>(this->kIsFloat ? 1e-30 : 1e-200);
  }
  this->ExpectRight(problem);
}

/// One element carries the whole row: xhat is sqrt(D - 1) there.
TYPED_TEST(Edge, OneOutlier) {
  auto problem = this->Random(5, 200);
  for (std::size_t i = 0; i < problem.rows; ++i) {
    problem.x[i * 200 + i * 49] = TypeParam(1e3);
  }
  this->ExpectRight(problem);
}

/// Gradients, and their means, far below 1 and far above.
TYPED_TEST(Edge, GradientsOfAnySize) {
  const std::vector<double> sizes = this->kIsFloat ? std::vector{1e-30, 1e-16, 1e-8, 1e8, 1e16}
                                                   : std::vector{1e-200, 1e-33, 1e-16, 1e16, 1e100};
  for (const double size : sizes) {
    auto problem = this->Random(5, 40);
    for (auto& dy : problem.dy) {
      dy = static_cast<TypeParam>(size * (1 + static_cast<double>(dy)));
    }
    this->ExpectRight(problem);
  }
}

TYPED_TEST(Edge, NanInX) { this->ExpectContained(&Problem<TypeParam>::x, this->kNan); }
TYPED_TEST(Edge, InfinityInX) { this->ExpectContained(&Problem<TypeParam>::x, -this->kInfinity); }
TYPED_TEST(Edge, NanInDy) { this->ExpectContained(&Problem<TypeParam>::dy, this->kNan); }
TYPED_TEST(Edge, InfinityInDy) { this->ExpectContained(&Problem<TypeParam>::dy, this->kInfinity); }

}  // namespace
}  // namespace assay::layernorm
