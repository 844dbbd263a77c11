// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands_for_test.h"
#include "published/small_study.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(CommandsTest, ReportCheckIsQuietOnWhatReportWrote) {
  RunGrade();
  EXPECT_EQ(RunReport(ReportMode::kCheck), 0);
  EXPECT_EQ(err_.str(), "");
  EXPECT_EQ(RunReport(ReportMode::kWrite), 0);
  EXPECT_THAT(out_.str(), ::testing::StartsWith("0 of "));
}

TEST_F(CommandsTest, PublishedStudiesAreCheckedAndPrinted) {
  files_.Write(kSmallStudyPath, kSmallStudy);
  RunGrade();
  EXPECT_THAT(Content("reports/published.md"), HasSubstr("# Published: small\n"));
  EXPECT_THAT(Content("reports/calibration.md"), HasSubstr("## Row by row"));
  EXPECT_THAT(Content("reports/README.md"), AllOf(HasSubstr("[published.md](published.md)"),
                                                  HasSubstr("[calibration.md](calibration.md)")));
  EXPECT_EQ(RunReport(ReportMode::kCheck), 0);
  EXPECT_EQ(Content(std::string(kSmallStudyPath)), kSmallStudy);
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 0) << err_.str();
  files_.Replace(kSmallStudyPath, "measured_by: [sums]", "measured_by: [sum]");
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 2);
  EXPECT_THAT(err_.str(),
              HasSubstr("reports/published/small.yaml:22: adder has no criterion \"sum\""));
}

TEST_F(CommandsTest, AStudyThatCannotBeReadIsAnErrorOfReportToo) {
  files_.Write(kSmallStudyPath, "schema: 1\n");
  EXPECT_EQ(RunReport(ReportMode::kWrite), 2);
  EXPECT_THAT(err_.str(), HasSubstr("reports/published/small.yaml:1: study is missing"));
}

TEST_F(CommandsTest, ReportCheckNamesEveryDifferenceAndEndsWith1) {
  RunGrade();
  files_.Write("reports/scoreboard.md", Generated("edited by hand\n"));
  files_.Write("reports/matchups/old.md", Generated(""));
  fs::remove(files_.root() / "reports/README.md");
  files_.Write("reports/README.md", "by somebody\n");
  fs::remove(files_.root() / "reports/challenges/adder.md");
  files_.Write("submissions/wrong/adder/add.cc", "// changed\n");
  EXPECT_EQ(RunReport(ReportMode::kCheck), 1);
  EXPECT_THAT(err_.str(),
              AllOf(HasSubstr("reports/scoreboard.md: differs"),
                    HasSubstr("reports/matchups/old.md: comes from no evidence"),
                    HasSubstr("reports/README.md: is in the way of a report"),
                    HasSubstr("reports/challenges/adder.md: is missing"),
                    HasSubstr("reports/evidence/adder/wrong.json: is of a submission that")));
  EXPECT_THAT(Content("reports/scoreboard.md"), ::testing::EndsWith("edited by hand\n"));
}

TEST_F(CommandsTest, ReportRemovesWhatAssayWroteAloneAndSaysSo) {
  RunGrade();
  files_.Write("reports/notes.md", "my own notes\n");
  files_.Write("reports/matchups/picture.svg", "<svg/>");
  files_.Write("reports/matchups/old.md", Generated(""));
  EXPECT_EQ(RunReport(ReportMode::kWrite), 0);
  EXPECT_THAT(out_.str(),
              AllOf(HasSubstr("reports/matchups/old.md: removed, comes from no evidence\n"),
                    HasSubstr(" changed, 1 removed\n")));
  EXPECT_FALSE(fs::exists(files_.root() / "reports/matchups/old.md"));
  EXPECT_EQ(Content("reports/notes.md"), "my own notes\n");
  EXPECT_EQ(Content("reports/matchups/picture.svg"), "<svg/>");
  EXPECT_EQ(RunReport(ReportMode::kCheck), 0);
}

