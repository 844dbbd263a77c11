// SPDX-License-Identifier: Apache-2.0
#include "score/work.h"

#include <gtest/gtest.h>

#include "score/scorecard.h"
#include "score/synthetic.h"
#include "score/value.h"

namespace assay {
namespace {

using State = CriterionValue::State;
using synthetic::MakeCase;
using synthetic::MakeCell;
using synthetic::MakeCriterion;

/// A hundred cases that ask for work, of which `f` is asked, and a rubric of one row.
struct WorkTest : testing::Test {
  ChallengeView challenge;
  Evidence cell = MakeCell("m");

  WorkTest() {
    challenge.rubric.work = {"core"};
    cell.entry_points = {"f", "g"};
    cell.statics.code_lines = 300;
    cell.statics.source_code_lines = 200;
    cell.suite.cases.assign(100, MakeCase("A", {"core"}, Verdict::kWrongAnswer));
    for (CaseEvidence& one : cell.suite.cases) {
      one.answered = {"f"};
    }
  }
  void MakeRight(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      cell.suite.cases[i].verdict = Verdict::kAccepted;
    }
  }
  [[nodiscard]] CriterionValue ValueOf(std::string_view expression) const {
    return Evaluate(MakeCriterion("c", "d", expression), challenge, cell);
  }
};

TEST_F(WorkTest, QualityIsEarnedByWorkThatIsRight) {
  EXPECT_EQ(ValueOf("static(code_lines)").state, State::kFailed);
  EXPECT_EQ(ValueOf("static(code_lines)").note,
            "not earned: right in 0 of 100 cases that ask for work");
  MakeRight(5);
  EXPECT_EQ(ValueOf("static(code_lines)").state, State::kFailed);
  MakeRight(8);
  EXPECT_NEAR(ValueOf("static(code_lines)").earned, 0.4, 1e-12);
  EXPECT_EQ(ValueOf("static(code_lines)").note,
            "40 % of the points: right in 8 of 100 cases that ask for work");
  // From here on a bug costs in its own rows alone.
  MakeRight(13);
  EXPECT_DOUBLE_EQ(ValueOf("static(code_lines)").earned, 1);
  EXPECT_EQ(ValueOf("static(code_lines)").note, "");
}

TEST_F(WorkTest, ThePointsOfARowAreThoseThatAreEarned) {
  challenge = synthetic::MakeChallenge({MakeCriterion("c", "d", "static(code_lines)")});
  challenge.rubric.work = {"core"};
  MakeRight(8);
  EXPECT_DOUBLE_EQ(ScoreCell(challenge, cell).overall.value(), 40);
}

TEST_F(WorkTest, ARateKeepsItsValueAndLosesItsPoints) {
  MakeRight(4);
  EXPECT_DOUBLE_EQ(ValueOf("pass_rate(core)").value, 0.04);
  EXPECT_DOUBLE_EQ(ValueOf("pass_rate(core)").earned, 0);
}

TEST_F(WorkTest, OfFewCasesItIsAShareOfTwenty) {
  cell.suite.cases.resize(3);
  MakeRight(3);
  EXPECT_DOUBLE_EQ(ValueOf("static(code_lines)").earned, 1);
  cell.suite.cases.resize(2);
  EXPECT_NEAR(ValueOf("static(code_lines)").earned, 2.0 / 3, 1e-12);
  cell.suite.cases.resize(1);
  EXPECT_EQ(ValueOf("static(code_lines)").state, State::kFailed);
}

// What says that it does not support anything is right in the cases that allow that.
TEST_F(WorkTest, WhatIsAcceptedWithoutAnAnswerIsNoWork) {
  MakeRight(100);
  for (CaseEvidence& one : cell.suite.cases) {
    one.answered.clear();
  }
  EXPECT_EQ(ValueOf("static(code_lines)").state, State::kFailed);
}

TEST_F(WorkTest, OtherCasesAndThoseLeftOutDoNotCount) {
  MakeRight(20);
  for (std::size_t i = 20; i < 60; ++i) {
    cell.suite.cases[i].verdict = Verdict::kSkipped;
  }
  for (std::size_t i = 60; i < 100; ++i) {
    cell.suite.cases[i].tags = {"errors"};
  }
  const Work work = WorkOf(challenge.rubric, cell.suite, {});
  EXPECT_EQ(work.right, 20U);
  EXPECT_EQ(work.wrong, 0U);
  // What was given up is no refusal.
  cell.suite.cases[20].given_up = GiveUpCause::kLimits;
  EXPECT_EQ(WorkOf(challenge.rubric, cell.suite, {}).wrong, 1U);
}

// An optional kernel that does nothing earns nothing, whatever else works.
TEST_F(WorkTest, ARowThatNeedsOperationsIsEarnedByThem) {
  MakeRight(50);
  for (std::size_t i = 50; i < 100; ++i) {
    cell.suite.cases[i].answered = {"g"};
  }
  cell.sanitized_suite = cell.suite;
  Criterion criterion = MakeCriterion("c", "d", "sanitizer_findings");
  criterion.needs = {"f"};
  EXPECT_DOUBLE_EQ(Evaluate(criterion, challenge, cell).earned, 1);
  criterion.needs = {"g"};
  EXPECT_EQ(Evaluate(criterion, challenge, cell).state, State::kFailed);
}

TEST_F(WorkTest, EntryPointsCountWhereTheyAreSeenToWork) {
  MakeRight(50);
  for (std::size_t i = 50; i < 100; ++i) {
    cell.suite.cases[i].answered = {"g"};
  }
  EXPECT_EQ(ValueOf("entry_points(f, g, h)").value, 1);
  cell.suite.device_lacks = {"textures"};
  EXPECT_EQ(ValueOf("entry_points(f, g, h)").value, 1) << "what is wrong was seen";
  for (std::size_t i = 50; i < 100; ++i) {
    cell.suite.cases[i] = MakeCase("A", {"core"}, Verdict::kSkipped);
  }
  EXPECT_EQ(ValueOf("entry_points(f, g, h)").value, 2) << "it had no chance to be seen";
}

// A kernel that uses one texture is not free to be wrong in all others.
TEST_F(WorkTest, WhatTheDeviceLacksExcusesNoWrongAnswer) {
  Criterion criterion = MakeCriterion("c", "d", "metric(reads)");
  cell.suite.device_lacks = {"textures"};
  criterion.needs = {"g"};
  EXPECT_TRUE(IsBeyondDevice(criterion, cell.suite));
  criterion.needs = {"f", "g"};
  EXPECT_FALSE(IsBeyondDevice(criterion, cell.suite));
  for (CaseEvidence& one : cell.suite.cases) {
    one.verdict = Verdict::kSkipped;
  }
  EXPECT_TRUE(IsBeyondDevice(criterion, cell.suite));
  cell.suite.device_lacks.clear();
  EXPECT_FALSE(IsBeyondDevice(criterion, cell.suite));
}

// Doing more costs nothing.
TEST_F(WorkTest, LinesAreOfTheOperationsThatWork) {
  MakeRight(50);
  EXPECT_DOUBLE_EQ(ValueOf("static(code_lines_per_operation)").value, 200);
  for (CaseEvidence& one : cell.suite.cases) {
    one.answered = {"f", "g"};
  }
  EXPECT_DOUBLE_EQ(ValueOf("static(code_lines_per_operation)").value, 100);
  EXPECT_EQ(ValueOf("static(code_lines_per_operation)").note,
            "200 lines without tests, 2 operations");
}

TEST_F(WorkTest, WhatDoesNotBuildEarnsNothing) {
  MakeRight(100);
  cell.verdict = cell.release.verdict = Verdict::kCompileError;
  EXPECT_EQ(ValueOf("static(code_lines)").state, State::kFailed);
  EXPECT_EQ(ValueOf("static(code_lines)").note, "not earned: it does not build");
}

TEST_F(WorkTest, WhatHadNoChanceLosesNothing) {
  cell.suite.device_lacks = {"textures"};
  EXPECT_EQ(ValueOf("static(code_lines)").value, 300);
  cell.suite.device_lacks.clear();
  cell.suite.cases.clear();
  EXPECT_EQ(ValueOf("static(code_lines)").value, 300);
}

// Tests run on code that is not the submission's, and answers are about the problem.
TEST_F(WorkTest, TestsAndAnswersNeedNoWork) {
  cell.own_tests.mutants_killed = {"drops_nan"};
  EXPECT_DOUBLE_EQ(ValueOf("own_tests(mutants_killed)").earned, 1);
  EXPECT_EQ(ValueOf("own_tests(mutants_killed)").value, 1);
}

}  // namespace
}  // namespace assay
