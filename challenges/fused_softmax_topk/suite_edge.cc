// SPDX-License-Identifier: Apache-2.0
// Values at the edge of the contract: tag `edge`. Ties, keys that differ in one bit, zeros, NaN and
// infinities; each odd row among ordinary ones, which must not notice.

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Variant>
class Edge : public VariantTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;
  using Bits = std::conditional_t<kOfHalves<Variant>, std::uint16_t, std::uint32_t>;

  static constexpr Bits kInfinityBits =
      std::is_same_v<Logit, float> ? Bits(0x7f800000U)
                                   : (std::is_same_v<Logit, Half> ? Bits(0x7c00) : Bits(0x7f80));

  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"edge"});
  }

  static constexpr Bits kSign = Bits(Bits{1} << (8 * sizeof(Bits) - 1));

  static Logit FromBits(Bits bits) { return std::bit_cast<Logit>(bits); }
  static Logit Nan(std::size_t payload, bool negative) {
    return FromBits(Bits(kInfinityBits | Bits(payload) | (negative ? kSign : Bits(0))));
  }
  static Logit Lowest() { return FromBits(Bits(kSign | (kInfinityBits - 1))); }
  /// `steps` representable numbers further from zero.
  static Logit Further(double value, std::size_t steps) {
    return FromBits(Bits(BitsOf(value) + steps));
  }
  static Bits BitsOf(double value) { return std::bit_cast<Bits>(Nearest<Logit>(value)); }

  /// `odd` at several places of rows 1, 3 and 4 of five.
  void ExpectContained(const std::vector<Logit>& odd) {
    constexpr std::size_t kVocabulary = 300;
    for (const std::size_t at : {0U, 17U, 32U, 255U, 299U}) {
      auto problem = this->Random({5, kVocabulary, 8});
      for (const std::size_t row : {1U, 3U, 4U}) {
        for (std::size_t i = 0; i < odd.size(); ++i) {
          problem.logits[row * kVocabulary + (at + i * 64 * row) % kVocabulary] = odd[i];
        }
      }
      this->Expect(problem);
    }
  }

  Logit RandomNan() { return Nan(1 + this->random()() % 100, this->random()() % 2 == 0); }

  /// How far apart lanes, vectors, warps and tiles of the usual kernels and vector units lie.
  static constexpr std::size_t kDistances[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

  /// Rows of eight winners that are far above the rest, each with a NaN so far before or behind it.
  /// No two winners of a row are in one vector or lane, and those of eight rows are in all 64
  /// places of a block. A NaN for each and no more, since one more could give a winner away again.
  Problem<Logit> WinnersBesideNan(std::size_t distance, bool before) {
    constexpr std::size_t kWinners = 8;
    constexpr std::size_t kRows = 8;
    constexpr std::size_t kFirst = 512;
    constexpr std::size_t kStep = 129;
    constexpr std::size_t kVocabulary = 2 * kFirst + kWinners * (kStep + 1);
    auto problem = this->Random({kRows, kVocabulary, kWinners}, {.offset = -9, .scale = 0.5});
    std::uniform_real_distribution<double> winner(3, 8);
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t i = 0; i < kWinners; ++i) {
        const std::size_t at = row * kVocabulary + kFirst + row * kWinners + i * kStep;
        problem.logits[at] = this->Near(winner(this->random()));
        problem.logits[before ? at - distance : at + distance] = RandomNan();
      }
    }
    return problem;
  }

  /// A row of consecutive bit patterns from `first` up, in random order.
  void ExpectNeighbours(Bits first, std::size_t count) {
    Problem<Logit> problem{.rows = 1, .vocabulary = count, .k = 8};
    for (std::size_t i = 0; i < count; ++i) {
      problem.logits.push_back(FromBits(Bits(first + i)));
    }
    std::ranges::shuffle(problem.logits, this->random());
    this->Expect(problem);
  }
};
TYPED_TEST_SUITE(Edge, Variants, VariantNames);

TYPED_TEST(Edge, VocabularyOfOne) {
  this->ExpectRandom({1, 1, 1});
  this->ExpectRandom({40, 1, 1}, {.scale = 1e3});
}

