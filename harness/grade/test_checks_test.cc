// SPDX-License-Identifier: Apache-2.0
#include "grade/test_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SandboxedRun Exited(int status, std::string output) {
  return {.status = {.kind = ExitStatus::Kind::kExited, .code_or_signal = status},
          .output = std::move(output)};
}
SandboxedRun Died(std::string output) {
  return {.status = {.kind = ExitStatus::Kind::kSignaled, .code_or_signal = 11},
          .output = std::move(output)};
}

const std::string kEnd(kComesToItsEnd);
const std::string kExit(kExitStatusIsZero);

TEST(ReadTestChecksTest, ExitStatusIsACheckOfEveryProgram) {
  EXPECT_EQ(ReadTestChecks(Exited(0, "all is well\n")),
            (TestChecks{.passed = {kEnd, kExit}, .failed = {}}));
  EXPECT_EQ(ReadTestChecks(Exited(3, "")), (TestChecks{.passed = {kEnd}, .failed = {kExit}}));
  EXPECT_EQ(ReadTestChecks(Died("")), (TestChecks{.passed = {}, .failed = {kEnd, kExit}}));
}

TEST(ReadTestChecksTest, LinesOfTheTestAnythingProtocol) {
  const TestChecks checks = ReadTestChecks(
      Exited(1,
             "TAP version 14\n1..9\nok causal mask\nnot ok   gqa \r\nok 3 - one token\nok 4\n"
             "ok 5 edge # exact\nnot ok later # TODO soon\nok bf16 # skip none here\n"
             "    not ok inner\nokay\nok: no\nnot okay\n# not ok remark\nok\n"));
  EXPECT_THAT(checks.passed, ElementsAre(kEnd, "4", "8", "causal mask", "edge", "one token"));
  EXPECT_THAT(checks.failed, ElementsAre(kExit, "gqa"));
}

TEST(ReadTestChecksTest, NameThatFailsOnceIsFailed) {
  EXPECT_THAT(ReadTestChecks(Exited(0, "ok a\nnot ok a\nok a\n")).passed, ElementsAre(kEnd, kExit));
}

bool Finds(const SandboxedRun& itself, const SandboxedRun& baseline, const SandboxedRun& mutant) {
  const ExpectedChecks expected = Expect(ReadTestChecks(itself), ReadTestChecks(baseline));
  EXPECT_TRUE(expected.can_tell);
  return FindsBug(expected, ReadTestChecks(mutant));
}

TEST(FindsBugTest, WithoutNamesTheExitStatusTells) {
  EXPECT_FALSE(Finds(Exited(0, ""), Exited(0, ""), Exited(0, "")));
  EXPECT_TRUE(Finds(Exited(0, ""), Exited(0, ""), Exited(1, "")));
  EXPECT_TRUE(Finds(Exited(0, ""), Exited(0, ""), Exited(1, "not ok a\n")));
  EXPECT_TRUE(Finds(Exited(0, ""), Exited(0, ""), Died("")));
}

// One check that failed on the baseline cost 25 of 29 kills.
TEST(FindsBugTest, CheckThatFailsOnTheBaselineIsLeftOutAndTheOthersTell) {
  const SandboxedRun itself = Exited(0, "ok a\nok b\n");
  const SandboxedRun baseline = Exited(1, "ok a\nnot ok b\n");
  EXPECT_FALSE(Finds(itself, baseline, Exited(1, "ok a\nnot ok b\n")));
  EXPECT_FALSE(Finds(itself, baseline, Exited(0, "ok a\nok b\n")));
  EXPECT_TRUE(Finds(itself, baseline, Exited(1, "not ok a\nnot ok b\n")));
  EXPECT_TRUE(Finds(itself, baseline, Exited(1, "not ok b\n"))) << "a is not there";
  EXPECT_TRUE(Finds(itself, baseline, Died("ok a\n")));
  EXPECT_THAT(Expect(ReadTestChecks(itself), ReadTestChecks(baseline)).left_out, ElementsAre("b"));
}

// A check that always fails, called by a hash of what was computed, would be new on every mutant.
TEST(FindsBugTest, CheckThatOnlyTheMutantNamesSaysNothing) {
  EXPECT_FALSE(Finds(Exited(1, "ok a\nnot ok sum 1.5\n"), Exited(1, "ok a\nnot ok sum 1.6\n"),
                     Exited(1, "ok a\nnot ok sum 1.7\n")));
  EXPECT_FALSE(Finds(Exited(0, "ok error 1e-7\n"), Exited(0, "ok error 2e-7\n"),
                     Exited(0, "ok error 3e-7\n")));
}

TEST(ExpectTest, ProgramThatFailsWithoutACheckThatPassesTellsNothing) {
  const auto can_tell = [](const SandboxedRun& itself, const SandboxedRun& baseline) {
    return Expect(ReadTestChecks(itself), ReadTestChecks(baseline)).can_tell;
  };
  EXPECT_FALSE(can_tell(Exited(0, ""), Exited(1, "")));
  EXPECT_FALSE(can_tell(Exited(1, "not ok a\n"), Exited(0, "ok a\n")));
  EXPECT_FALSE(can_tell(Exited(0, "ok a\n"), Died("ok a\n")));
  EXPECT_FALSE(Expect(ReadTestChecks(Exited(0, "")), TestChecks()).can_tell) << "does not link";
  EXPECT_TRUE(can_tell(Exited(1, "ok a\nnot ok b\n"), Exited(1, "ok a\nnot ok c\n")));
  EXPECT_THAT(Expect(TestChecks(), TestChecks()).passed, IsEmpty());
}

}  // namespace
}  // namespace assay
