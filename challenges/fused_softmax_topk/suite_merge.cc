// SPDX-License-Identifier: Apache-2.0
// Winners where a kernel divides its work: tag `merge`. In each row they all lie in one class of
// positions, those of one thread, lane, warp, vector or tile of the usual ways to deal out a row,
// so that no class may lose, repeat or mix up its candidates on the way to the result. Rows of one
// call have different classes: rows that are merged with each other show.

#include <algorithm>
#include <functional>
#include <numeric>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Merge : public VariantTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;

  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"merge"});
  }

  /// Winners are 3 to 8 above the rest and carry most of the mass.
  double Winner() { return std::uniform_real_distribution<double>(3, 8)(this->random()); }

  /// A row for each of `classes`, whose k winners lie at random places i with class_of(i) == row.
  Problem<Logit> Planted(std::size_t classes, std::size_t vocabulary, std::size_t k,
                         const std::function<std::size_t(std::size_t)>& class_of) {
    auto problem = this->Random({classes, vocabulary, k}, {.offset = -4, .scale = 0.5});
    std::vector<std::vector<std::size_t>> places(classes);
    for (std::size_t i = 0; i < vocabulary; ++i) {
      places[class_of(i)].push_back(i);
    }
    for (std::size_t row = 0; row < classes; ++row) {
      std::ranges::shuffle(places[row], this->random());
      const std::size_t winners = std::min(k, places[row].size());
      for (std::size_t j = 0; j < winners; ++j) {
        problem.logits[row * vocabulary + places[row][j]] = Nearest<Logit>(Winner());
      }
    }
    return problem;
  }

  /// Rows of which each has its own level of logits, and winners of its own.
  void ExpectRowsApart(std::size_t rows, Shape shape) {
    auto problem = this->Random({rows, shape.vocabulary, shape.k});
    for (std::size_t i = 0; i < problem.logits.size(); ++i) {
      const std::size_t row = i / shape.vocabulary;
      // Neighbours differ by more than any logit within a row does, up and down in turn.
      const double level = row % 2 == 0 ? static_cast<double>(row) : -20 - static_cast<double>(row);
      problem.logits[i] = Nearest<Logit>(static_cast<double>(ToFloat(problem.logits[i])) + level);
    }
    this->Expect(problem);
  }
};
TYPED_TEST_SUITE(Merge, Variants, VariantNames);

/// Thread t of 256 has the places t, t + 256, …: all winners in one thread's list.
TYPED_TEST(Merge, StrideOfEachThread) {
  this->Expect(this->Planted(256, 256 * 8, 8, [](std::size_t i) { return i % 256; }));
}

/// The same for 16 bytes at a time.
TYPED_TEST(Merge, VectorsOfEachThread) {
  constexpr std::size_t kVector = 16 / sizeof(typename TestFixture::Logit);
  constexpr std::size_t kThreads = 128;
  this->Expect(this->Planted(kThreads, kThreads * kVector * 2, 8,
                             [](std::size_t i) { return i / kVector % kThreads; }));
}

TYPED_TEST(Merge, SliceOfEachThread) {
  this->Expect(this->Planted(128, 128 * 9, 8, [](std::size_t i) { return i / 9; }));
}

TYPED_TEST(Merge, EachLane) {
  this->Expect(this->Planted(32, 1600, 8, [](std::size_t i) { return i % 32; }));
}

TYPED_TEST(Merge, EachWarp) {
  this->Expect(this->Planted(32, 2048, 8, [](std::size_t i) { return i / 32 % 32; }));
  this->Expect(this->Planted(8, 2100, 8, [](std::size_t i) { return i / 32 % 8; }));
}

TYPED_TEST(Merge, EachTile) {
  this->Expect(this->Planted(16, 4096, 8, [](std::size_t i) { return i / 256; }));
  this->Expect(this->Planted(5, 5 * 777, 8, [](std::size_t i) { return i / 777; }));
}

/// One winner for each of k threads, so that every list gives one.
TYPED_TEST(Merge, OneOfEachThread) {
  auto problem = this->Random({4, 2048, 8}, {.offset = -4, .scale = 0.5});
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t j = 0; j < 8; ++j) {
      const std::size_t thread = j * 32 + (row * 11 + j * 5) % 32;
      problem.logits[row * 2048 + thread + 256 * ((row + j) % 8)] = this->Near(this->Winner());
    }
  }
  this->Expect(problem);
}