TEST_F(CommandsTest, ReportWritesNothingWhereSomebodysFileIsInTheWay) {
  RunGrade();
  files_.Write("reports/scoreboard.md", "my own\n");
  files_.Write("reports/matchups/old.md", Generated(""));
  EXPECT_EQ(RunReport(ReportMode::kWrite), 2);
  EXPECT_THAT(err_.str(), HasSubstr("reports/scoreboard.md: is in the way of a report"));
  EXPECT_EQ(Content("reports/scoreboard.md"), "my own\n");
  EXPECT_TRUE(fs::exists(files_.root() / "reports/matchups/old.md"));
}

TEST_F(CommandsTest, EvidenceEditedByHandIsShownAndRankedNowhere) {
  RunGrade();
  EXPECT_THAT(Content("reports/scoreboard.md"), HasSubstr("The wrong one"));
  const std::string path = "reports/evidence/adder/wrong.json";
  std::string edited = Content(path);
  const std::string before = "wrong_answer";
  for (std::size_t at = 0; (at = edited.find(before, at)) != std::string::npos;) {
    edited.replace(at, before.size(), "accepted");
  }
  files_.Write(path, edited);
  const auto says = HasSubstr(path +
                              ": suite.cases[0].verdict says accepted; what follows is a "
                              "failure of Sum.Small, from its detail");
  EXPECT_EQ(RunReport(ReportMode::kCheck), 1);
  EXPECT_THAT(err_.str(), AllOf(says, HasSubstr("files of reports/ differ from what is left"),
                                Not(HasSubstr("differs from what evidence gives"))));
  EXPECT_EQ(RunReport(ReportMode::kWrite), 1);
  EXPECT_THAT(err_.str(),
              AllOf(says, HasSubstr("assay grade --force"), HasSubstr("1 cell is in no ranking")));
  EXPECT_THAT(
      Content("reports/scoreboard.md"),
      AllOf(
          HasSubstr("wrong/adder](evidence/adder/wrong.json): evidence does not hold: suite.cases"),
          Not(HasSubstr("The wrong one"))));
  EXPECT_EQ(RunReport(ReportMode::kCheck), 1) << "until the evidence holds";
  EXPECT_EQ(Run([&] { return RunCheck({.common = common_}, console_); }), 2);
  EXPECT_THAT(err_.str(), says);
  RunGrade();
  EXPECT_EQ(requests_.size(), 1U);
  EXPECT_EQ(RunReport(ReportMode::kCheck), 0);
}

TEST_F(CommandsTest, ReportIsRefusedWhereEvidenceCannotBeListed) {
  RunGrade();
  const fs::path evidence = files_.root() / "reports/evidence/adder";
  fs::rename(evidence, files_.root() / "kept");
  fs::create_directory_symlink("adder", evidence);
  EXPECT_EQ(RunReport(ReportMode::kCheck), 2);
  EXPECT_THAT(err_.str(), HasSubstr("reports/evidence/adder: cannot be listed"));
}

TEST_F(CommandsTest, BrokenEvidenceIsNamedAndEndsReportWith1) {
  RunGrade();
  files_.Write("reports/evidence/adder/right.json", "{");
  EXPECT_EQ(RunReport(ReportMode::kWrite), 1);
  EXPECT_THAT(err_.str(), HasSubstr("assay: reports/evidence/adder/right.json"));
  EXPECT_THAT(Content("reports/scoreboard.md"),
              HasSubstr("right/adder](evidence/adder/right.json): evidence does not hold"));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(RunReport(ReportMode::kWrite), 1);
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_TRUE(json["undrawn"].is_array());
  EXPECT_TRUE(json["errors"].is_array());
  ASSERT_EQ(json["unsound"].size(), 1U);
  EXPECT_EQ(json["unsound"][0]["where"], "reports/evidence/adder/right.json");
}

}  // namespace
}  // namespace assay
