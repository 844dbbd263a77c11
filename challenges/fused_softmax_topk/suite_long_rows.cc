// SPDX-License-Identifier: Apache-2.0
// Rows that are long, and few, enough to be shared out to several blocks: tag `combinations`. With
// special values, which the merge of the parts meets again by code of its own; with values that
// come long after each other in a row, which is taken piece by piece; and plain, in turn with rows
// that are not shared out or far apart.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "suite_special_logits.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class EdgeOfLongRows : public SpecialLogitsTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;
  using Logits = std::span<Logit>;
  static constexpr std::size_t kVocabulary = 16'400;

  void SetUp() override {
    SpecialLogitsTest<Variant>::SetUp();
    this->template TagFor<Variant>({"combinations"});
    this->UseOneSchedule();
  }

  /// A row for each of `changes`, drawn and then changed, in any order of its logits.
  void ExpectRows(const std::vector<std::function<void(Logits)>>& changes) {
    auto problem = this->Random({changes.size(), kVocabulary, 8});
    for (std::size_t row = 0; row < changes.size(); ++row) {
      const Logits logits = Logits(problem.logits).subspan(row * kVocabulary, kVocabulary);
      changes[row](logits);
      std::ranges::shuffle(logits, this->random());
    }
    this->Expect(problem);
  }
};
TYPED_TEST_SUITE(EdgeOfLongRows, Variants, VariantNames);