/// Equal logits: the lower index first, in order, all over the row.
TYPED_TEST(Edge, TiesGoToTheLowerIndex) {
  for (const std::size_t vocabulary : {8U, 100U, 257U, 3000U}) {
    this->Expect(this->Constant({3, vocabulary, 8}, -0.5));
  }
}

TYPED_TEST(Edge, FewDistinctValues) {
  auto problem = this->Random({6, 900, 8});
  for (auto& logit : problem.logits) {
    logit = this->Near(static_cast<double>(this->random()() % 3));
  }
  this->Expect(problem);
}

/// More copies of the k-th value than there are places left: the first of them are it.
TYPED_TEST(Edge, TiesStraddleTheLastPlace) {
  constexpr std::size_t kVocabulary = 2048;
  for (const std::size_t larger : {0U, 1U, 5U, 7U}) {
    auto problem = this->Random({2, kVocabulary, 8}, {.offset = -3, .scale = 0.5});
    for (std::size_t row = 0; row < 2; ++row) {
      std::vector<std::size_t> places(kVocabulary);
      std::iota(places.begin(), places.end(), 0);
      std::ranges::shuffle(places, this->random());
      for (std::size_t i = 0; i < kVocabulary / 2; ++i) {
        problem.logits[row * kVocabulary + places[i]] = this->Near(i < larger ? 4 : 2);
      }
    }
    this->Expect(problem);
  }
}

/// The tie is between the last place of one thread's stretch and the first of the next.
TYPED_TEST(Edge, TiesAcrossTiles) {
  for (const std::size_t edge : {4U, 32U, 128U, 256U, 512U, 1024U}) {
    auto problem = this->Random({2, 1300, 2}, {.offset = -3, .scale = 0.5});
    for (const std::size_t i : {edge, edge - 1, edge + 31, edge - 3}) {
      problem.logits[i] = this->Near(3);
      problem.logits[2599 - i] = this->Near(3);
    }
    this->Expect(problem);
  }
}

/// -0 equals +0, so the index decides; by their bits they are far apart.
TYPED_TEST(Edge, ZerosOfBothSigns) {
  this->Expect(this->Row({-0.0, 0.0, -0.0, 0.0}, 4));
  this->Expect(this->Row({-1, -0.0, -2, 0.0, 0.0, -0.0, -1}, 3));
  auto problem = this->Random({3, 500, 8}, {.offset = -9});
  for (std::size_t i = 0; i < problem.logits.size(); i += 23) {
    problem.logits[i] = this->Near(i % 2 == 0 ? -0.0 : 0.0);
  }
  this->Expect(problem);
}

/// Differences of one unit in the last place decide: keys cut short collide.
TYPED_TEST(Edge, KeysThatDifferInTheLowestBits) {
  const std::size_t count = std::is_same_v<typename TestFixture::Logit, float> ? 4096 : 900;
  this->ExpectNeighbours(this->BitsOf(1), count);
  this->ExpectNeighbours(this->BitsOf(-3), count);
  this->ExpectNeighbours(this->BitsOf(1e4), count);
}

TYPED_TEST(Edge, TheLastPlaceIsDecidedByOneUlp) {
  auto problem = this->Random({4, 700, 3});
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t j = 0; j < 4; ++j) {
      problem.logits[row * 700 + (j * 211 + row * 97) % 700] = this->Further(3e4, (j + row) % 4);
    }
  }
  this->Expect(problem);
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
  auto problem = this->Random({3, 9, 7});
  for (std::size_t row = 0; row < 3; ++row) {
    for (const std::size_t at : {1U, 2U, 5U, 6U, 8U}) {
      problem.logits[row * 9 + (at + row) % 9] = this->Nan(1, (at + row) % 2 == 0);
    }
    problem.logits[row * 9 + row] = this->Near(-kInfinity);
  }
  this->Expect(problem);
}

TYPED_TEST(Edge, NanAlone) {
  auto problem = this->Random({3, 400, 6});
  for (std::size_t i = 400; i < 800; ++i) {
    problem.logits[i] = this->Nan(1 + i % 7, i % 3 == 0);
  }
  this->Expect(problem);
}

/// A maximum that is taken without regard to NaN may give the NaN, or the other operand, or the
/// second one: and lose the largest logit that it has met.
TYPED_TEST(Edge, NanBesideEachWinner) {
  for (const std::size_t distance : TestFixture::kDistances) {
    this->Expect(this->WinnersBesideNan(distance, false));
    this->Expect(this->WinnersBesideNan(distance, true));
  }
}

