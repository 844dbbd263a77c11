// SPDX-License-Identifier: Apache-2.0
#include "evidence/derived.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

TEST(WasGivenUp, IsNoMatterOfWords) {
  CaseEvidence one;
  one.verdict = Verdict::kSkipped;
  one.detail = "not run after 3 cases in a row";
  EXPECT_FALSE(WasGivenUp(one));
  one.given_up = GiveUpCause::kLimits;
  one.detail = "other words";
  EXPECT_TRUE(WasGivenUp(one));
  one.verdict = Verdict::kTimeLimit;  // It was run, if not to its end.
  EXPECT_FALSE(WasGivenUp(one));
}

TEST(SameWords, CaseAndTheSpaceAroundDoNotCount) {
  EXPECT_TRUE(SameWords(" Memory\t", "memory"));
  EXPECT_FALSE(SameWords("mem ory", "memory"));
  EXPECT_TRUE(SameWords("  ", ""));
}

TEST(NumberOf, IsAllOfTheText) {
  EXPECT_EQ(NumberOf("4.1e7"), 4.1e7);
  EXPECT_FALSE(NumberOf("4 bytes"));
  EXPECT_FALSE(NumberOf(""));
  EXPECT_FALSE(NumberOf("inf"));
  EXPECT_FALSE(NumberOf("14,381"));
}

TEST(NumberOf, MayBeSpeltAsYamlLetsANumberBe) {
  for (const char* text : {"+14381", " 14381\n", "14_381", "+1.4381e+4", "14381."}) {
    EXPECT_EQ(NumberOf(text), 14381) << text;
  }
  for (const char* text : {"+", "+-1", "++1", "_1", "1_", "1__0", "1_.5", "- 1"}) {
    EXPECT_FALSE(NumberOf(text)) << text;
  }
}

TEST(ClaimHolds, WithinAHundredthOfWhatWasMeasured) {
  EXPECT_TRUE(ClaimHolds(101, 100));
  EXPECT_FALSE(ClaimHolds(102, 100));
  EXPECT_TRUE(ClaimHolds(0, 0));
  EXPECT_FALSE(ClaimHolds(0, std::nullopt));
  EXPECT_FALSE(ClaimHolds(1, std::numeric_limits<double>::quiet_NaN()));
}

TEST(WarningsPer1000Lines, CountsByTheLine) { EXPECT_EQ(WarningsPer1000Lines(3, 500), 6); }

}  // namespace
}  // namespace assay
