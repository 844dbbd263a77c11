// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/commands_for_test.h"
#include "published/small_study.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CommandsTest, CheckReportsAllFaultsAndEndsWith2) {
  const auto check = [&] { return Run([&] { return RunCheck({.common = common_}, console_); }); };
  EXPECT_EQ(check(), 0);
  EXPECT_EQ(out_.str(), "No faults; challenges: 1, models: 2, submissions: 2, cells graded: 0\n");
  files_.Replace("submissions/wrong/adder/submission.yaml", "[add.cc]", "[none.cc]");
  files_.Replace("submissions/right/model.yaml", "The right one", "a|b");
  EXPECT_EQ(check(), 2);
  EXPECT_THAT(err_.str(),
              AllOf(HasSubstr("submissions/right/model.yaml:2"),
                    HasSubstr("wrong/adder/submission.yaml:2"), HasSubstr("2 faults found")));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(check(), 2);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["errors"].size(), 2U);
}

TEST_F(CommandsTest, CheckRefusesAnEdgeThatDiffersWithoutACause) {
  files_.Write(kSmallStudyPath, kSmallStudy);
  RunGrade();
  // Both have the same lines, so that the published edge differs.
  files_.Replace(kSmallStudyPath, "{row: Lines, a: \"10\", b: \"20\", edge: tie",
                 "{row: Code, a: \"10\", b: \"20\", edge: wrong");
  files_.Replace(kSmallStudyPath, "row: Lines, cause", "row: Sums, cause");
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 2);
  EXPECT_THAT(err_.str(), HasSubstr("reports/published/small.yaml:23: row \"Code\" of adder in "
                                    "right vs wrong: the measured edge is another"));
}

// They were read for the edges of studies alone: where there is a study, and no other fault.
TEST_F(CommandsTest, CheckNamesFaultsOfReviewsAndAnchors) {
  files_.Write("reports/reviews/ada/adder/right.yaml", "schema: 1\n");
  files_.Write("reports/anchors/adder/baseline.json", "{");
  const auto says = AllOf(HasSubstr("assay: reports/reviews/ada/adder/right.yaml"),
                          HasSubstr("assay: reports/anchors/adder/baseline.json"));
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 2);
  EXPECT_THAT(err_.str(), says);
  const std::string alone = err_.str();
  files_.Write(kSmallStudyPath, kSmallStudy);
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 2);
  EXPECT_EQ(err_.str(), alone) << "with a study each is named once too";
}

TEST_F(CommandsTest, HostileNameDoesNotReachTheTerminal) {
  files_.Write("submissions/a\x1b[2Jb/model.yaml", "schema: 1\n");
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 2);
  EXPECT_THAT(err_.str(), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace assay
