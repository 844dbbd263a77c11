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

}  // namespace
}  // namespace assay::softmax_topk
