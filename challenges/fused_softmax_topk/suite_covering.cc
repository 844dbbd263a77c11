// SPDX-License-Identifier: Apache-2.0
// Features together: tag `combinations`. Each value of a feature has a plain case elsewhere; what
// fails here alone needs two of them at once, such as equal winners side by side in a row that
// begins anywhere, or a list of a hundred in a long row of halves. Every pair, drawn anew from each
// seed.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "client/covering_array.h"
#include "suite_special_logits.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

enum FeatureIndex {
  kWidth,
  kHeight,
  kLength,
  kValues,
  kEqual,
  kPlacement,
  kStream,
  kHistory,
  kSchedule
};

enum Width { kFew, kOfAWarp, kOfBlocks, kBesidePower, kPrime, kLong, kSplit };
enum Height { kOneRow, kFewRows, kBesideBlock, kManyRows, kThousands };
enum Length { kLargestAlone, kTo8, kTo32, kTo100, kTo256, kTo1024 };
enum Values { kPlain, kFarUp, kFarDown, kNarrow, kWide, kMasked, kWithNan, kWithInfinity };
enum Equal { kAllApart, kSideBySide, kScattered, kRounded, kConstant };
enum Placement { kDense, kAnyStart, kOddStride, kAlignedStride, kAnyOutputs };
enum History { kFresh, kSameShape, kLongerRow, kMoreRows, kLongerList, kTwin, kRefused };

const std::vector<Feature>& Features() {
  static const std::vector<Feature> features = {
      {.name = "vocabulary",
       .values = {"few", "a warp's", "whole blocks", "beside a power of two", "prime", "long",
                  "split"}},
      {.name = "rows", .values = {"one", "few", "beside a block", "many", "thousands"}},
      {.name = "k", .values = {"1", "to 8", "to 32", "to 100", "to 256", "to 1024"}},
      {.name = "logits",
       .values = {"drawn", "far up", "far down", "narrow", "wide", "masked", "NaN", "infinity"}},
      {.name = "equal", .values = {"none", "side by side", "scattered", "rounded", "whole rows"}},
      {.name = "layout",
       .values = {"dense", "any start", "odd stride", "aligned stride", "outputs anywhere"}},
      {.name = "stream", .values = {"default", "another"}},
      {.name = "after",
       .values = {"nothing", "the same shape", "a longer row", "more rows", "a longer list",
                  "a twin", "a refusal"}},
      {.name = "schedule", .values = {"ascending", "reversed", "random"}}};
  return features;
}

/// What is not in the contract, would take more time than it shows, or is hidden: -1 is not chosen.
bool Allowed(std::span<const int> choice) {
  const int width = choice[kWidth];
  const int length = choice[kLength];
  const bool fits = (width != kFew || length <= kTo8) && (width != kOfAWarp || length <= kTo32) &&
                    (length != kTo1024 || width == kLong || width == kSplit || width == -1);
  const bool is_cheap = (width < kLong || choice[kHeight] <= kFewRows) &&
                        (choice[kHeight] != kThousands || width <= kFew) &&
                        (choice[kHeight] != kThousands || length <= kTo8) &&
                        (choice[kHeight] < kManyRows || length <= kTo100);
  return fits && is_cheap;
}

std::size_t DrawBetween(std::mt19937_64& random, std::size_t least, std::size_t most) {
  return std::uniform_int_distribution<std::size_t>(least, most)(random);
}

std::size_t DrawVocabulary(std::mt19937_64& random, int width) {
  constexpr std::array<std::size_t, 5> kPrimes = {257, 509, 1021, 1531, 2039};
  constexpr std::size_t kBlock = 256;
  switch (width) {
    case kFew:
      return DrawBetween(random, 8, 32);
    case kOfAWarp:
      return DrawBetween(random, 33, kPlainVocabulary);
    case kOfBlocks:
      return kBlock * DrawBetween(random, 1, 8);
    case kBesidePower:
      return (std::size_t{1} << DrawBetween(random, 8, 11)) - 1 + 2 * DrawBetween(random, 0, 1);
    case kPrime:
      return kPrimes[random() % kPrimes.size()];
    case kLong:
      return DrawBetween(random, 2049, 8000);
    default:
      return DrawBetween(random, 33'000, 45'000);
  }
}

std::size_t DrawRows(std::mt19937_64& random, int height) {
  switch (height) {
    case kOneRow:
      return 1;
    case kFewRows:
      return DrawBetween(random, 2, 5);
    case kBesideBlock:
      return 8 * DrawBetween(random, 1, 4) - 1 + 2 * DrawBetween(random, 0, 1);
    case kManyRows:
      return DrawBetween(random, 50, 90);
    default:
      return DrawBetween(random, 5001, 5400);
  }
}

std::size_t DrawK(std::mt19937_64& random, int length, std::size_t vocabulary) {
  constexpr std::array<std::size_t, 7> kLeast = {1, 2, 9, 33, 101, 257, 1025};
  const auto which = static_cast<std::size_t>(length);
  const std::size_t most = std::min(kLeast[which + 1] - 1, vocabulary);
  return DrawBetween(random, std::min(kLeast[which], most), most);
}

Layout DrawLayout(std::mt19937_64& random, int placement, int stream) {
  constexpr std::array<std::size_t, 5> kOddGaps = {1, 2, 3, 5, 29};
  Layout layout{.stream_kind = static_cast<std::uint32_t>(stream)};
  switch (placement) {
    case kAnyStart:
      layout.logits_offset = DrawBetween(random, 1, 9);
      break;
    case kOddStride:
      layout.gap = kOddGaps[random() % kOddGaps.size()];
      break;
    case kAlignedStride:
      layout.gap = 8 * DrawBetween(random, 1, 9);
      break;
    case kAnyOutputs:
      layout.outputs_offset = DrawBetween(random, 1, 5);
      break;
    default:
      break;
  }
  return layout;
}

