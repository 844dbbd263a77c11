// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands.h"
#include "cli/fake_grade_services.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A repository with two cells, one right and one wrong.
class RobustnessCommandTest : public ::testing::Test {
 protected:
  RobustnessCommandTest() {
    files_.Write("reference/adder/oracle.cc", "// oracle\n");
    files_.Write("harness/host/host.cc", "// host\n");
    files_.Write("build/inputs/adder.sources", "harness/host/host.cc\nreference/adder/oracle.cc\n");
    common_.root = files_.root();
  }

  void Grade() {
    GradeServices services = FakeGradeServices(files_.root());
    services.grade_cell = [](const CellRequest& request, ProgressSink&) -> Result<Evidence> {
      return EvidenceOf(request, request.submission.model == "right" ? Verdict::kAccepted
                                                                     : Verdict::kWrongAnswer);
    };
    EXPECT_EQ(RunGrade({.common = common_}, services, console_), 0) << err_.str();
    out_.str("");
  }

  int Run(std::vector<std::string> challenges = {}, int draws = kWeightDraws) {
    out_.str("");
    return RunRobustness(
        {.common = common_, .challenges = std::move(challenges), .weight_draws = draws}, console_);
  }

  TemporaryRepository files_;
  CommonOptions common_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(RobustnessCommandTest, SaysHowOftenEachRankHoldsAndWhatEachRowTellsApart) {
  Grade();
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("WEIGHTS"), HasSubstr("The right one"),
                                HasSubstr("all ranks at once"), HasSubstr("1 of 1"),
                                Not(HasSubstr("Over all"))));
  EXPECT_EQ(Run({"adder"}), 0);
}

TEST_F(RobustnessCommandTest, JsonSaysTheSame) {
  Grade();
  common_.format = OutputFormat::kJson;
  EXPECT_EQ(Run({}, 50), 0);
  const auto document = nlohmann::json::parse(out_.str());
  EXPECT_EQ(document["weight_draws"], 50);
  EXPECT_EQ(document["seeds"], kSeeds);
  EXPECT_EQ(document["rankings"][0]["challenge"], "adder");
  EXPECT_EQ(document["rankings"][0]["ranks"][0]["model"], "right");
  EXPECT_EQ(document["rankings"][0]["ranks"][0]["held"]["weights"], nlohmann::json({1.0, 1.0}));
  EXPECT_EQ(document["rows"][0]["pairs"], 1);
}

TEST_F(RobustnessCommandTest, AnUnknownChallengeIsNamedBesideTheNearest) {
  EXPECT_EQ(Run({"addr"}), 2);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("there is no challenge \"addr\""), HasSubstr("adder")));
}

TEST_F(RobustnessCommandTest, WithNothingGradedThereIsNoRanking) {
  EXPECT_EQ(Run(), 0);
  EXPECT_THAT(out_.str(), HasSubstr("nothing is graded yet"));
}

}  // namespace
}  // namespace assay
