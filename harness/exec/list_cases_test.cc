// SPDX-License-Identifier: Apache-2.0
#include "exec/list_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CaseList, NamesOfPlainAndParameterisedCases) {
  EXPECT_THAT(ParseCaseList("Running main() from gmock_main.cc\n"
                            "Core.\n  One\n  Two\n"
                            "Edge/f32.  # TypeParam = float\n  NanInX\n"
                            "Heads/HeadSize.\n  IsRight/1  # GetParam() = 1\n"),
              ElementsAre("Core.One", "Core.Two", "Edge/f32.NanInX", "Heads/HeadSize.IsRight/1"));
}

TEST(CaseList, WhatIsNoListHasNoCases) {
  EXPECT_THAT(ParseCaseList(""), IsEmpty());
  EXPECT_THAT(ParseCaseList("  Indented\nplain words\n  Below\n"), IsEmpty());
}

TEST(CaseList, SuiteThatListsNothingIsNamed) {
  const auto cases = ListCases("/bin/true");
  ASSERT_FALSE(cases.has_value());
  EXPECT_EQ(cases.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(ToString(cases.error()), AllOf(HasSubstr("/bin/true"), HasSubstr("lists no cases")));
}

}  // namespace
}  // namespace assay
