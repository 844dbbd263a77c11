// SPDX-License-Identifier: Apache-2.0
#include "evidence/verdict.h"

#include <gtest/gtest.h>

#include <set>

namespace assay {
namespace {

TEST(VerdictTest, NamesAreDistinctAndReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Verdict::kJudgeError); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_TRUE(names.insert(ToString(verdict)).second) << ToString(verdict);
    EXPECT_EQ(VerdictFromString(ToString(verdict)), verdict);
  }
}

TEST(GiveUpCauseTest, NamesAreDistinctAndReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(GiveUpCause::kRunLimit); ++i) {
    const auto cause = static_cast<GiveUpCause>(i);
    EXPECT_TRUE(names.insert(ToString(cause)).second) << ToString(cause);
    EXPECT_EQ(GiveUpCauseFromString(ToString(cause)), cause);
  }
  EXPECT_EQ(GiveUpCauseFromString("skipped"), std::nullopt);
}

TEST(SkipCauseTest, NamesAreDistinctAndReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(SkipCause::kNotAsked); ++i) {
    const auto cause = static_cast<SkipCause>(i);
    EXPECT_TRUE(names.insert(ToString(cause)).second) << ToString(cause);
    EXPECT_EQ(SkipCauseFromString(ToString(cause)), cause);
  }
  EXPECT_EQ(SkipCauseFromString("skipped"), std::nullopt);
}

TEST(VerdictTest, OtherTextIsNoVerdict) {
  EXPECT_EQ(VerdictFromString("AC"), std::nullopt);
  EXPECT_EQ(VerdictFromString(""), std::nullopt);
}

TEST(VerdictTest, GravestOfTwo) {
  EXPECT_EQ(Gravest(Verdict::kAccepted, Verdict::kSkipped), Verdict::kAccepted);
  EXPECT_EQ(Gravest(Verdict::kRejected, Verdict::kJudgeError), Verdict::kJudgeError);
}

}  // namespace
}  // namespace assay
