// SPDX-License-Identifier: Apache-2.0
#include "wire/protocol.h"

#include <gtest/gtest.h>

namespace assay::wire {
namespace {

TEST(ElementTypeOf, EachTypeHasItsOwn) {
  EXPECT_EQ(ElementTypeOf<signed char>(), ElementType::kI8);
  EXPECT_EQ(ElementTypeOf<std::uint8_t>(), ElementType::kU8);
  EXPECT_EQ(ElementTypeOf<std::int16_t>(), ElementType::kI16);
  EXPECT_EQ(ElementTypeOf<std::uint16_t>(), ElementType::kU16);
  EXPECT_EQ(ElementTypeOf<int>(), ElementType::kI32);
  EXPECT_EQ(ElementTypeOf<unsigned>(), ElementType::kU32);
  EXPECT_EQ(ElementTypeOf<std::int64_t>(), ElementType::kI64);
  EXPECT_EQ(ElementTypeOf<std::size_t>(), ElementType::kU64);
  EXPECT_EQ(ElementTypeOf<float>(), ElementType::kF32);
  EXPECT_EQ(ElementTypeOf<double>(), ElementType::kF64);
}

TEST(Control, MailboxesShareNoCacheLine) {
  EXPECT_EQ(offsetof(Control, to_host) % 64, 0u);
  EXPECT_EQ(offsetof(Control, to_client) % 64, 0u);
  EXPECT_EQ(offsetof(Mailbox, frame) % 64, 0u);
}

TEST(FrameBytes, GrowsByWholeElements) {
  EXPECT_EQ(ASSAY_WIRE_FRAME_BYTES(ReturnFrame, saved, 0), 16u);
  EXPECT_EQ(ASSAY_WIRE_FRAME_BYTES(ReturnFrame, saved, 2), 16u + 2 * sizeof(Tensor));
}

}  // namespace
}  // namespace assay::wire