/// NaN is what a thread, a warp or a block meets first, and for a while nothing else.
TYPED_TEST(Edge, NanFillsTheBeginning) {
  constexpr std::size_t kVocabulary = 1100;
  auto problem = this->Random({std::size(TestFixture::kDistances), kVocabulary, 8});
  for (std::size_t row = 0; row < problem.rows; ++row) {
    std::generate_n(problem.logits.begin() + static_cast<std::ptrdiff_t>(row * kVocabulary),
                    TestFixture::kDistances[row], [&] { return this->RandomNan(); });
  }
  this->Expect(problem);
}

/// From fewer numbers than places to more, anywhere among NaN.
TYPED_TEST(Edge, FewNumbersAmongNan) {
  for (const std::size_t vocabulary : {20U, 333U, 2100U}) {
    auto problem = this->Random({12, vocabulary, 8});
    for (std::size_t row = 0; row < problem.rows; ++row) {
      const std::span<typename TestFixture::Logit> logits =
          std::span(problem.logits).subspan(row * vocabulary, vocabulary);
      std::ranges::generate(logits.subspan(row + 1), [&] { return this->RandomNan(); });
      std::ranges::shuffle(logits, this->random());
    }
    this->Expect(problem);
  }
}

/// All rows of four special values, one row after the other.
TYPED_TEST(Edge, EveryRowOfFourSpecialValues) {
  constexpr std::size_t kValues = 6;
  constexpr std::size_t kLength = 4;
  constexpr std::size_t kRows = kValues * kValues * kValues * kValues;
  const typename TestFixture::Logit values[kValues] = {this->Nan(1, true), this->Near(-kInfinity),
                                                       this->Near(-0.0),   this->Near(0.0),
                                                       this->Near(1),      this->Near(kInfinity)};
  auto problem = this->Constant({kRows, kLength, kLength}, 0);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0, rest = row; i < kLength; ++i, rest /= kValues) {
      problem.logits[row * kLength + i] = values[rest % kValues];
    }
  }
  this->Expect(problem);
}

TYPED_TEST(Edge, PlusInfinity) {
  this->ExpectContained({this->Near(kInfinity)});
  this->ExpectContained({this->Near(kInfinity), this->Near(kInfinity)});
  this->ExpectContained({this->Near(kInfinity), this->Near(-kInfinity), this->Nan(1, true)});
}

TYPED_TEST(Edge, MinusInfinityAlone) {
  this->Expect(this->Constant({2, 77, 8}, -kInfinity));
  auto problem = this->Random({5, 1100, 8});
  std::fill_n(problem.logits.begin() + 2 * 1100, 1100, this->Near(-kInfinity));
  this->Expect(problem);
}

/// -infinity within the list: probability 0, by index.
TYPED_TEST(Edge, MinusInfinityWithinTheList) {
  auto problem = this->Constant({3, 450, 8}, -kInfinity);
  for (std::size_t row = 0; row < 3; ++row) {
    problem.logits[row * 450 + 449 - row * 40] = this->Near(1);
    problem.logits[row * 450 + 200 + row] = this->Near(2);
  }
  this->Expect(problem);
}

/// The lowest finite logits are above -infinity: a sentinel of -FLT_MAX is not below them.
TYPED_TEST(Edge, LowestFiniteLogits) {
  const auto lowest = this->Lowest();
  auto problem = this->Constant({2, 300, 5}, -kInfinity);
  for (const std::size_t at : {3U, 64U, 255U, 299U}) {
    problem.logits[at] = lowest;
    problem.logits[300 + at] = lowest;
  }
  std::fill_n(problem.logits.begin() + 300, 300, lowest);
  this->Expect(problem);
}

/// Values as 16 bits give them by the thousand: many ties everywhere.
TYPED_TEST(Edge, RoundedLogits) {
  auto problem = this->Random({3, 8000, 8});
  for (auto& logit : problem.logits) {
    logit = this->Near(
        static_cast<double>(ToFloat(Nearest<BFloat16>(static_cast<double>(ToFloat(logit))))));
  }
  this->Expect(problem);
}

}  // namespace
}  // namespace assay::softmax_topk
