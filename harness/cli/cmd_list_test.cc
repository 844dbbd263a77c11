// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands_for_test.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CommandsTest, ListSaysWhichFileMadeACellStale) {
  RunGrade();
  files_.Write("harness/host/host.cc", "// edited\n");
  files_.Write("submissions/wrong/adder/add.cc", "// edited\n");
  const auto list = [&] {
    return Run([&] { return RunList({.common = common_}, services_, console_); });
  };
  EXPECT_EQ(list(), 0);
  EXPECT_THAT(
      out_.str(),
      AllOf(HasSubstr("right/adder  accepted      97.0   stale: harness/host/host.cc changed\n"),
            HasSubstr("wrong/adder  wrong_answer  30.3   stale: submissions/wrong/adder/add.cc "
                      "changed, and 1 more\n")));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(list(), 0);
  const auto cell = nlohmann::json::parse(out_.str())["cells"][1];
  EXPECT_EQ(cell["holds"], false);
  EXPECT_EQ(cell["changes"][1], "harness/host/host.cc changed");
}

TEST_F(CommandsTest, ListNamesEvidenceWhoseSubmissionIsGone) {
  RunGrade();
  fs::remove_all(files_.root() / "submissions/wrong");
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_THAT(out_.str(),
              HasSubstr("wrong/adder  wrong_answer  30.3   stale: its submission is gone; assay rm "
                        "wrong/adder removes the evidence\n"));
}

// That its evidence can go, and the folder with it, was said of one whose yaml is at fault.
TEST_F(CommandsTest, ListCallsASubmissionAtFaultNotGone) {
  RunGrade();
  files_.Write("submissions/wrong/adder/submission.yaml", "schema: 1\n");
  const auto list = [&] {
    return Run([&] { return RunList({.common = common_}, services_, console_); });
  };
  EXPECT_EQ(list(), 0);
  EXPECT_THAT(out_.str(),
              AllOf(HasSubstr("wrong/adder  wrong_answer  30.3   cannot be checked: it, "
                              "or its challenge, is at fault; assay check says how\n"),
                    Not(HasSubstr("assay rm"))));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(list(), 0);
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_TRUE(json["cells"][1]["holds"].is_null());
  EXPECT_THAT(json["errors"][0]["where"].get<std::string>(),
              HasSubstr("submissions/wrong/adder/submission.yaml"));
}

TEST_F(CommandsTest, ListNamesUnsoundEvidenceWhoseSubmissionIsGone) {
  RunGrade();
  fs::remove_all(files_.root() / "submissions/wrong");
  files_.Write("reports/evidence/adder/wrong.json", "{");
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_THAT(out_.str(),
              HasSubstr("wrong/adder  unsound   -      does not hold: its submission is "
                        "gone; assay rm wrong/adder removes the evidence\n"));
}

TEST_F(CommandsTest, ListSaysWhyACellCannotBeChecked) {
  RunGrade();
  fs::remove(files_.root() / "build/inputs/adder.sources");
  files_.Write("reports/evidence/adder/wrong.json", "{");
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("right/adder  accepted  97.0   cannot be checked: "),
                                HasSubstr("adder.digests: does not exist"),
                                HasSubstr("wrong/adder  unsound   -      does not hold: "
                                          "reports/evidence/adder/wrong.json")));
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_TRUE(nlohmann::json::parse(out_.str())["cells"][0]["holds"].is_null());
  EXPECT_EQ(nlohmann::json::parse(out_.str())["cells"][1]["holds"], false);
}

TEST_F(CommandsTest, ListShowsEachCellWithTheVerdictOnRecord) {
  RunGrade({.cells = {"right"}});
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_EQ(out_.str(),
            "CHALLENGE  TITLE  LANGUAGES\n"
            "adder      Adder  c++\n"
            "\n"
            "MODEL  NAME\n"
            "right  The right one\n"
            "wrong  The wrong one\n"
            "\n"
            "CELL         VERDICT     SCORE  EVIDENCE\n"
            "right/adder  accepted    97.0   holds\n"
            "wrong/adder  not graded  -\n");
}

TEST_F(CommandsTest, ListPaintsVerdictsOnATerminal) {
  RunGrade();
  console_.colour = Colour::kOn;
  EXPECT_EQ(Run([&] { return RunList({.common = common_}, services_, console_); }), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("\x1b[32maccepted\x1b[0m "),
                                HasSubstr("\x1b[31mwrong_answer\x1b[0m "), HasSubstr(" VERDICT ")));
}

}  // namespace
}  // namespace assay
