// SPDX-License-Identifier: Apache-2.0
// Values at the edge of the contract: tag `edge`. Ties, keys that differ in one bit, zeros, NaN and
// infinities, in single rows that a warp can hold; among other rows, and in longer ones, they are
// in suite_combinations.cc.

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "suite_special_logits.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Edge : public SpecialLogitsTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;

  void SetUp() override {
    SpecialLogitsTest<Variant>::SetUp();
    this->template TagFor<Variant>({"edge"});
  }

  [[nodiscard]] Problem<Logit> OneRow(Distribution distribution = {}) {
    return this->Random({1, kPlainVocabulary, 8}, distribution);
  }

  /// `odd` at several places of a row.
  void ExpectContained(const std::vector<Logit>& odd) {
    for (const std::size_t at : {0U, 17U, 32U, 64U, 95U}) {
      auto problem = OneRow();
      for (std::size_t i = 0; i < odd.size(); ++i) {
        problem.logits[(at + i * 41) % kPlainVocabulary] = odd[i];
      }
      this->Expect(problem);
    }
  }

  /// Eight winners that are far above the rest, each with a NaN so far before or behind it, and no
  /// winner in its place. A NaN for each and no more, since one more could give a winner away
  /// again.
  void ExpectWinnersBesideNan(std::size_t distance, bool before) {
    auto problem = OneRow({.offset = -9, .scale = 0.5});
    std::uniform_real_distribution<double> winner(3, 8);
    const std::size_t ahead = before ? kPlainVocabulary - distance : distance;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t at = 4 + 11 * i;
      problem.logits[at] = this->Near(winner(this->random()));
      problem.logits[(at + ahead) % kPlainVocabulary] = this->RandomNan();
    }
    this->Expect(problem);
  }
};
TYPED_TEST_SUITE(Edge, Variants, VariantNames);

TYPED_TEST(Edge, VocabularyOfOne) {
  this->ExpectRandom({1, 1, 1});
  this->ExpectRandom({1, 1, 1}, {.scale = 1e3});
}

/// Equal logits: the lower index first, in order, all over the row.
TYPED_TEST(Edge, TiesGoToTheLowerIndex) {
  for (const std::size_t vocabulary : {std::size_t{8}, std::size_t{64}, kPlainVocabulary}) {
    this->Expect(this->Constant({1, vocabulary, 8}, -0.5));
  }
}

TYPED_TEST(Edge, FewDistinctValues) {
  for (int i = 0; i < 4; ++i) {
    auto problem = this->OneRow();
    for (auto& logit : problem.logits) {
      logit = this->Near(static_cast<double>(this->random()() % 3));
    }
    this->Expect(problem);
  }
}

/// More copies of the k-th value than there are places left: the first of them are it.
TYPED_TEST(Edge, TiesStraddleTheLastPlace) {
  for (const std::size_t larger : {0U, 1U, 5U, 7U}) {
    auto problem = this->OneRow({.offset = -3, .scale = 0.5});
    std::vector<std::size_t> places(kPlainVocabulary);
    std::iota(places.begin(), places.end(), 0);
    std::ranges::shuffle(places, this->random());
    for (std::size_t i = 0; i < kPlainVocabulary / 2; ++i) {
      problem.logits[places[i]] = this->Near(i < larger ? 4 : 2);
    }
    this->Expect(problem);
  }
}

/// The tie is between the last place of a vector or of all lanes and the first of the next.
TYPED_TEST(Edge, TiesAcrossLanes) {
  for (const std::size_t edge : {4U, 32U, 64U}) {
    auto problem = this->Random({1, kPlainVocabulary, 2}, {.offset = -3, .scale = 0.5});
    for (const std::size_t i : {edge, edge - 1, edge + 31, edge - 3}) {
      problem.logits[i] = this->Near(3);
    }
    this->Expect(problem);
  }
}