/// As many numbers as places, fewer, none; and one NaN.
TYPED_TEST(EdgeOfLongRows, NumbersAmongNan) {
  std::vector<std::function<void(typename TestFixture::Logits)>> changes;
  for (const std::size_t numbers : {0U, 1U, 3U, 7U, 8U, 9U, 16'399U}) {
    changes.emplace_back([this, numbers](auto logits) {
      std::ranges::generate(logits.subspan(numbers), [this] { return this->RandomNan(); });
    });
  }
  this->ExpectRows(changes);
}

TYPED_TEST(EdgeOfLongRows, NumbersAmongInfinities) {
  std::vector<std::function<void(typename TestFixture::Logits)>> changes;
  for (const double infinity : {kInfinity, -kInfinity}) {
    for (const std::size_t numbers : {0U, 3U, 8U, 9U, 16'399U}) {
      changes.emplace_back([this, infinity, numbers](auto logits) {
        std::ranges::fill(logits.subspan(numbers), this->Near(infinity));
      });
    }
  }
  this->ExpectRows(changes);
}

/// Of which more reach each part, and the list, than there are places.
TYPED_TEST(EdgeOfLongRows, EqualWinners) {
  std::vector<std::function<void(typename TestFixture::Logits)>> changes;
  for (const std::size_t equal : {2U, 9U, 100U, 16'400U}) {
    changes.emplace_back(
        [this, equal](auto logits) { std::ranges::fill(logits.first(equal), this->Near(9)); });
  }
  this->ExpectRows(changes);
}

/// Sums that are scaled to nothing when a much larger logit comes are not what they were, unless
/// they are NaN.
TYPED_TEST(EdgeOfLongRows, NanLongBeforeAJump) {
  for (const std::size_t vocabulary : {200U, 2100U, 16'400U}) {
    auto problem = this->Constant({4, vocabulary, 8}, 0);
    for (std::size_t row = 0; row < problem.rows; ++row) {
      const auto logits =
          typename TestFixture::Logits(problem.logits).subspan(row * vocabulary, vocabulary);
      logits[3 + row * vocabulary / 16] = row == 3 ? this->Near(kInfinity) : this->RandomNan();
      logits[vocabulary * 3 / 4] = this->Near(300);
    }
    this->Expect(problem);
  }
}

/// Nothing but -infinity for a while, and then nothing but what is as low as a number can be.
TYPED_TEST(EdgeOfLongRows, LowestLogitsBehindAMaskedBeginning) {
  constexpr std::size_t kMasked[] = {0, 1, 128, 3000};
  for (const std::size_t vocabulary : {4096U, 16'400U}) {
    auto problem = this->Constant({std::size(kMasked), vocabulary, 8}, 0);
    std::ranges::fill(problem.logits, this->Lowest());
    for (std::size_t row = 0; row < problem.rows; ++row) {
      const auto logits =
          typename TestFixture::Logits(problem.logits).subspan(row * vocabulary, vocabulary);
      std::ranges::fill(logits.first(kMasked[row]), this->Near(-kInfinity));
    }
    this->Expect(problem);
  }
}

/// NaN comes behind -infinity, and is known long before it: also where both are more than the
/// places.
TYPED_TEST(EdgeOfLongRows, InfinitiesBehindABeginningOfNan) {
  constexpr std::size_t kNumbers[] = {0, 3, 8};
  for (const std::size_t vocabulary : {600U, 2100U, 16'400U}) {
    auto problem = this->Random({std::size(kNumbers), vocabulary, 8});
    for (std::size_t row = 0; row < problem.rows; ++row) {
      const auto logits =
          typename TestFixture::Logits(problem.logits).subspan(row * vocabulary, vocabulary);
      const std::size_t rest = vocabulary - kNumbers[row];
      std::ranges::generate(logits.first(vocabulary / 2), [this] { return this->RandomNan(); });
      std::ranges::fill(logits.first(rest).subspan(vocabulary / 2), this->Near(-kInfinity));
    }
    this->Expect(problem);
  }
}

/// A logit that comes late and is one step above all others, which fill the list before it: what is
/// rounded, or taken for zero, keeps it out.
TYPED_TEST(EdgeOfLongRows, OneStepAboveTheRest) {
  const std::pair<typename TestFixture::Logit, typename TestFixture::Logit> steps[] = {
      {this->Near(0), this->Further(0, 1)},
      {this->Near(-0.0), this->Further(0, 100)},
      {this->Further(-0.0, 1), this->Near(-0.0)},
      {this->Further(-0.0, 100), this->Further(-0.0, 99)},
      {this->Near(1), this->Further(1, 1)},
      {this->Further(-1, 1), this->Near(-1)},
      {this->Near(-kInfinity), this->Lowest()},
      {this->Nan(1, false), this->Near(-kInfinity)},
  };
  constexpr std::size_t kSteps = std::size(steps);
  for (const Shape shape : {Shape{kSteps, 600, 8}, Shape{kSteps, TestFixture::kVocabulary, 8},
                            Shape{8 * kSteps, 4096, 8}}) {
    auto problem = this->Constant(shape, 0);
    for (std::size_t row = 0; row < shape.rows; ++row) {
      const auto& [rest, late] = steps[row % kSteps];
      const auto logits = typename TestFixture::Logits(problem.logits)
                              .subspan(row * shape.vocabulary, shape.vocabulary);
      std::ranges::fill(logits, rest);
      logits[shape.vocabulary / 2 + this->random()() % (shape.vocabulary / 2)] = late;
    }
    this->Expect(problem);
  }
}

/// Most of a row comes long behind its beginning, and far above it: a sum that is kept less an old
/// maximum as long as one exponential is a number is none any more when thousands are added. From
/// below that height to where an exponential alone is too large, and beyond.
TYPED_TEST(EdgeOfLongRows, MassFarAboveTheBeginning) {
  constexpr double kHeights[] = {60, 76,    78,    79.25, 79.75, 81,  83, 85,
                                 87, 88.25, 89.25, 95,    110,   126, 200};
  // A row's length, and where its mass begins: behind what is looked at first to learn a maximum,
  // of all of the row or of a part of it.
  constexpr std::pair<std::size_t, std::size_t> kLengths[] = {
      {2048, 1024}, {6144, 4096}, {32'768, 14'336}};
  for (const auto& [vocabulary, first] : kLengths) {
    auto problem = this->Random({std::size(kHeights), vocabulary, 2}, {.scale = 0.02});
    for (std::size_t row = 0; row < problem.rows; ++row) {
      const auto logits =
          typename TestFixture::Logits(problem.logits).subspan(row * vocabulary, vocabulary);
      for (auto& logit : logits.subspan(first)) {
        logit = this->Near(static_cast<double>(ToFloat(logit)) + kHeights[row]);
      }
    }
    this->Expect(problem);
  }
}

/// What equals the last place lies beside what is larger, and more that equals it lies behind: a
/// thread that gives its largest first comes to the others when their places are taken by equal
/// ones of higher indices. The latter at several distances, so that others' threads have one each,
/// or few have many.
TYPED_TEST(EdgeOfLongRows, EqualToTheLastPlaceBesideALarger) {
  constexpr std::size_t kRows = 8;
  constexpr std::size_t kVector = 4;
  constexpr std::size_t kLanes = 32;
  for (const std::size_t vocabulary :
       {std::size_t{600}, std::size_t{4096}, TestFixture::kVocabulary}) {
    auto problem = this->Random({kRows, vocabulary, 8}, {.offset = -4, .scale = 0.5});
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto logits =
          typename TestFixture::Logits(problem.logits).subspan(row * vocabulary, vocabulary);
      const std::size_t first = row * (vocabulary / kRows) / kLanes * kLanes;
      const std::size_t distance = kVector << (row % 4);
      for (std::size_t i = first; i < vocabulary; i += distance) {
        logits[i] = this->Near(3);
      }
      std::ranges::fill(logits.subspan(first, kVector), this->Near(3));
      logits[first + row % kVector] = this->Near(9);
    }
    this->Expect(problem);
  }
}

/// Plain logits in rows that are shared out, or just not.
template <class Variant>
class SharedOutRows : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"combinations"});
    this->UseOneSchedule();
  }
};
TYPED_TEST_SUITE(SharedOutRows, Variants, VariantNames);

/// Other numbers of rows of one length, of which few are shared out and many are not.
TYPED_TEST(SharedOutRows, InTurn) {
  for (const std::size_t rows : {1U, 60U, 2U, 300U, 1U}) {
    this->ExpectRandom({rows, 1000, 8});
  }
  for (const std::size_t rows : {1U, 60U, 2U}) {
    this->ExpectRandom({rows, 8200, 8});
  }
}

/// All mass lies beside multiples of 32 logits, of the row and of memory, and rows begin anywhere:
/// where a part of a row begins elsewhere than the one before it ends, one logit that is in both,
/// or in neither, shows in the sum.
TYPED_TEST(SharedOutRows, MassBesideEveryLine) {
  constexpr std::size_t kLine = 32;
  constexpr std::size_t kGap = 5;
  constexpr Shape kShape{.rows = 3, .vocabulary = 16'400, .k = 3};
  const auto is_beside_one = [](std::size_t place) { return (place + 1) % kLine <= 1; };
  for (const std::size_t offset : {0U, 1U, 7U, 30U}) {
    auto problem = this->Constant(kShape, -20);
    for (std::size_t i = 0; i < problem.logits.size(); ++i) {
      const std::size_t row = i / kShape.vocabulary;
      if (is_beside_one(i % kShape.vocabulary) || is_beside_one(offset + i + row * kGap)) {
        problem.logits[i] = this->Near(0);
      }
    }
    this->Expect(problem, {.gap = kGap, .logits_offset = offset});
  }
}

template <class Variant>
using FarSharedOutRows = SharedOutRows<Variant>;
TYPED_TEST_SUITE(FarSharedOutRows, DeviceVariants, VariantNames);

/// The parts of a row may have offsets of their own, beyond those of suite_far_rows.cc.
TYPED_TEST(FarSharedOutRows, OffsetsBeyond32Bits) {
  if (TestFixture::OnRealGpu()) {
    this->Skip("needs 17.2 GB of device memory, which is real there");
  }
  constexpr std::size_t kVocabulary = 16'384;
  constexpr std::size_t kStride = (std::size_t{1} << 30) + 8;
  this->Expect(this->Random({5, kVocabulary, 5}), {.gap = kStride - kVocabulary});
}

class LongestRows : public SoftmaxTopkTest {
 protected:
  void SetUp() override {
    SoftmaxTopkTest::SetUp();
    Tag({"combinations"});
    UseOneSchedule();
  }
};

/// Of the longest rows that are asked for so many that none need be shared out: one for every
/// second SM of an A100. What counts the pieces of a row counts most of them here.
TEST_F(LongestRows, OneForEverySecondSm) {
  constexpr std::size_t kVocabulary = 262'143;
  const std::size_t rows = sanitized() ? 4 : 54;
  ExpectRight<F32>(RandomProblem<float>(random(), {rows, kVocabulary, 8}), {});
}

}  // namespace
}  // namespace assay::softmax_topk
