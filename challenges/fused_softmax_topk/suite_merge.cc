// SPDX-License-Identifier: Apache-2.0
// Winners where a kernel divides a row: tag `merge`. In a row they all lie in one class of
// positions, those of one thread, lane, warp, vector or tile of the usual ways to deal out a row,
// so that no class may lose, repeat or mix up its candidates on the way to the result. Single rows,
// dense and aligned; several rows in a block are in suite_rows.cc, both in suite_combinations.cc.

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "suite_planted.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Merge : public PlantedTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;

  void SetUp() override {
    PlantedTest<Variant>::SetUp();
    this->template TagFor<Variant>({"merge"});
  }

  /// The first, the last and some other of `classes`, a row for each.
  void ExpectPlanted(std::size_t classes, std::size_t vocabulary, std::size_t k,
                     const std::function<std::size_t(std::size_t)>& class_of,
                     std::size_t asked_for = 0) {
    constexpr std::size_t kRows = 8;
    std::vector<std::size_t> chosen(classes - 2);
    std::iota(chosen.begin(), chosen.end(), 1);
    std::ranges::shuffle(chosen, this->random());
    chosen.resize(std::min(chosen.size(), kRows - 2));
    chosen.insert(chosen.end(), {0, classes - 1});
    for (const std::size_t which : chosen) {
      auto problem = this->PlantedIn({which}, vocabulary, k, class_of);
      problem.k = asked_for == 0 ? k : asked_for;
      this->Expect(problem);
    }
  }
};
TYPED_TEST_SUITE(Merge, Variants, VariantNames);

TYPED_TEST(Merge, VocabulariesAroundABlock) {
  for (const std::size_t vocabulary : {128U, 248U, 256U, 264U, 512U, 1000U, 1024U, 1032U, 4096U}) {
    this->ExpectRandom({1, vocabulary, 8});
  }
}

/// A model's vocabulary, but for its tail.
TYPED_TEST(Merge, Vocabulary32000) { this->ExpectRandom({1, 32'000, 5}); }

/// Thread t of 256 has the places t, t + 256, …: all winners in one thread's list.
TYPED_TEST(Merge, StrideOfEachThread) {
  this->ExpectPlanted(256, 256 * 8, 8, [](std::size_t i) { return i % 256; });
}

/// The same for 16 bytes at a time.
TYPED_TEST(Merge, VectorsOfEachThread) {
  constexpr std::size_t kVector = 16 / sizeof(typename TestFixture::Logit);
  constexpr std::size_t kThreads = 128;
  this->ExpectPlanted(kThreads, kThreads * kVector * 2, 8,
                      [](std::size_t i) { return i / kVector % kThreads; });
}

TYPED_TEST(Merge, SliceOfEachThread) {
  this->ExpectPlanted(128, std::size_t{128} * 9, 8, [](std::size_t i) { return i / 9; });
}

TYPED_TEST(Merge, EachLane) {
  this->ExpectPlanted(32, 1600, 8, [](std::size_t i) { return i % 32; });
}

TYPED_TEST(Merge, EachWarp) {
  this->ExpectPlanted(32, 2048, 8, [](std::size_t i) { return i / 32 % 32; });
  this->ExpectPlanted(8, 2104, 8, [](std::size_t i) { return i / 32 % 8; });
}

TYPED_TEST(Merge, EachTile) {
  this->ExpectPlanted(16, 4096, 8, [](std::size_t i) { return i / 256; });
  this->ExpectPlanted(5, std::size_t{5} * 776, 8, [](std::size_t i) { return i / 776; });
}

/// One winner for each of k threads, so that every list gives one.
TYPED_TEST(Merge, OneOfEachThread) {
  for (std::size_t turn = 0; turn < 4; ++turn) {
    this->Expect(this->OneOfEachThreadOf(1, turn));
  }
}

/// The first and last places of blocks of all sizes, and the last of the row.
TYPED_TEST(Merge, EdgesOfTiles) {
  for (std::size_t turn = 0; turn < 6; ++turn) {
    this->Expect(this->OnEdgesOfTiles(1, turn * 3));
  }
}

/// The largest alone is asked for, and its probability tells of the mass of a class elsewhere: sums
/// that lose or repeat a thread, a lane or a tile.
TYPED_TEST(Merge, MassOfEachThread) {
  for (const std::size_t stride : {1U, 4U}) {
    this->ExpectPlanted(256, 2048, 8, [&](std::size_t i) { return i / stride % 256; }, 1);
  }
}

TYPED_TEST(Merge, MassOfTheLastLogits) {
  for (const std::size_t vocabulary : {104U, 264U, 1032U, 2056U, 4088U}) {
    this->Expect(this->WithMassAtTheEnd(1, vocabulary, 5));
  }
}

}  // namespace
}  // namespace assay::softmax_topk
