// SPDX-License-Identifier: Apache-2.0
#include "cli/cell_reason.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CellReason, OfABuildThatFailedIsTheCompilersFirstError) {
  Evidence evidence;
  evidence.verdict = Verdict::kCompileError;
  evidence.release.verdict = Verdict::kCompileError;
  evidence.release.diagnostics =
      "a.cc: In function 'int f()':\na.cc:3:1: error: expected ';'\n  3 |";
  evidence.verdict_detail = "build: " + evidence.release.diagnostics;
  EXPECT_EQ(ReasonOf(evidence), "a.cc:3:1: error: expected ';'");
}

TEST(CellReason, ElseTheCaseAndWhatItSaid) {
  Evidence evidence;
  evidence.release.verdict = Verdict::kAccepted;
  evidence.verdict = Verdict::kWrongAnswer;
  evidence.verdict_detail = "Edge.Nan: dx[3] is off";
  EXPECT_EQ(ReasonOf(evidence), "Edge.Nan: dx[3] is off");
  evidence.verdict = Verdict::kAccepted;
  EXPECT_EQ(ReasonOf(evidence), "");
}

TEST(CellReason, IsOneShortLineThatDrivesNoTerminal) {
  Evidence evidence;
  evidence.release.verdict = Verdict::kAccepted;
  evidence.verdict = Verdict::kWrongAnswer;
  evidence.verdict_detail = "Edge.Nan: \x1b[31mred\nsecond" + std::string(5000, 'x');
  const std::string reason = ReasonOf(evidence);
  EXPECT_THAT(reason, Not(HasSubstr("\x1b")));
  EXPECT_THAT(reason, Not(HasSubstr("\n")));
  EXPECT_LT(reason.size(), 400U);
}

}  // namespace
}  // namespace assay
