// SPDX-License-Identifier: Apache-2.0
#include "process/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "process/interrupt.h"

namespace assay {
namespace {

using testing::HasSubstr;

Command Shell(const std::string& script) {
  Command command;
  command.argv = {"sh", "-c", script};
  return command;
}

TEST(RunTest, OutputAndErrorsAreKeptApart) {
  const auto result = RunToCompletion(Shell("echo out; echo err >&2; exit 4"));
  ASSERT_TRUE(result) << ToString(result.error());
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_EQ(result->exit.code_or_signal, 4);
  EXPECT_FALSE(result->timed_out);
  EXPECT_FALSE(result->output_truncated);
}

TEST(RunTest, StandardInputArrivesWhole) {
  Command command = Shell("wc -c");
  command.input = std::string(1 << 20, 'x');
  const auto result = RunToCompletion(command);
  ASSERT_TRUE(result) << ToString(result.error());
  EXPECT_EQ(result->output, "1048576\n");
}

TEST(RunTest, OutputOverTheLimitIsCutAndTheProgramStillEnds) {
  Command command = Shell("head -c 1000000 /dev/zero");
  command.output_limit_bytes = 1000;
  const auto result = RunToCompletion(command);
  ASSERT_TRUE(result) << ToString(result.error());
  EXPECT_EQ(result->output.size(), 1000U);
  EXPECT_TRUE(result->output_truncated);
  EXPECT_EQ(result->exit.code_or_signal, 0);
}

TEST(RunTest, TimeLimitKills) {
  Command command = Shell("echo started; exec sleep 600");
  command.time_limit = std::chrono::milliseconds(200);
  const auto result = RunToCompletion(command);
  ASSERT_TRUE(result) << ToString(result.error());
  EXPECT_TRUE(result->timed_out);
  EXPECT_EQ(result->output, "started\n");
  EXPECT_EQ(result->exit.code_or_signal, SIGKILL);
}

TEST(RunTest, GrandchildThatKeepsThePipeOpenDoesNotHoldUp) {
  const auto result = RunToCompletion(Shell("sleep 600 & echo done"));
  ASSERT_TRUE(result) << ToString(result.error());
  EXPECT_EQ(result->output, "done\n");
}

TEST(RunTest, PiecesOfOutputArePassedOn) {
  std::string heard;
  Command command = Shell("echo a; echo b");
  command.on_output = [&](std::string_view piece) { heard += piece; };
  const auto result = RunToCompletion(command);
  ASSERT_TRUE(result) << ToString(result.error());
  EXPECT_EQ(heard, "a\nb\n");
}

TEST(RunTest, MissingProgramIsAnErrorWithARemedy) {
  Command command;
  command.argv = {"no-such-program-anywhere"};
  const auto result = RunToCompletion(command);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().cause, HasSubstr("no-such-program-anywhere"));
  EXPECT_THAT(result.error().remedy, HasSubstr("install it"));
}

TEST(RunTest, InterruptEndsTheRun) {
  const InterruptScope scope;
  Command command = Shell("echo started; exec sleep 600");
  command.on_output = [](std::string_view) { ::kill(::getpid(), SIGINT); };
  const auto result = RunToCompletion(command);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().cause, HasSubstr("interrupted by signal 2"));
}

}  // namespace
}  // namespace assay
