// SPDX-License-Identifier: Apache-2.0
#include "grade/run_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "grade/recorder_for_test.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// A program in the place of the suite: a script that finds its results file in the arguments.
class RunSuiteTest : public testing::Test {
 protected:
  Result<RunResults> Run(const std::string& body) {
    const fs::path program = folder_.path() / "suite";
    EXPECT_TRUE(WriteFileAtomically(
        program,
        "#!/bin/sh\nfor a in \"$@\"; do case $a in --assay_results=*) out=${a#*=};; esac; done\n" +
            body));
    fs::permissions(program, fs::perms::owner_all);
    return RunSuite({.program = program,
                     .host = "/none",
                     .baseline = "/none",
                     .limits = {},
                     .arguments = {},
                     .time_limit = std::chrono::seconds(20)},
                    folder_.path(), recorder_);
  }
  std::string WriteResults(const RunResults& results) {
    EXPECT_TRUE(WriteFileAtomically(folder_.path() / "ready.json", RunResultsToJson(results)));
    return "cp " + (folder_.path() / "ready.json").string() + " \"$out\"\n";
  }

  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::path(testing::TempDir()), "run_suite").value();
  Recorder recorder_;
};

TEST_F(RunSuiteTest, ReadsResultsAndProgress) {
  RunResults wanted;
  wanted.suite.metrics["tensors_saved"] = 3;
  const auto got =
      Run("echo '@case 1 2 A.b accepted'\necho noise\nprintf '@case 2 2 A.c wr'\n"
          "echo ong_answer\n" +
          WriteResults(wanted));
  ASSERT_TRUE(got) << ToString(got.error());
  EXPECT_EQ(*got, wanted);
  EXPECT_THAT(recorder_.heard, testing::ElementsAre("1/2 A.b", "2/2 A.c"));
}

TEST_F(RunSuiteTest, ASuiteThatDiesIsOurFault) {
  const auto got = Run("echo last words >&2\nkill -SEGV $$\n");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(got.error().cause, testing::HasSubstr("signal 11"));
  EXPECT_THAT(got.error().cause, testing::HasSubstr("last words"));
}

TEST_F(RunSuiteTest, ResultsOfASuiteThatFailedAfterwardsDoNotCount) {
  EXPECT_FALSE(Run(WriteResults({}) + "exit 3\n"));
  RunResults failed;
  failed.judge_error = "no host";
  const auto got = Run(WriteResults(failed));
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().cause, testing::HasSubstr("no host"));
}

TEST_F(RunSuiteTest, ResultsOfARunBeforeAreNotThoseOfOneThatLeftNone) {
  ASSERT_TRUE(Run(WriteResults({})));
  EXPECT_FALSE(Run("exit 0\n"));
}

/// Each would have left cases out, of whoever had them in the environment.
TEST_F(RunSuiteTest, WhatAFrameworkReadsInOurEnvironmentDoesNotReachTheSuite) {
  for (const char* const name : {"GTEST_FILTER", "GTEST_TOTAL_SHARDS", "BENCHMARK_FILTER"}) {
    ASSERT_EQ(::setenv(name, "2", 1), 0);
  }
  ASSERT_TRUE(Run("env >seen\n" + WriteResults({})));
  for (const char* const name : {"GTEST_FILTER", "GTEST_TOTAL_SHARDS", "BENCHMARK_FILTER"}) {
    ::unsetenv(name);
  }
  const auto seen = ReadFile(folder_.path() / "seen");
  ASSERT_TRUE(seen);
  EXPECT_THAT(*seen, testing::HasSubstr("PATH="));
  EXPECT_THAT(*seen, testing::Not(testing::HasSubstr("GTEST_")));
  EXPECT_THAT(*seen, testing::Not(testing::HasSubstr("BENCHMARK_")));
}

TEST(CaseProgressTest, OnlyWholeProgressLinesCount) {
  EXPECT_EQ(ParseCaseProgress("@case 3 10 Gradient.One accepted"),
            (CaseProgress{.done = 3, .total = 10, .name = "Gradient.One"}));
  EXPECT_FALSE(ParseCaseProgress("@case x 10 a b"));
  EXPECT_FALSE(ParseCaseProgress("@case 3"));
  EXPECT_FALSE(ParseCaseProgress("case 3 10 a b"));
}

}  // namespace
}  // namespace assay
