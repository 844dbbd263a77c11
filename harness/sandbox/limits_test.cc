// SPDX-License-Identifier: Apache-2.0
// Limits: who goes over ends with the limit's name, who stays under passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "process/interrupt.h"
#include "sandbox/testcase.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = ExitStatus::Kind;
using testing::AllOf;
using testing::Ge;
using testing::Lt;

class LimitTest : public testing::TestWithParam<SandboxLevel> {};
INSTANTIATE_TEST_SUITE_P(Levels, LimitTest,
                         testing::Values(SandboxLevel::kNone, SandboxLevel::kReduced,
                                         SandboxLevel::kFull),
                         LevelName);

/// Of a process's first thread, as proc(5) has it: S is asleep.
char State(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  return line.at(line.rfind(')') + 2);
}

TEST_P(LimitTest, ComputingForEverIsATimeLimit) {
  SandboxRequest request = TestcaseRequest("spin");
  request.limits.wall = std::chrono::milliseconds(200);
  const Outcome outcome = RunInside(GetParam(), request);
  EXPECT_EQ(outcome.status.kind, Kind::kTimeLimit);
  EXPECT_GT(outcome.status.cpu_time, std::chrono::milliseconds(1));
}

TEST_P(LimitTest, SleepingForEverIsATimeLimitAtTheCallersDeadline) {
  auto process = Spawn(GetParam(), TestcaseRequest("sleep"));
  ASSERT_TRUE(process) << ToString(process.error());
  EXPECT_EQ(process->TryWait(), std::nullopt);
  EXPECT_EQ(process->WaitUntil(Clock::now() + std::chrono::milliseconds(100)).kind,
            Kind::kTimeLimit);
  EXPECT_EQ(process->TryWait()->kind, Kind::kTimeLimit);
}

TEST_P(LimitTest, AllocatingWithoutEndIsAMemoryLimit) {
  SandboxRequest request = TestcaseRequest("allocate", {"0"});
  request.limits.memory_bytes = std::int64_t{256} << 20;
  const Outcome outcome = RunInside(GetParam(), request);
  EXPECT_EQ(outcome.status.kind, Kind::kMemoryLimit) << ToString(outcome.status) << outcome.output;
}

TEST_P(LimitTest, AllocatingWithinTheLimitPasses) {
  SandboxRequest request = TestcaseRequest("allocate", {std::to_string(1 << 30)});
  request.limits.memory_bytes = std::int64_t{1280} << 20;
  const Outcome outcome = RunInside(GetParam(), request);
  EXPECT_EQ(ToString(outcome.status), "exit code 0") << outcome.output;
  EXPECT_THAT(outcome.status.peak_bytes,
              AllOf(Ge(std::int64_t{1} << 30), Lt(std::int64_t{1280} << 20)));
}

TEST_P(LimitTest, FloodingTheOutputIsAnOutputLimit) {
  SandboxRequest request = TestcaseRequest("fill_output");
  request.limits.output_bytes = 10'000;
  const Outcome outcome = RunInside(GetParam(), request);
  EXPECT_EQ(outcome.status.kind, Kind::kOutputLimit) << ToString(outcome.status);
  EXPECT_EQ(outcome.output, std::string(10'000, 'x'));
}

TEST_P(LimitTest, OutputOfAToolIsCutWhileItsFilesMayBeLarger) {
  SandboxRequest request = TestcaseRequest("fill_output");
  request.policy = SyscallPolicy::kTool;
  request.limits.output_bytes = 10'000;
  request.limits.wall = std::chrono::milliseconds(200);
  const Outcome outcome = RunInside(GetParam(), request);
  EXPECT_EQ(outcome.status.kind, Kind::kTimeLimit) << ToString(outcome.status);
  EXPECT_LE(outcome.output.size(), 10'000);
  EXPECT_GT(outcome.output.size(), 4'000);
}

TEST_P(LimitTest, CpuTimeCountsEveryThreadAndStopsWhenAllSleep) {
  auto process = Spawn(GetParam(), TestcaseRequest("burn", {"50"}));
  ASSERT_TRUE(process) << ToString(process.error());
  while (process->Output() != "burnt\n" && !process->TryWait()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (State(process->pid()) != 'S') {  // Until it has reached pause().
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto used = process->CpuTime();
  EXPECT_GE(used, std::chrono::milliseconds(100));
  // What another program burns meanwhile is not its own.
  SandboxRequest other = TestcaseRequest("spin");
  other.limits.wall = std::chrono::milliseconds(50);
  EXPECT_EQ(RunInside(GetParam(), other).status.kind, Kind::kTimeLimit);
  EXPECT_LT(process->CpuTime() - used, std::chrono::milliseconds(5));
}

TEST_P(LimitTest, AnonymousBytesFollowTheProgram) {
  auto process = Spawn(GetParam(), TestcaseRequest("sleep"));
  ASSERT_TRUE(process) << ToString(process.error());
  EXPECT_THAT(process->AnonymousBytes(), AllOf(Ge(4096), Lt(std::int64_t{64} << 20)));
  EXPECT_FALSE(process->OverMemoryLimit());
  process->Kill();
  EXPECT_EQ(process->TryWait()->kind, Kind::kKilled);
  EXPECT_EQ(process->AnonymousBytes(), 0);
}

TEST_P(LimitTest, PinnedProgramRunsOnItsProcessor) {
  SandboxRequest request = TestcaseRequest("sleep");
  request.processors = {0};
  auto process = Spawn(GetParam(), request);
  ASSERT_TRUE(process) << ToString(process.error());
  cpu_set_t set;
  ASSERT_EQ(::sched_getaffinity(process->pid(), sizeof set, &set), 0);
  EXPECT_EQ(CPU_COUNT(&set), 1);
  EXPECT_TRUE(CPU_ISSET(0, &set));
}

TEST_P(LimitTest, ExitEventIsReadableOnceItEnded) {
  auto process = Spawn(GetParam(), TestcaseRequest("exit_code", {"0"}));
  ASSERT_TRUE(process) << ToString(process.error());
  pollfd event = {.fd = process->exit_event_fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&event, 1, 10'000), 1);
  EXPECT_EQ(ToString(*process->TryWait()), "exit code 0");
}

TEST_P(LimitTest, InterruptEndsTheWait) {
  const InterruptScope scope;
  auto process = Spawn(GetParam(), TestcaseRequest("sleep"));
  ASSERT_TRUE(process) << ToString(process.error());
  ASSERT_EQ(::raise(SIGTERM), 0);
  EXPECT_EQ(process->WaitUntil(Clock::time_point::max()).kind, Kind::kInterrupted);
}

}  // namespace
}  // namespace assay
