// SPDX-License-Identifier: Apache-2.0
// Features together: tag `combinations`. Each value of a feature has a plain case elsewhere; what
// fails here alone needs two of them at once, such as a narrow row behind a wide one, or a small
// eps and an infinity in dy. Every pair, drawn anew from each seed.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "client/covering_array.h"
#include "interface.h"
#include "suite_support.h"

namespace assay::layernorm {
namespace {

enum FeatureIndex { kWidth, kHeight, kX, kDy, kGamma, kEps, kPlacement, kHistory };

enum Width { kOneFeature, kTail, kPowerOfTwo, kBesidePower, kPrime, kLong };
enum Height { kOneRow, kFewRows, kWholeBlocks, kBesideBlock, kManyRows };
enum ValuesOfX { kDrawnX, kFarFromZero, kTiny, kHuge, kConstantRows, kOutliers, kNanInX };
enum ValuesOfDy { kDrawnDy, kLastRow, kLastColumn, kAlongXhat, kCancelling, kLarge, kInfinityInDy };
enum History { kFresh, kSameShape, kWider, kNarrower, kTaller, kTwin, kRefused };

const std::vector<Feature>& Features() {
  static const std::vector<Feature> features = {
      {.name = "features",
       .values = {"one", "tail", "power of two", "beside a power of two", "prime", "long"}},
      {.name = "rows", .values = {"one", "few", "whole blocks", "beside a block", "many"}},
      {.name = "x",
       .values = {"drawn", "far from zero", "tiny", "huge", "constant rows", "outliers", "NaN"}},
      {.name = "dy",
       .values = {"drawn", "last row alone", "last column alone", "along xhat", "cancelling",
                  "large", "infinity"}},
      {.name = "gamma", .values = {"drawn", "some zero", "zero", "negative", "six decades"}},
      {.name = "eps", .values = {"1e-12", "1e-5", "1e-2", "4"}},
      {.name = "placement", .values = {"against a guard", "aligned"}},
      {.name = "after",
       .values = {"nothing", "the same shape", "wider", "narrower", "more rows", "a twin",
                  "a refusal"}}};
  return features;
}

/// What would take more memory than it shows. -1 is not chosen.
bool Allowed(std::span<const int> choice) {
  return choice[kWidth] != kLong || choice[kHeight] < kBesideBlock;
}

std::size_t DrawBetween(std::mt19937_64& random, std::size_t least, std::size_t most) {
  return std::uniform_int_distribution<std::size_t>(least, most)(random);
}

std::size_t DrawWidth(std::mt19937_64& random, int width) {
  constexpr std::array<std::size_t, 7> kPrimes = {3, 17, 61, 127, 257, 509, 1021};
  switch (width) {
    case kOneFeature:
      return 1;
    case kTail:
      return DrawBetween(random, 2, 48);
    case kPowerOfTwo:
      return std::size_t{1} << DrawBetween(random, 1, 10);
    case kBesidePower:
      return (std::size_t{1} << DrawBetween(random, 2, 10)) - 1 + 2 * DrawBetween(random, 0, 1);
    case kPrime:
      return kPrimes[random() % kPrimes.size()];
    default:
      return DrawBetween(random, 1025, 9000);
  }
}

std::size_t DrawHeight(std::mt19937_64& random, int height) {
  switch (height) {
    case kOneRow:
      return 1;
    case kFewRows:
      return DrawBetween(random, 2, 7);
    case kWholeBlocks:
      return 4 * DrawBetween(random, 1, 4);
    case kBesideBlock:
      return 32 * DrawBetween(random, 1, 4) - 1 + 2 * DrawBetween(random, 0, 1);
    default:
      return DrawBetween(random, 130, 300);
  }
}

template <class T>
void ChangeX(std::mt19937_64& random, int values, Problem<T>& problem) {
  constexpr bool kIsFloat = std::is_same_v<T, float>;
  const auto scale = [&problem](double factor, double offset) {
    for (T& x : problem.x) {
      x = static_cast<T>(factor * static_cast<double>(x) + offset);
    }
  };
  switch (values) {
    case kFarFromZero:
      return scale(1, random() % 2 == 0 ? 1e3 : -1e3);
    case kTiny:
      return scale(kIsFloat ? 1e-15 : 1e-100, 0);
    case kHuge:
      return scale(kIsFloat ? 1e14 : 1e149, 0);
    case kConstantRows:
      for (std::size_t i = 0; i < problem.x.size(); ++i) {
        const std::size_t row = i / problem.features;
        problem.x[i] = row % 3 == 0 ? problem.x[row * problem.features] : problem.x[i];
      }
      return;
    case kOutliers:
      for (std::size_t row = 0; row < problem.rows; row += 2) {
        problem.x[row * problem.features + random() % problem.features] = T(1e3);
      }
      return;
    case kNanInX:
      problem.x[random() % problem.x.size()] = std::numeric_limits<T>::quiet_NaN();
      return;
    default:
      return;
  }
}

template <class T>
void ChangeDy(std::mt19937_64& random, int values, Problem<T>& problem) {
  for (std::size_t i = 0; i < problem.dy.size(); ++i) {
    const std::size_t row = i / problem.features;
    const std::size_t column = i % problem.features;
    T& dy = problem.dy[i];
    if ((values == kLastRow && row + 1 < problem.rows) ||
        (values == kLastColumn && column + 1 < problem.features)) {
      dy = 0;
    } else if (values == kAlongXhat) {
      dy += std::abs(problem.x[i]) < 10 ? problem.x[i] : T(0);
    } else if (values == kCancelling) {
      dy = row % 3 == 2 ? T(0.1) : static_cast<T>(row % 3 == 0 ? 1e6 : -1e6);
    } else if (values == kLarge) {
      dy *= T(1e5);
    }
  }
  if (values == kInfinityInDy) {
    problem.dy[random() % problem.dy.size()] = std::numeric_limits<T>::infinity();
  }
}

template <class T>
void ChangeGamma(int values, Problem<T>& problem) {
  for (std::size_t j = 0; j < problem.features; ++j) {
    T& gamma = problem.gamma[j];
    const double decade = static_cast<double>(j % 7) - 3;
    const T changed[] = {gamma, j % 3 == 0 ? T(0) : gamma, T(0), -std::abs(gamma),
                         static_cast<T>(gamma * std::pow(10.0, decade))};
    gamma = changed[values];
  }
}

template <class T>
class Combinations : public LayerNormTest {
 protected:
  void SetUp() override {
    LayerNormTest::SetUp();
    Tag({"combinations"});
  }

