// SPDX-License-Identifier: Apache-2.0
// All of a row is asked for, k being its vocabulary, and much of it is equal: by itself, as tag
// `edge` has it, and in several longer rows, tag `combinations`. A row that is only to be sorted
// may go another way, on which nothing but the order of its ties is left to get wrong.

#include <cstddef>
#include <initializer_list>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class SortedRows : public VariantTest<Variant> {
 protected:
  /// Up to what is refused, of which the first skips the case. Each value a fifth of a row.
  void ExpectSorted(std::size_t rows, std::initializer_list<std::size_t> sizes) {
    for (const std::size_t size : sizes) {
      auto problem = this->Constant({rows, size, size}, 0);
      for (auto& logit : problem.logits) {
        logit = this->Near(static_cast<double>(this->random()() % 5) / 4);
      }
      if (this->template Try<Variant>(problem, {}) != VariantTest<Variant>::Outcome::kRefused) {
        continue;
      }
      if (size == *sizes.begin()) {
        this->Skip("the shortest of these rows is refused");
      }
      return;
    }
  }
};

template <class Variant>
class WholeRows : public SortedRows<Variant> {
 protected:
  void SetUp() override {
    SortedRows<Variant>::SetUp();
    this->template TagFor<Variant>({"edge"});
  }
};
TYPED_TEST_SUITE(WholeRows, Variants, VariantNames);

TYPED_TEST(WholeRows, WithTies) { this->ExpectSorted(1, {7, 16, 17, 32, 33, 64, 65, 96}); }

template <class Variant>
class LongWholeRows : public SortedRows<Variant> {
 protected:
  void SetUp() override {
    SortedRows<Variant>::SetUp();
    this->template TagFor<Variant>({"combinations"});
  }
};
TYPED_TEST_SUITE(LongWholeRows, Variants, VariantNames);

TYPED_TEST(LongWholeRows, WithTies) { this->ExpectSorted(3, {100, 257, 700}); }

}  // namespace
}  // namespace assay::softmax_topk
