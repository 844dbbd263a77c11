// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/commands_for_test.h"
#include "published/small_study.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(CommandsTest, ExplainOfACellThatIsNotGradedSaysHowTo) {
  const auto explain = [&] {
    return Run([&] { return RunExplain({.common = common_, .cell = "wrong/adder"}, console_); });
  };
  EXPECT_EQ(explain(), 0) << err_.str();
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("wrong/adder is not graded yet"),
                                HasSubstr("assay grade wrong/adder"), HasSubstr("assay try ")));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(explain(), 0);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["grade"], "assay grade wrong/adder");
}

TEST_F(CommandsTest, ExplainLeadsToTheCase) {
  RunGrade();
  const auto explain = [&](std::string cell, std::optional<std::string> criterion) {
    return Run([&] {
      return RunExplain({.common = common_, .cell = cell, .criterion = criterion}, console_);
    });
  };
  EXPECT_EQ(explain("wrong/adder", std::nullopt), 0);
  EXPECT_THAT(out_.str(), HasSubstr("Sum.Small"));
  EXPECT_EQ(explain("wrong", "sums"), 0);
  EXPECT_THAT(out_.str(), HasSubstr("Sum.Small"));
  EXPECT_EQ(explain("wrong/adder", "sumz"), 2);
  EXPECT_EQ(explain("wrnog/adder", std::nullopt), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean \"wrong/adder\"?"));
}

TEST_F(CommandsTest, WhatOtherModelsContradictIsNeitherExplainedNorListedAsIfItHeld) {
  RunGrade();
  files_.Replace("reports/evidence/adder/wrong.json", "\"sum\"", "\"more\"");
  const auto says = AllOf(HasSubstr("reports/evidence/adder/wrong.json: suite.cases[0].tags says"),
                          HasSubstr("in right; evidence is not edited"));
  for (const std::string word : {"wrong/adder", "wrong"}) {
    EXPECT_EQ(Run([&] { return RunExplain({.common = common_, .cell = word}, console_); }), 2);
    EXPECT_THAT(err_.str(), says);
    EXPECT_EQ(out_.str(), "");
  }
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_THAT(out_.str(), AllOf(says, HasSubstr("right/adder  accepted")));
}

// As the scoreboard does: else the mean of what is left could be above what it would be.
TEST_F(CommandsTest, ExplainOfAModelWhoseEvidenceDoesNotHoldHasNoRank) {
  RunGrade();
  files_.Write("reports/evidence/sums/right.json", "{");
  EXPECT_EQ(Run([&] { return RunExplain({.common = common_, .cell = "right"}, console_); }), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("no rank of 2, average —"),
                                HasSubstr("so that there is no average and no rank")));
}

TEST_F(CommandsTest, ExplainOfACellWhoseSignatureDoesNotHoldEndsWith2) {
  RunGrade();
  files_.Write(".ci/allowed_signers", "");
  files_.Write("reports/evidence/adder/wrong.json.sig", "none\n");
  EXPECT_EQ(Run([&] { return RunExplain({.common = common_, .cell = "wrong"}, console_); }), 2);
  EXPECT_THAT(err_.str(), HasSubstr("adder/wrong.json: its signature is none of ssh"));
}

TEST_F(CommandsTest, ExplainReachesWhatSeveralCellsMake) {
  RunGrade();
  files_.Write(kSmallStudyPath, kSmallStudy);
  const auto explain = [&](const std::string& what, std::optional<std::string> criterion = {}) {
    return Run([&] {
      return RunExplain({.common = common_, .cell = what, .criterion = criterion}, console_);
    });
  };
  EXPECT_EQ(explain("right_vs_wrong"), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("points, "));
  EXPECT_EQ(explain("adder"), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("assay explain wrong/adder"));
  EXPECT_EQ(explain("adder", "sums"), 0) << err_.str();
  EXPECT_EQ(explain("calibration"), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("rows compared"));
  EXPECT_EQ(explain("calibration", "sums"), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("assay explain right/adder sums"));
  EXPECT_EQ(explain("calibration", "Colour"), 2);
  EXPECT_EQ(explain("right_vs_gpt"), 2);
  EXPECT_EQ(explain("gpt"), 2);
  common_.format = OutputFormat::kJson;
  for (const std::string what : {"right_vs_wrong", "adder", "calibration"}) {
    EXPECT_EQ(explain(what), 0) << err_.str();
    EXPECT_TRUE(nlohmann::json::accept(out_.str())) << what;
  }
}

// Each was passed over without a word.
TEST_F(CommandsTest, ExplainRefusesWhatItWouldPassOver) {
  RunGrade();
  const auto explain = [&](ExplainOptions options) {
    options.common = common_;
    return Run([&] { return RunExplain(options, console_); });
  };
  EXPECT_EQ(explain({.cell = "right_vs_wrong", .criterion = "no_such_row"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("\"no_such_row\" is one; leave it out; assay compare right "
                                    "wrong has every row"));
  for (const std::string word : {"right_vs_wrong", "adder", "calibration"}) {
    EXPECT_EQ(explain({.cell = word, .rows = ExplainedRows::kAll}), 2) << word;
    EXPECT_THAT(err_.str(), HasSubstr("assay: --all: is for a cell, and")) << word;
  }
  EXPECT_EQ(explain({.cell = "right", .rows = ExplainedRows::kAll}), 0) << err_.str();
}

// It threw, and ended as if Assay had failed.
TEST_F(CommandsTest, ExplainNeedsNoWorkingDirectory) {
  const auto before = std::filesystem::current_path();
  std::filesystem::create_directories(files_.root() / "gone");
  std::filesystem::current_path(files_.root() / "gone");
  std::filesystem::remove(files_.root() / "gone");
  const int exit_code =
      Run([&] { return RunExplain({.common = common_, .cell = "wrong/adder"}, console_); });
  std::filesystem::current_path(before);
  EXPECT_EQ(exit_code, 0) << err_.str();
  EXPECT_THAT(out_.str(),
              HasSubstr("assay try " + (files_.root() / "submissions/wrong/adder").string()));
}

}  // namespace
}  // namespace assay