  Problem<T> Draw(const FeatureChoice& choice) {
    constexpr double kEpsOf[] = {1e-12, 1e-5, 1e-2, 4};
    auto problem = RandomProblem<T>(random(), DrawHeight(random(), choice[kHeight]),
                                    DrawWidth(random(), choice[kWidth]));
    problem.eps = static_cast<T>(kEpsOf[choice[kEps]]);
    ChangeX(random(), choice[kX], problem);
    ChangeDy(random(), choice[kDy], problem);
    ChangeGamma(choice[kGamma], problem);
    return problem;
  }

  /// What the hosts were asked just before.
  void Precede(int history, const Problem<T>& problem) {
    const std::size_t rows = problem.rows;
    const std::size_t features = problem.features;
    switch (history) {
      case kFresh:
        RestartHost(kForward);
        RestartHost(kBackward);
        return;
      case kSameShape:
        return ExpectRight(RandomProblem<T>(random(), rows, features));
      case kWider:
        return ExpectRight(RandomProblem<T>(random(), rows, 2 * features + 3));
      case kNarrower:
        return ExpectRight(RandomProblem<T>(random(), rows, features / 2 + 1));
      case kTaller:
        return ExpectRight(RandomProblem<T>(random(), 2 * rows + 3, features));
      case kTwin:
        return PrecedeByTwin(problem);
      default:
        return Refuse(problem);
    }
  }

  /// The same but for one of its inputs.
  void PrecedeByTwin(Problem<T> problem) {
    switch (random()() % 4) {
      case 0:
        problem.x[random()() % problem.x.size()] = T(2.5);
        break;
      case 1:
        problem.dy[random()() % problem.dy.size()] = T(2.5);
        break;
      case 2:
        problem.gamma[random()() % problem.features] = T(2.5);
        break;
      default:
        problem.eps *= 4;
    }
    ExpectRight(problem);
  }

  /// A backward that finds nothing of what it needs.
  void Refuse(const Problem<T>& problem) {
    std::vector<T> dx(problem.x.size());
    std::vector<T> dgamma(problem.features);
    std::vector<T> dbeta(problem.features);
    const SavedTensors nothing;
    Invocation call(FunctionName<T>("ln_backward"));
    call.Scalar(problem.rows).Scalar(problem.features).Input(problem.dy).Load(nothing);
    call.Output(dx).Output(dgamma).Output(dbeta);
    CallExpecting(LN_INVALID_ARGUMENT, kBackward, call);
  }

  /// Rows like those that random roundings are a model of.
  static bool IsDrawn(const FeatureChoice& choice) {
    return choice[kX] == kDrawnX && (choice[kDy] == kDrawnDy || choice[kDy] == kLarge) &&
           choice[kWidth] != kOneFeature;
  }
};
TYPED_TEST_SUITE(Combinations, ElementTypes, ElementNames);

TYPED_TEST(Combinations, EveryPairOfFeatures) {
  this->template NeedType<TypeParam>();
  constexpr std::array<std::array<int, 3>, 1> kTriples = {{{kHeight, kDy, kHistory}}};
  const auto triples = this->sanitized() ? std::span<const std::array<int, 3>>() : kTriples;
  for (const FeatureChoice& choice :
       CoveringArray(Features(), triples, Allowed, this->random()())) {
    const Problem<TypeParam> problem = this->Draw(choice);
    this->placement = choice[kPlacement] == 0 ? Placement::kAgainstGuard : Placement::kAligned;
    this->asked = DescribeChoice(Features(), choice) + ", the calls before";
    this->Precede(choice[kHistory], problem);
    this->asked = DescribeChoice(Features(), choice);
    if (this->IsDrawn(choice)) {
      this->ExpectPrecise(problem);
    } else {
      this->ExpectRight(problem);
    }
    if (this->HasFailure()) {
      return;  // One is told in full, with what came before it; more would bury it.
    }
  }
}

}  // namespace
}  // namespace assay::layernorm
