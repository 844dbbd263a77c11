// SPDX-License-Identifier: Apache-2.0
// Work that is still on the stream when a call begins, and brings its logits: tag `integrity`.
// Against work on another stream that does not wait for it, and against code that takes a busy
// stream for one that failed.

#include <cstdint>

#include "suite_support.h"

namespace assay::softmax_topk {
namespace {

template <class Variant>
class Streams : public VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest<Variant>::SetUp();
    this->template TagFor<Variant>({"integrity"});
    this->UseOneSchedule();
    this->InputsComeLate();
  }

  void ExpectOnBoth(Shape shape) {
    for (const std::uint32_t kind : {0U, 1U}) {
      this->Expect(this->RandomForOneWarp(shape), {.stream_kind = kind});
    }
  }
};
TYPED_TEST_SUITE(Streams, DeviceVariants, VariantNames);

TYPED_TEST(Streams, ShortRow) { this->ExpectOnBoth({1, kPlainVocabulary, 8}); }
TYPED_TEST(Streams, LongRow) { this->ExpectOnBoth({1, 16'384, 8}); }
TYPED_TEST(Streams, LongList) { this->ExpectOnBoth({1, 3000, 300}); }

/// Each call's logits come behind the call before it.
TYPED_TEST(Streams, CallsInTurn) {
  for (const std::size_t vocabulary : {16'384U, 96U, 16'384U, 2048U}) {
    this->ExpectOnBoth({1, vocabulary, 8});
  }
}

}  // namespace
}  // namespace assay::softmax_topk