Distribution DistributionOf(int values) {
  switch (values) {
    case kFarUp:
      return {.offset = 1000};
    case kFarDown:
      return {.offset = -3000};
    case kNarrow:
      return {.scale = 0.01};
    case kWide:
      return {.scale = 60};
    default:
      return {};
  }
}

template <class Variant>
class Covering : public SpecialLogitsTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;

  void SetUp() override {
    SpecialLogitsTest<Variant>::SetUp();
    this->template TagFor<Variant>({"combinations"});
  }

  Problem<Logit> Draw(const FeatureChoice& choice) {
    auto& random = this->random();
    const std::size_t vocabulary = DrawVocabulary(random, choice[kWidth]);
    auto problem = this->Random({.rows = DrawRows(random, choice[kHeight]),
                                 .vocabulary = vocabulary,
                                 .k = DrawK(random, choice[kLength], vocabulary)},
                                DistributionOf(choice[kValues]));
    for (std::size_t row = 0; row < problem.rows; ++row) {
      MakeEqual(choice[kEqual], row, RowOf(problem, row));
    }
    ReplaceSome(choice[kValues], problem);
    return problem;
  }

  /// What the host was asked just before, which other cases judge.
  void Precede(int history, std::string_view role, Problem<Logit> problem) {
    const Shape shape = ShapeOf(problem);
    switch (history) {
      case kFresh:
        return this->RestartHost(role);
      case kSameShape:
        return Ask(role, this->Random(shape, {.offset = 50}));
      case kLongerRow:
        return Ask(role, this->Random({1, 2 * shape.vocabulary + 3, shape.k}, {.offset = 50}));
      case kMoreRows:
        return Ask(role, this->Random({shape.rows + 9, shape.vocabulary, shape.k}));
      case kLongerList:
        return Ask(role, this->Random({1, 2 * shape.vocabulary, 2 * shape.k}, {.offset = 50}));
      case kTwin:
        problem.logits[this->random()() % problem.logits.size()] = this->Near(2.5);
        return Ask(role, problem);
      default:
        return Ask(role, this->Random({shape.rows, shape.k, shape.k + 1}));
    }
  }

 private:
  static std::span<Logit> RowOf(Problem<Logit>& problem, std::size_t row) {
    return std::span(problem.logits).subspan(row * problem.vocabulary, problem.vocabulary);
  }

  void Ask(std::string_view role, const Problem<Logit>& problem) {
    this->template Run<Variant>(role, problem, {});
  }

  /// In the last third of the row two to four that win, each beside the next.
  void PutSideBySide(std::span<Logit> logits) {
    auto& random = this->random();
    const std::size_t count = DrawBetween(random, 2, 4);
    const std::size_t last = logits.size() - count;
    const std::size_t first = DrawBetween(random, std::min(last, logits.size() * 2 / 3), last);
    const Logit largest =
        *std::ranges::max_element(logits, {}, [](Logit logit) { return ToFloat(logit); });
    std::fill_n(logits.begin() + static_cast<std::ptrdiff_t>(first), count, largest);
  }

  void MakeEqual(int equal, std::size_t row, std::span<Logit> logits) {
    auto& random = this->random();
    switch (equal) {
      case kSideBySide:
        return PutSideBySide(logits);
      case kScattered:
        for (std::size_t i = 0; i < logits.size() / 3; ++i) {
          logits[random() % logits.size()] = logits[random() % logits.size()];
        }
        return;
      case kRounded:
        for (Logit& logit : logits) {
          logit = Nearest<Logit>(
              static_cast<double>(ToFloat(Nearest<BFloat16>(static_cast<double>(ToFloat(logit))))));
        }
        return;
      case kConstant:
        if (row % 2 == 0) {
          std::ranges::fill(logits, logits[0]);
        }
        return;
      default:
        return;
    }
  }

  void ReplaceSome(int values, Problem<Logit>& problem) {
    auto& random = this->random();
    const std::size_t count = problem.logits.size();
    if (values == kMasked) {
      for (Logit& logit : problem.logits) {
        logit = random() % 4 != 0 ? Nearest<Logit>(-kInfinity) : logit;
      }
    } else if (values == kWithNan) {
      for (std::size_t i = 0; i < 1 + problem.rows / 2; ++i) {
        problem.logits[random() % count] = this->RandomNan();
      }
    } else if (values == kWithInfinity) {
      problem.logits[random() % count] = Nearest<Logit>(kInfinity);
    }
  }
};
TYPED_TEST_SUITE(Covering, Variants, VariantNames);

/// What is refused is not asked again, and no fault of the row.
TYPED_TEST(Covering, EveryPairOfFeatures) {
  this->template Need<TypeParam>();
  const auto roles = TestFixture::Schedules();
  for (const FeatureChoice& choice : CoveringArray(Features(), {}, Allowed, this->random()())) {
    const auto problem = this->Draw(choice);
    const Layout layout = DrawLayout(this->random(), choice[kPlacement], choice[kStream]);
    const std::size_t schedule = kOnCpu<TypeParam>
                                     ? roles.size() - 1
                                     : static_cast<std::size_t>(choice[kSchedule]) % roles.size();
    this->UseSchedule(schedule);
    this->Asking(DescribeChoice(Features(), choice));
    this->Precede(choice[kHistory], roles[schedule], problem);
    if (this->template Try<TypeParam>(problem, layout) == TestFixture::Outcome::kWrong) {
      return;  // One is told in full; more would bury it.
    }
  }
}

}  // namespace
}  // namespace assay::softmax_topk
