// SPDX-License-Identifier: Apache-2.0
// Special values, hard sums, odd layouts and long lists in several rows and in long ones, buffers
// anywhere: tag `combinations`. Each of these has plain cases and a tag of its own; what fails here
// alone needs two of them at once. suite_combinations_merge.cc and suite_random.cc have more.

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

#include "suite_special_logits.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class EdgeAmongRows : public SpecialLogitsTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;

  void SetUp() override {
    SpecialLogitsTest<Variant>::SetUp();
    this->template TagFor<Variant>({"combinations"});
  }

  /// `odd` at several places of rows 1, 3 and 4 of five, the others of which must not notice.
  void ExpectContained(const std::vector<Logit>& odd) {
    constexpr std::size_t kVocabulary = 300;
    for (const std::size_t at : {0U, 17U, 32U, 255U, 299U}) {
      auto problem = this->Random({5, kVocabulary, 8});
      for (const std::size_t row : {1U, 3U, 4U}) {
        for (std::size_t i = 0; i < odd.size(); ++i) {
          problem.logits[row * kVocabulary + (at + i * 64 * row) % kVocabulary] = odd[i];
        }
      }
      this->ExpectAnywhere(problem);
    }
  }

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
        problem.logits[before ? at - distance : at + distance] = this->RandomNan();
      }
    }
    return problem;
  }
};
TYPED_TEST_SUITE(EdgeAmongRows, Variants, VariantNames);

/// More copies of the k-th value than there are places left, in all threads of a block.
TYPED_TEST(EdgeAmongRows, TiesStraddleTheLastPlace) {
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
    this->ExpectAnywhere(problem);
  }
}

/// The tie is between the last place of one thread's stretch and the first of the next.
TYPED_TEST(EdgeAmongRows, TiesAcrossTiles) {
  for (const std::size_t edge : {4U, 32U, 128U, 256U, 512U, 1024U}) {
    auto problem = this->Random({2, 1300, 2}, {.offset = -3, .scale = 0.5});
    for (const std::size_t i : {edge, edge - 1, edge + 31, edge - 3}) {
      problem.logits[i] = this->Near(3);
      problem.logits[2599 - i] = this->Near(3);
    }
    this->ExpectAnywhere(problem);
  }
}

TYPED_TEST(EdgeAmongRows, EqualRows) {
  for (const std::size_t vocabulary : {100U, 257U, 3000U}) {
    this->ExpectAnywhere(this->Constant({3, vocabulary, 8}, -0.5));
  }
}

TYPED_TEST(EdgeAmongRows, KeysThatDifferInTheLowestBits) {
  const std::size_t count = std::is_same_v<typename TestFixture::Logit, float> ? 4096 : 900;
  for (const double first : {1.0, -3.0, 1e4}) {
    this->ExpectAnywhere(this->Neighbours(first, count));
  }
}

TYPED_TEST(EdgeAmongRows, NanComesLast) {
  for (const bool negative : {false, true}) {
    this->ExpectContained({this->Nan(1, negative)});
    this->ExpectContained({this->Nan(0x40, negative), this->Nan(3, !negative)});
  }
}

/// A maximum that is taken without regard to NaN may give the NaN, or the other operand, or the
/// second one: and lose the largest logit that it has met.
TYPED_TEST(EdgeAmongRows, NanBesideEachWinner) {
  for (const std::size_t distance : TestFixture::kDistances) {
    this->ExpectAnywhere(this->WinnersBesideNan(distance, false));
    this->ExpectAnywhere(this->WinnersBesideNan(distance, true));
  }
}

/// NaN is what a thread, a warp or a block meets first, and for a while nothing else.
TYPED_TEST(EdgeAmongRows, NanFillsTheBeginning) {
  constexpr std::size_t kVocabulary = 1100;
  auto problem = this->Random({std::size(TestFixture::kDistances), kVocabulary, 8});
  for (std::size_t row = 0; row < problem.rows; ++row) {
    std::generate_n(problem.logits.begin() + static_cast<std::ptrdiff_t>(row * kVocabulary),
                    TestFixture::kDistances[row], [&] { return this->RandomNan(); });
  }
  this->ExpectAnywhere(problem);
}

/// From fewer numbers than places to more, anywhere among NaN.
TYPED_TEST(EdgeAmongRows, FewNumbersAmongNan) {
  for (const std::size_t vocabulary : {20U, 333U, 2100U}) {
    auto problem = this->Random({12, vocabulary, 8});
    for (std::size_t row = 0; row < problem.rows; ++row) {
      const std::span<typename TestFixture::Logit> logits =
          std::span(problem.logits).subspan(row * vocabulary, vocabulary);
      std::ranges::generate(logits.subspan(row + 1), [&] { return this->RandomNan(); });
      std::ranges::shuffle(logits, this->random());
    }
    this->ExpectAnywhere(problem);
  }
}

