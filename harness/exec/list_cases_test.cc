// SPDX-License-Identifier: Apache-2.0
#include "exec/list_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary.h"

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

TEST(CaseSources, NamesAndTheFilesTheyStandIn) {
  EXPECT_THAT(
      ParseCaseSources(R"({"testsuites": [{"name": "Edge\/f32", "testsuite": [)"
                       R"({"name": "NanInX", "file": "..\/..\/a\/suite_edge.cc", "line": 2}]}]})"),
      ElementsAre(CaseSource{"Edge/f32.NanInX", "suite_edge.cc", 2}));
}

TEST(CaseSources, WhatIsNoSuchDocumentHasNone) {
  for (const char* text : {"", "{", "[]", R"({"testsuites": 3})",
                           R"({"testsuites": [{"name": "A", "testsuite": [{"name": "B"}]}]})"}) {
    EXPECT_THAT(ParseCaseSources(text), IsEmpty()) << text;
  }
}

TEST(CaseSources, SuiteThatWritesNoneIsNamed) {
  const auto scratch = TemporaryDirectory::Create(std::filesystem::temp_directory_path(), "cases");
  const auto cases = ListCaseSources("/bin/true", scratch->path());
  ASSERT_FALSE(cases.has_value());
  EXPECT_THAT(ToString(cases.error()), AllOf(HasSubstr("/bin/true"), HasSubstr("lists no cases")));
}

TEST(CaseList, SuiteThatListsNothingIsNamed) {
  const auto cases = ListCases("/bin/true");
  ASSERT_FALSE(cases.has_value());
  EXPECT_EQ(cases.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(ToString(cases.error()), AllOf(HasSubstr("/bin/true"), HasSubstr("lists no cases")));
}

}  // namespace
}  // namespace assay