/// Two to four equal winners, each beside the next, anywhere from the first places to the last of a
/// row. In the long one they lie in the last places of the first warp (WinnersInOneWarp).
TYPED_TEST(Edge, EqualWinnersSideBySide) {
  constexpr std::size_t kLong = std::size_t{15} * 1024 + 32;
  for (const std::size_t vocabulary : {kPlainVocabulary, kLong}) {
    for (std::size_t count = 2; count <= 4; ++count) {
      for (const std::size_t from_end :
           {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{17}}) {
        auto problem = this->RandomForOneWarp({1, vocabulary, 1 + count / 2}, {.scale = 0.5});
        const std::size_t first = vocabulary - from_end - count;
        for (std::size_t i = first; i < first + count; ++i) {
          problem.logits[i] = this->Near(6);
        }
        this->Expect(problem);
      }
    }
  }
}

/// -0 equals +0, so the index decides; by their bits they are far apart.
TYPED_TEST(Edge, ZerosOfBothSigns) {
  this->Expect(this->Row({-0.0, 0.0, -0.0, 0.0}, 4));
  this->Expect(this->Row({-1, -0.0, -2, 0.0, 0.0, -0.0, -1, -3}, 3));
  auto problem = this->OneRow({.offset = -9});
  for (std::size_t i = 0; i < problem.logits.size(); i += 7) {
    problem.logits[i] = this->Near(i % 2 == 0 ? -0.0 : 0.0);
  }
  this->Expect(problem);
}

/// Differences of one unit in the last place decide: keys cut short collide.
TYPED_TEST(Edge, KeysThatDifferInTheLowestBits) {
  for (const double first : {1.0, -3.0, 1e4}) {
    this->Expect(this->Neighbours(first, kPlainVocabulary));
  }
}

TYPED_TEST(Edge, TheLastPlaceIsDecidedByOneUlp) {
  for (std::size_t turn = 0; turn < 4; ++turn) {
    auto problem = this->Random({1, kPlainVocabulary, 3});
    for (std::size_t j = 0; j < 4; ++j) {
      problem.logits[(j * 23 + turn * 31) % kPlainVocabulary] = this->Further(3e4, (j + turn) % 4);
    }
    this->Expect(problem);
  }
}

/// Denormal logits are in order too, and above -0 and below the smallest normal number.
TYPED_TEST(Edge, DenormalLogits) {
  Problem<typename TestFixture::Logit> problem{.rows = 1, .vocabulary = 64, .k = 8};
  for (std::size_t i = 0; i < 64; ++i) {
    problem.logits.push_back(this->Further(0, i * 29 % 64));
  }
  this->Expect(problem);
}

TYPED_TEST(Edge, NanComesLast) {
  for (const bool negative : {false, true}) {
    this->ExpectContained({this->Nan(1, negative)});
    this->ExpectContained({this->Nan(0x40, negative), this->Nan(3, !negative)});
  }
}

/// Fewer numbers than places: NaN fills them by index, -infinity before it.
TYPED_TEST(Edge, NanWithinTheList) {
  for (std::size_t turn = 0; turn < 3; ++turn) {
    auto problem = this->Random({1, 8, 7});
    for (const std::size_t at : {1U, 2U, 5U, 6U, 7U}) {
      problem.logits[(at + turn) % 8] = this->Nan(1, (at + turn) % 2 == 0);
    }
    problem.logits[turn] = this->Near(-kInfinity);
    this->Expect(problem);
  }
}

TYPED_TEST(Edge, NanAlone) {
  auto problem = this->OneRow();
  std::ranges::generate(problem.logits, [&] { return this->RandomNan(); });
  this->Expect(problem);
}

/// A maximum that is taken without regard to NaN may give the NaN, or the other operand, or the
/// second one: and lose the largest logit that it has met.
TYPED_TEST(Edge, NanBesideEachWinner) {
  for (const std::size_t distance : {1U, 2U, 4U, 8U, 16U, 32U}) {
    this->ExpectWinnersBesideNan(distance, false);
    this->ExpectWinnersBesideNan(distance, true);
  }
}

