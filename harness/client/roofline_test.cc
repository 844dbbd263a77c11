// SPDX-License-Identifier: Apache-2.0
#include "client/roofline.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr double kInTheFirstCache_bytes = 1 << 14;
constexpr double kInNoCacheOfACore_bytes = 1 << 26;

// How much slower is the machine's: on a busy one both may be measured alike.
TEST(CopyBandwidthsTest, MemoryThatNoCoreHoldsIsNeverFaster) {
  CopyBandwidths copies;
  const double far = copies.Of(kInNoCacheOfACore_bytes);
  EXPECT_GT(far, 0);
  EXPECT_GE(copies.Of(kInTheFirstCache_bytes), far);
}

TEST(CopyBandwidthsTest, IsMeasuredOnceForAPowerOfTwo) {
  CopyBandwidths copies;
  const double first = copies.Of(kInTheFirstCache_bytes);
  EXPECT_EQ(copies.Of(kInTheFirstCache_bytes), first);
  EXPECT_EQ(copies.Of(2 * kInTheFirstCache_bytes - 1), first);
}

TEST(CopyBandwidthsTest, TakesAnySize) {
  CopyBandwidths copies;
  EXPECT_EQ(copies.Of(0), copies.Of(kInTheFirstCache_bytes));
  EXPECT_EQ(copies.Of(1e15), copies.Of(kInNoCacheOfACore_bytes));
}

}  // namespace
}  // namespace assay