/// All rows of four special values, one row after the other.
TYPED_TEST(EdgeAmongRows, EveryRowOfFourSpecialValues) {
  constexpr std::size_t kValues = TestFixture::kSpecialValues;
  constexpr std::size_t kLength = 4;
  constexpr std::size_t kRows = kValues * kValues * kValues * kValues;
  auto problem = this->Constant({kRows, kLength, kLength}, 0);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0, rest = row; i < kLength; ++i, rest /= kValues) {
      problem.logits[row * kLength + i] = this->SpecialValue(rest % kValues);
    }
  }
  this->ExpectAnywhere(problem);
}

TYPED_TEST(EdgeAmongRows, Infinities) {
  this->ExpectContained({this->Near(kInfinity), this->Near(-kInfinity), this->Nan(1, true)});
  auto problem = this->Random({5, 1100, 8});
  std::fill_n(problem.logits.begin() + 2 * 1100, 1100, this->Near(-kInfinity));
  this->ExpectAnywhere(problem);
}

TYPED_TEST(EdgeAmongRows, RoundedLogits) {
  auto problem = this->Random({3, 8000, 8});
  this->Round(problem);
  this->ExpectAnywhere(problem);
}

template <class Variant>
class StabilityOfRows : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"combinations"});
  }

  /// Of each row the logits from `first` up to `end` are -infinity.
  void ExpectMasked(Shape shape, std::size_t first, std::size_t end) {
    auto problem = this->Random(shape);
    for (std::size_t row = 0; row < shape.rows; ++row) {
      const auto begin =
          problem.logits.begin() + static_cast<std::ptrdiff_t>(row * shape.vocabulary + first);
      std::fill_n(begin, end - first, this->Near(-kInfinity));
    }
    this->ExpectAnywhere(problem);
  }
};
TYPED_TEST_SUITE(StabilityOfRows, Variants, VariantNames);