/// The first and last places of blocks of all sizes, and the last of the row.
TYPED_TEST(Merge, EdgesOfTiles) {
  constexpr std::size_t kVocabulary = 4097;
  constexpr std::size_t kEdges[] = {0,   31,  32,   63,   64,   127,  128,  255,  256, 511,
                                    512, 767, 1023, 1024, 2047, 2048, 3071, 4095, 4096};
  constexpr std::size_t kRows = std::size(kEdges);
  auto problem = this->Random({kRows, kVocabulary - 1, 3}, {.offset = -4, .scale = 0.5});
  for (std::size_t row = 0; row < kRows; ++row) {
    for (const std::size_t edge :
         {kEdges[row], kEdges[(row + 7) % kRows], kEdges[(row + 12) % kRows]}) {
      if (edge < kVocabulary - 1) {
        problem.logits[row * (kVocabulary - 1) + edge] = this->Near(this->Winner());
      }
    }
  }
  this->Expect(problem);
}

/// The largest alone is asked for, and its probability tells of the mass of a class elsewhere: sums
/// that lose or repeat a thread, a lane or a tile.
TYPED_TEST(Merge, MassOfEachThread) {
  for (const std::size_t stride : {1U, 4U}) {
    auto problem = this->Planted(256, 2048, 8, [&](std::size_t i) { return i / stride % 256; });
    problem.k = 1;
    this->Expect(problem);
  }
}

TYPED_TEST(Merge, MassOfTheLastLogits) {
  for (const std::size_t vocabulary : {33U, 259U, 1030U, 2049U, 4093U}) {
    auto problem = this->Random({6, vocabulary, 1}, {.offset = -9, .scale = 0.5});
    for (std::size_t row = 0; row < 6; ++row) {
      problem.logits[row * vocabulary + row] = this->Near(2);
      problem.logits[(row + 1) * vocabulary - 1 - row] = this->Near(1);
    }
    this->Expect(problem);
  }
}

/// Several rows in a block: from one more than a warp of lanes down to one.
TYPED_TEST(Merge, RowsToNine) {
  for (std::size_t rows = 1; rows <= 9; ++rows) {
    this->ExpectRowsApart(rows, {.vocabulary = 100 + 17 * rows, .k = 5});
  }
}
TYPED_TEST(Merge, Rows33) { this->ExpectRowsApart(33, {.vocabulary = 301, .k = 8}); }
TYPED_TEST(Merge, Rows64) { this->ExpectRowsApart(64, {.vocabulary = 1024, .k = 5}); }
TYPED_TEST(Merge, Rows257) { this->ExpectRowsApart(257, {.vocabulary = 40, .k = 2}); }

/// The same winners in all rows but one.
TYPED_TEST(Merge, OneRowUnlikeTheOthers) {
  constexpr std::size_t kVocabulary = 515;
  for (std::size_t odd = 0; odd < 8; ++odd) {
    const auto row = this->Random({1, kVocabulary, 6});
    Problem<typename TestFixture::Logit> problem{.rows = 8, .vocabulary = kVocabulary, .k = 6};
    for (std::size_t i = 0; i < 8; ++i) {
      problem.logits.insert(problem.logits.end(), row.logits.begin(), row.logits.end());
    }
    std::reverse(problem.logits.begin() + static_cast<std::ptrdiff_t>(odd * kVocabulary),
                 problem.logits.begin() + static_cast<std::ptrdiff_t>((odd + 1) * kVocabulary));
    this->Expect(problem);
  }
}

/// Lists longer than 8, full in one thread: skipped where such k is refused.
TYPED_TEST(Merge, LongListsOfOneThread) {
  this->Expect(this->Planted(32, 256 * 32, 32, [](std::size_t i) { return i % 256 / 8; }));
}
TYPED_TEST(Merge, ListOf100) {
  this->Expect(this->Planted(4, 12'800, 100, [](std::size_t i) { return i % 128 / 32; }));
}
/// More than any thread, or any warp, has of them by itself.
TYPED_TEST(Merge, ListOf300) { this->ExpectRandom({3, 5000, 300}); }

}  // namespace
}  // namespace assay::softmax_topk
