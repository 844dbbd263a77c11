// SPDX-License-Identifier: Apache-2.0
// Several rows whose threads' finds have to be merged: tag `combinations`. The winners of each row
// lie in another class of positions (suite_planted.h), all classes in one call; and calls of
// different shapes one after the other.

#include <numeric>
#include <vector>

#include "suite_planted.h"
#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class MergeOfRows : public PlantedTest<Variant> {
 protected:
  void SetUp() override {
    PlantedTest<Variant>::SetUp();
    this->template TagFor<Variant>({"combinations"});
  }

  /// A row for each of `classes`.
  Problem<typename Variant::Logit> Planted(std::size_t classes, std::size_t vocabulary,
                                           std::size_t k,
                                           const typename PlantedTest<Variant>::ClassOf& class_of) {
    std::vector<std::size_t> all(classes);
    std::iota(all.begin(), all.end(), 0);
    return this->PlantedIn(all, vocabulary, k, class_of);
  }
};
TYPED_TEST_SUITE(MergeOfRows, Variants, VariantNames);

TYPED_TEST(MergeOfRows, EachThread) {
  constexpr std::size_t kVector = 16 / sizeof(typename TestFixture::Logit);
  this->ExpectAnywhere(
      this->Planted(256, std::size_t{256} * 8, 8, [](std::size_t i) { return i % 256; }));
  this->ExpectAnywhere(
      this->Planted(128, 128 * kVector * 2, 8, [](std::size_t i) { return i / kVector % 128; }));
  this->ExpectAnywhere(
      this->Planted(128, std::size_t{128} * 9, 8, [](std::size_t i) { return i / 9; }));
}

TYPED_TEST(MergeOfRows, EachWarp) {
  this->ExpectAnywhere(this->Planted(32, 2048, 8, [](std::size_t i) { return i / 32 % 32; }));
  this->ExpectAnywhere(this->Planted(8, 2100, 8, [](std::size_t i) { return i / 32 % 8; }));
}

TYPED_TEST(MergeOfRows, EachTile) {
  this->ExpectAnywhere(this->Planted(16, 4096, 8, [](std::size_t i) { return i / 256; }));
  this->ExpectAnywhere(
      this->Planted(5, std::size_t{5} * 777, 8, [](std::size_t i) { return i / 777; }));
}

TYPED_TEST(MergeOfRows, OneOfEachThread) { this->ExpectAnywhere(this->OneOfEachThreadOf(4, 0)); }
TYPED_TEST(MergeOfRows, EdgesOfTiles) { this->ExpectAnywhere(this->OnEdgesOfTiles(19, 0)); }

TYPED_TEST(MergeOfRows, MassOfEachThread) {
  for (const std::size_t stride : {1U, 4U}) {
    auto problem = this->Planted(256, 2048, 8, [&](std::size_t i) { return i / stride % 256; });
    problem.k = 1;
    this->ExpectAnywhere(problem);
  }
}

TYPED_TEST(MergeOfRows, MassOfTheLastLogits) {
  for (const std::size_t vocabulary : {33U, 259U, 1030U, 2049U, 4093U}) {
    this->ExpectAnywhere(this->WithMassAtTheEnd(6, vocabulary, 0));
  }
}

/// Several rows in a block, or not, as they grow longer.
TYPED_TEST(MergeOfRows, RowsOfMiddleLength) {
  this->ExpectRandomAnywhere({6, 700, 5});
  this->ExpectRandomAnywhere({33, 301, 8});
  this->ExpectRandomAnywhere({64, 1024, 5});
  this->ExpectRandomAnywhere({300, 130, 4});
}

TYPED_TEST(MergeOfRows, ListsOf32) {
  this->ExpectAnywhere(
      this->Planted(32, std::size_t{256} * 32, 32, [](std::size_t i) { return i % 256 / 8; }));
}
TYPED_TEST(MergeOfRows, ListsOf100) {
  this->ExpectAnywhere(this->Planted(4, 12'800, 100, [](std::size_t i) { return i % 128 / 32; }));
}
/// More than any thread, or any warp, has of them by itself.
TYPED_TEST(MergeOfRows, ListsOf300) { this->ExpectRandomAnywhere({3, 5000, 300}); }

TYPED_TEST(MergeOfRows, NoDriftOverManyCalls) {
  for (int i = 0; i < 20; ++i) {
    this->Expect(this->Random({4, 333, 6}));
  }
}

/// Scratch, flags and shared memory of a longer call, with larger logits, must not show in the
/// next. Few long rows behind many short ones are dealt out by another plan.
TYPED_TEST(MergeOfRows, ShapesInTurn) {
  for (int i = 0; i < 2; ++i) {
    this->ExpectRandomAnywhere({9, 3000, 8}, {.offset = 50});
    this->ExpectRandomAnywhere({2, 70, 8});
    this->ExpectRandomAnywhere({150, 60, 4}, {.offset = 50});
    this->ExpectRandomAnywhere({2, 20'000, 4}, {.offset = -50});
    this->ExpectRandomAnywhere({40, 20, 1});
  }
}

}  // namespace
}  // namespace assay::softmax_topk
