// SPDX-License-Identifier: Apache-2.0
// Rows that count what checkers found and how many bugs failures are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "score/value_for_test.h"

namespace assay {
namespace {

using State = CriterionValue::State;
using synthetic::MakeCase;
using synthetic::MakeCell;
using synthetic::MakeCriterion;

TEST(DeviceFindingsTest, CountsThoseOfOneCheckerOrAll) {
  Evidence cell = MakeCell("m");
  EXPECT_EQ(ValueOf("device_findings", cell).state, State::kNotMeasured);
  cell.suite.cases = {MakeCase("A", {}, Verdict::kAccepted)};
  cell.suite.metrics["device_cases_right"] = 1;
  EXPECT_EQ(ValueOf("device_findings", cell).value, 0);
  EXPECT_EQ(ValueOf("device_findings", cell).state, State::kMeasured);
  cell.suite.device_findings = {
      {.checker = "racecheck", .text = "read after write at f.cu:3 in F"},
      {.checker = "racecheck", .text = "write after write at f.cu:9 in F"},
      {.checker = "memcheck", .text = "out of bounds at racecheck: .cu:1 in F"}};
  EXPECT_EQ(ValueOf("device_findings", cell).value, 3);
  EXPECT_EQ(ValueOf("device_findings(racecheck)", cell).value, 2);
  EXPECT_EQ(ValueOf("device_findings(initcheck)", cell).value, 0);
}

// What launched nothing right has no findings to lose points with.
TEST(DeviceFindingsTest, OfKernelsThatNeverRanRightAreFailed) {
  Evidence cell = MakeCell("m");
  cell.suite.cases = {MakeCase("A", {}, Verdict::kWrongAnswer),
                      MakeCase("B", {}, Verdict::kAccepted)};
  EXPECT_EQ(ValueOf("device_findings", cell).state, State::kFailed);
  EXPECT_EQ(ValueOf("device_findings(racecheck)", cell).state, State::kFailed);
  EXPECT_EQ(ValueOf("device_findings", cell).note,
            "0 found, and no case in which its kernels ran is right");
  cell.suite.device_lacks = {"textures"};
  EXPECT_EQ(ValueOf("device_findings", cell).state, State::kNotMeasured);
  Criterion row = MakeCriterion("c", "d", "device_findings");
  row.needs = {"f"};
  cell.entry_points = cell.suite.cases[0].answered = {"f"};
  EXPECT_EQ(Evaluate(row, {}, cell).state, State::kFailed) << "it answered, and wrongly";
  cell.suite.device_lacks = {};
  cell.suite.metrics["device_cases_right"] = 1;
  EXPECT_EQ(ValueOf("device_findings", cell).state, State::kMeasured);
}

TEST(SanitizerFindingsTest, EveryState) {
  Evidence cell = MakeCell("m");
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).state, State::kNotMeasured);
  cell.sanitized_suite.cases = {MakeCase("A", {}, Verdict::kAccepted)};
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).state, State::kFailed) << "it answered nothing";
  cell.sanitized_suite.cases[0].answered = {"f"};
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).value, 0);
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).state, State::kMeasured);
  cell.sanitizer_findings = {"leak"};
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).value, 1);
  cell.sanitized.verdict = Verdict::kCompileError;
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).state, State::kFailed);
  cell.sanitized.verdict = Verdict::kSkipped;
  EXPECT_EQ(ValueOf("sanitizer_findings", cell).state, State::kNotMeasured);
}

/// Eight cases, of which the first three fail; the mutant `late` fails the first two of them.
struct DistinctFailuresTest : testing::Test {
  DistinctFailuresTest() {
    for (int i = 0; i < 8; ++i) {
      cell.suite.cases.push_back(MakeCase(std::string("Case.") + static_cast<char>('A' + i), {},
                                          i < 3 ? Verdict::kWrongAnswer : Verdict::kAccepted));
    }
    cell.suite.cases.back().answered = {"f"};
    cell.sanitized_suite.cases = cell.suite.cases;
    Signatures signatures{.shared_digest = "", .runs = 1, .mutants = {}};
    signatures.mutants["late"].cases = {{"Case.A", {{Verdict::kWrongAnswer, 1}}},
                                        {"Case.B", {{Verdict::kWrongAnswer, 1}}}};
    challenge.signatures = signatures;
  }

  [[nodiscard]] CriterionValue Value() const {
    return Evaluate(MakeCriterion("c", "d", "distinct_failures"), challenge, cell);
  }

  Evidence cell = MakeCell("m");
  ChallengeView challenge;
};

TEST_F(DistinctFailuresTest, EachKnownBugTheRestTogetherAndSanitizerFindingsCount) {
  cell.sanitizer_findings = {"heap-buffer-overflow", "leak"};
  EXPECT_EQ(Value().value, 4);
  EXPECT_EQ(Value().note, "1 known bug, 1 case like none, 2 sanitizer findings");
}

TEST_F(DistinctFailuresTest, NothingFailsIsZero) {
  for (CaseEvidence& one : cell.suite.cases) {
    one.verdict = Verdict::kAccepted;
  }
  challenge.signatures.reset();
  EXPECT_EQ(Value().state, State::kMeasured);
  EXPECT_EQ(Value().value, 0);
  cell.sanitizer_findings = {"leak"};
  EXPECT_EQ(Value().value, 1);
}

TEST_F(DistinctFailuresTest, WithoutSignaturesOrSanitizersItIsNotMeasured) {
  challenge.signatures.reset();
  EXPECT_EQ(Value().state, State::kNotMeasured);
  EXPECT_EQ(Value().note, "no signatures of mutants are kept");
  challenge.signatures = Signatures();
  EXPECT_EQ(Value().value, 1);
  cell.sanitized_suite.cases.clear();
  EXPECT_EQ(Value().state, State::kNotMeasured);
}

// What refuses everything fails nowhere.
TEST_F(DistinctFailuresTest, WhatNeverWorkedIsFailed) {
  for (CaseEvidence& one : cell.suite.cases) {
    one = MakeCase(one.name, {}, Verdict::kSkipped, "refused");
  }
  cell.sanitized_suite.cases = cell.suite.cases;
  EXPECT_EQ(Value().state, State::kFailed);
}

TEST_F(DistinctFailuresTest, WhatDoesNotBuildIsFailed) {
  cell.sanitized.verdict = Verdict::kCompileError;
  EXPECT_EQ(Value().state, State::kFailed);
  cell.verdict = cell.release.verdict = Verdict::kCompileError;
  EXPECT_EQ(Value().note, "does not build: compile_error");
}

}  // namespace
}  // namespace assay