/// NaN is what a lane or a warp meets first, and for a while nothing else.
TYPED_TEST(Edge, NanFillsTheBeginning) {
  for (const std::size_t count : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
    auto problem = this->OneRow();
    std::generate_n(problem.logits.begin(), count, [&] { return this->RandomNan(); });
    this->Expect(problem);
  }
}

/// From fewer numbers than places to more, anywhere among NaN.
TYPED_TEST(Edge, FewNumbersAmongNan) {
  for (const std::size_t numbers : {1U, 3U, 7U, 8U, 9U, 12U}) {
    auto problem = this->OneRow();
    std::ranges::generate(std::span(problem.logits).subspan(numbers),
                          [&] { return this->RandomNan(); });
    std::ranges::shuffle(problem.logits, this->random());
    this->Expect(problem);
  }
}

/// Where there is no other logit to compare with, or one.
TYPED_TEST(Edge, RowsOfOneOrTwoSpecialValues) {
  constexpr std::size_t kValues = TestFixture::kSpecialValues;
  for (std::size_t i = 0; i < kValues; ++i) {
    auto alone = this->Constant({1, 1, 1}, 0);
    alone.logits = {this->SpecialValue(i)};
    this->Expect(alone);
    for (std::size_t j = 0; j < kValues; ++j) {
      auto pair = this->Constant({1, 2, 1 + (i + j) % 2}, 0);
      pair.logits = {this->SpecialValue(i), this->SpecialValue(j)};
      this->Expect(pair);
    }
  }
}

/// Of all rows of four special values some; suite_combinations.cc has them all.
TYPED_TEST(Edge, RowsOfFourSpecialValues) {
  for (int i = 0; i < 12; ++i) {
    auto problem = this->Constant({1, 4, 4}, 0);
    std::ranges::generate(problem.logits, [&] {
      return this->SpecialValue(this->random()() % TestFixture::kSpecialValues);
    });
    this->Expect(problem);
  }
}

TYPED_TEST(Edge, PlusInfinity) {
  this->ExpectContained({this->Near(kInfinity)});
  this->ExpectContained({this->Near(kInfinity), this->Near(kInfinity)});
  this->ExpectContained({this->Near(kInfinity), this->Near(-kInfinity), this->Nan(1, true)});
}

TYPED_TEST(Edge, MinusInfinityAlone) {
  this->Expect(this->Constant({1, kPlainVocabulary, 8}, -kInfinity));
}

/// -infinity within the list: probability 0, by index.
TYPED_TEST(Edge, MinusInfinityWithinTheList) {
  for (std::size_t turn = 0; turn < 3; ++turn) {
    auto problem = this->Constant({1, kPlainVocabulary, 8}, -kInfinity);
    problem.logits[95 - turn * 20] = this->Near(1);
    problem.logits[30 + turn] = this->Near(2);
    this->Expect(problem);
  }
}

/// The lowest finite logits are above -infinity: a sentinel of -FLT_MAX is not below them.
TYPED_TEST(Edge, LowestFiniteLogits) {
  const auto lowest = this->Lowest();
  auto problem = this->Constant({1, kPlainVocabulary, 5}, -kInfinity);
  for (const std::size_t at : {3U, 32U, 64U, 95U}) {
    problem.logits[at] = lowest;
  }
  this->Expect(problem);
  std::ranges::fill(problem.logits, lowest);
  this->Expect(problem);
}

/// Values as 16 bits give them: some ties.
TYPED_TEST(Edge, RoundedLogits) {
  for (int i = 0; i < 8; ++i) {
    auto problem = this->OneRow({.offset = 3, .scale = 0.25});
    this->Round(problem);
    this->Expect(problem);
  }
}

}  // namespace
}  // namespace assay::softmax_topk
