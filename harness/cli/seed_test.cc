// SPDX-License-Identifier: Apache-2.0
#include "cli/seed.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Seed, IsAWholeNumberThatEveryReaderOfJsonKeeps) {
  EXPECT_EQ(ParseSeed("0"), 0U);
  EXPECT_EQ(ParseSeed("9007199254740991"), kLargestSeed);
  for (const char* wrong : {"", "9007199254740992", "18446744073709551615", "-1", "+1", "1.5", "1 ",
                            "0x10", "99999999999999999999"}) {
    EXPECT_EQ(ParseSeed(wrong), std::nullopt) << wrong;
  }
}

TEST(Seed, FreshOnesFitAndDiffer) {
  const std::uint64_t first = FreshSeed();
  std::uint64_t all = first;
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t next = FreshSeed();
    differs = differs || next != first;
    all |= next;
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(all, kLargestSeed) << "of a hundred seeds, each bit is set in one";
}

}  // namespace
}  // namespace assay