/// exp(80) is 5e34, a sum of 10,000 of them is infinite in float.
TYPED_TEST(StabilityOfRows, Near80) {
  this->ExpectRandomAnywhere({3, 10'001, 8}, {.offset = 80});
  this->ExpectRandomAnywhere({3, 500, 8}, {.offset = -80});
}

TYPED_TEST(StabilityOfRows, LateMaximum) {
  for (const double height : {3.0, 30.0, 300.0}) {
    auto problem = this->Random({4, 1111, 4});
    for (std::size_t row = 0; row < 4; ++row) {
      problem.logits[row * 1111 + 1110 - 300 * row] = this->Near(height);
    }
    this->ExpectAnywhere(problem);
  }
}

/// In each row one logit, in another thread than in the last, above others that are next to nothing
/// each and all together more than rounding.
TYPED_TEST(StabilityOfRows, TailsNextToNothing) {
  for (const double below : {14.2, 15.1}) {
    for (const Shape shape : {Shape{40, 4096, 2}, Shape{300, 1000, 2}}) {
      auto problem = this->Constant(shape, -below);
      for (std::size_t row = 0; row < shape.rows; ++row) {
        problem.logits[row * shape.vocabulary + row * 37 % shape.vocabulary] = this->Near(0);
      }
      this->ExpectAnywhere(problem);
    }
  }
}

TYPED_TEST(StabilityOfRows, Masked) {
  for (const std::size_t masked : {1U, 32U, 257U, 1024U, 2040U}) {
    this->ExpectMasked({3, 2048, 8}, 0, masked);
    this->ExpectMasked({3, 2048, 8}, 2048 - masked, 2048);
  }
}

template <class Variant>
class LayoutOfRows : public StabilityOfRows<Variant> {};
TYPED_TEST_SUITE(LayoutOfRows, Variants, VariantNames);

/// Every row begins elsewhere, dense as it is: loads of 16 bytes are misaligned in most.
TYPED_TEST(LayoutOfRows, DenseOddRows) {
  for (const std::size_t vocabulary : {67U, 257U, 1023U, 2050U}) {
    this->Expect(this->Random({9, vocabulary, 8}));
  }
}

/// An odd start and an odd stride, which together are aligned in some rows alone.
TYPED_TEST(LayoutOfRows, StartsAndStridesTogether) {
  for (std::size_t i = 0; i < 8; ++i) {
    this->Expect(this->Random({8, 300 + i, 4}),
                 {.gap = (3 * i) % 8, .logits_offset = (5 * i + 1) % 8, .stream_kind = 1});
  }
}

template <class Variant>
class PrecisionOfRows : public StabilityOfRows<Variant> {
 protected:
  void SetUp() override {
    StabilityOfRows<Variant>::SetUp();
    this->LogitsAreDrawn();
  }

  /// Of sizes that no call of a run before has had.
  void ExpectRows(std::size_t rows, std::size_t least, std::size_t most, std::size_t k) {
    const auto vocabulary = std::uniform_int_distribution<std::size_t>(least, most)(this->random());
    this->ExpectRandomAnywhere({rows, vocabulary, k});
  }
};
TYPED_TEST_SUITE(PrecisionOfRows, Variants, VariantNames);

TYPED_TEST(PrecisionOfRows, LargestAlone) {
  this->ExpectRows(64, 1200, 2000, 1);
  this->ExpectRows(16, 20'000, 30'000, 1);
}

TYPED_TEST(PrecisionOfRows, SumsOfLongRows) {
  this->ExpectRows(32, 4000, 6000, 4);
  this->ExpectRows(8, 40'000, 50'000, 8);
}

template <class Variant>
class Lists : public StabilityOfRows<Variant> {};
TYPED_TEST_SUITE(Lists, Variants, VariantNames);

/// Lists that fill in many ways: from an ascending row, from equal logits, from chance. Up to the
/// longest that is not refused; skipped where all are.
TYPED_TEST(Lists, OfEveryLength) {
  for (const std::size_t k : {1U, 8U, 10U, 20U, 50U, 100U, 200U, 400U, 1024U}) {
    auto problem = this->Random({3, 2 * k + 301, k});
    const auto row = static_cast<std::ptrdiff_t>(problem.vocabulary);
    std::ranges::sort(problem.logits.begin(), problem.logits.begin() + row, std::less<>(),
                      [](auto logit) { return ToFloat(logit); });
    std::fill_n(problem.logits.begin() + row, row, this->Near(0.25));
    for (const auto& rows : {problem, this->Random({2, k + 5, k}, {.scale = 4})}) {
      const Layout layout = RandomLayout(this->random());
      if (this->template Try<TypeParam>(rows, layout) != TestFixture::Outcome::kRefused) {
        continue;
      }
      if (k > 1) {
        return;
      }
      this->Skip("k of 1 is refused");
    }
  }
}

/// Up to the longest list that is not refused, for rows of a vocabulary that models have.
TYPED_TEST(Lists, OfALongVocabulary) {
  for (const std::size_t k : {8U, 32U, 100U, 1024U}) {
    const auto problem = this->Random({2, 151'936, k}, {.scale = 3});
    if (this->template Try<TypeParam>(problem, RandomLayout(this->random())) !=
        TestFixture::Outcome::kRefused) {
      continue;
    }
    if (k > 8) {
      return;
    }
    this->Skip("a vocabulary of 151,936 is refused");
  }
}

/// Longer ones than need be supported: each is refused, or right, beside one that has to be right.
TYPED_TEST(Lists, BeyondWhatIsAskedFor) {
  this->UseOneSchedule();
  this->ExpectRandom({2, 4096, 8});
  for (const std::size_t k : {1025U, 1500U, 2048U, 2049U, 2500U, 3072U, 3073U, 4096U}) {
    static_cast<void>(this->template Try<TypeParam>(this->Random({2, 4096, k}), {}));
  }
  for (const std::size_t k : {4097U, 5000U, 8193U, 10'000U}) {
    static_cast<void>(this->template Try<TypeParam>(this->Random({1, 10'000, k}), {}));
  }
}

/// The longest row that is asked for with lists up to the longest, from where no line of memory
/// begins: its parts are as large as they get, and the first of them begins with an odd head.
TYPED_TEST(Lists, OfTheLongestRow) {
  this->UseOneSchedule();
  for (const std::size_t k : {8U, 100U, 530U, 1024U}) {
    const auto problem = this->Random({1, 262'144, k}, {.scale = 3});
    if (this->template Try<TypeParam>(problem, {.logits_offset = 1}) !=
        TestFixture::Outcome::kRefused) {
      continue;
    }
    if (k > 8) {
      return;
    }
    this->Skip("a vocabulary of 262,144 is refused");
  }
}

/// Of rows that are few enough to be shared out: what the parts of a row leave for the merge has to
/// stay within what interface.h lets a call write, of 16 bits too.
TYPED_TEST(Lists, OfFewLongRows) {
  this->UseOneSchedule();
  this->ExpectRandom({20, 16'384, 409});
  this->ExpectRandom({53, 16'384, 409});
}

}  // namespace
}  // namespace assay::softmax_topk
