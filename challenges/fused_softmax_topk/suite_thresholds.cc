// SPDX-License-Identifier: Apache-2.0
// Sizes behind which an implementation may go another way: around every power of two, one less and
// one more, up to what interface.h asks for; and primes, which no tile divides. Each is plain in
// all else: many rows of few logits (tag `rows`), a single row with its winners in one warp, or one
// list in it (tag `sweep`).

#include <algorithm>
#include <cstddef>
#include <vector>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

/// The powers of two from 2^first to 2^last, with one less and one more; none over `most`.
std::vector<std::size_t> AroundPowers(int first, int last, std::size_t most) {
  std::vector<std::size_t> sizes;
  for (int exponent = first; exponent <= last; ++exponent) {
    const std::size_t power = std::size_t{1} << exponent;
    for (const std::size_t size : {power - 1, power, power + 1}) {
      if (size <= most) {
        sizes.push_back(size);
      }
    }
  }
  return sizes;
}

template <class Variant>
class RowThresholds : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"rows"});
    this->UseOneSchedule();
  }
};
TYPED_TEST_SUITE(RowThresholds, Variants, VariantNames);

TYPED_TEST(RowThresholds, RowsAroundPowersOfTwo) {
  for (const std::size_t rows : AroundPowers(2, this->sanitized() ? 10 : 13, 1U << 13U)) {
    const std::size_t k = 1 + this->random()() % 3;
    this->ExpectRandom({rows, k + this->random()() % 3, k});
  }
}

/// As a router chooses among a few experts for each of thousands of tokens.
TYPED_TEST(RowThresholds, ThousandsOfRowsOfFewLogits) {
  this->ExpectRandom({5003, 8, 2});
  this->ExpectRandom({7001, 16, 4});
}

template <class Variant>
class SizeThresholds : public VariantTest<Variant> {
 protected:
  using Outcome = typename VariantTest<Variant>::Outcome;

  /// In the contract.
  static constexpr std::size_t kLargestVocabulary = 262'144;
  static constexpr std::size_t kLargestK = 1024;

  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"sweep"});
    this->UseOneSchedule();
  }

  /// Whether it was answered; what was must be right.
  bool Answers(Shape shape) {
    const auto problem = this->RandomForOneWarp(shape, {.scale = 3});
    const Outcome outcome = this->template Try<Variant>(problem, {});
    return outcome != Outcome::kRefused;
  }

  /// All of them up to the first that is refused; one at least.
  void ExpectUpToRefused(const std::vector<Shape>& shapes) {
    for (const Shape shape : shapes) {
      if (Answers(shape)) {
        continue;
      }
      if (shape.vocabulary == shapes.front().vocabulary && shape.k == shapes.front().k) {
        this->Skip("the least of these sizes is refused");
      }
      return;
    }
  }
};
TYPED_TEST_SUITE(SizeThresholds, Variants, VariantNames);

TYPED_TEST(SizeThresholds, VocabulariesAroundPowersOfTwo) {
  const int last = this->sanitized() ? 14 : 18;
  std::vector<Shape> shapes;
  for (const std::size_t vocabulary : AroundPowers(2, last, TestFixture::kLargestVocabulary)) {
    shapes.push_back({1, vocabulary, std::min<std::size_t>(vocabulary, 1 + this->random()() % 8)});
  }
  this->ExpectUpToRefused(shapes);
}

TYPED_TEST(SizeThresholds, PrimeVocabularies) {
  std::vector<Shape> shapes;
  for (const std::size_t vocabulary : {131U, 769U, 3079U, 12'289U, 49'157U, 98'317U}) {
    shapes.push_back({1, vocabulary, 7});
  }
  this->ExpectUpToRefused(shapes);
}

TYPED_TEST(SizeThresholds, ListsAroundPowersOfTwo) {
  std::vector<Shape> shapes;
  for (const std::size_t k : AroundPowers(1, 10, TestFixture::kLargestK)) {
    shapes.push_back({1, 2 * k + 700 + this->random()() % 64, k});
  }
  this->ExpectUpToRefused(shapes);
}

/// The same in a row that an implementation may have to share out.
TYPED_TEST(SizeThresholds, ListsOfLongRows) {
  std::vector<Shape> shapes;
  for (const std::size_t k : {7U, 9U, 31U, 33U, 50U, 64U, 65U, 100U, 101U, 129U, 257U, 1000U}) {
    shapes.push_back({1, 36'000 + this->random()() % 6000, k});
  }
  this->ExpectUpToRefused(shapes);
}

}  // namespace
}  // namespace assay::softmax_topk
