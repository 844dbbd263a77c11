// SPDX-License-Identifier: Apache-2.0
// No way of ending leaves a process: each program holds one end of a pipe, and the other end sees
// the end of file only when the last of them is gone.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <tuple>

#include "base/unique_fd.h"
#include "process/subprocess.h"
#include "sandbox/testcase.h"

namespace assay {
namespace {

using testing::HasSubstr;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Pipe MakePipe() {
  std::array<int, 2> ends = {-1, -1};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  return {.read = UniqueFd(ends[0]), .write = UniqueFd(ends[1])};
}

/// Whether the last writer is gone within `milliseconds`.
bool EndOfFile(const UniqueFd& pipe, int milliseconds) {
  pollfd event = {.fd = pipe.get(), .events = 0, .revents = 0};
  return ::poll(&event, 1, milliseconds) == 1 && (event.revents & POLLHUP) != 0;
}

class LifetimeTest : public testing::TestWithParam<std::tuple<SandboxLevel, SyscallPolicy>> {
 protected:
  [[nodiscard]] static SandboxLevel Level() { return std::get<0>(GetParam()); }
  [[nodiscard]] static SyscallPolicy Policy() { return std::get<1>(GetParam()); }
  [[nodiscard]] static std::string Program() {
    return Policy() == SyscallPolicy::kHost ? "sleep" : "orphan_and_sleep";
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, LifetimeTest,
    testing::Combine(testing::Values(SandboxLevel::kNone, SandboxLevel::kReduced,
                                     SandboxLevel::kFull),
                     testing::Values(SyscallPolicy::kHost, SyscallPolicy::kTool)),
    [](const auto& parameter) {
      return std::string(ToString(std::get<0>(parameter.param))) +
             (std::get<1>(parameter.param) == SyscallPolicy::kHost ? "_host" : "_tool");
    });

TEST_P(LifetimeTest, DestructorLeavesNoProcess) {
  Pipe pipe = MakePipe();
  SandboxRequest request = TestcaseRequest(Program());
  request.policy = Policy();
  request.fds = {{.outside = pipe.write.get(), .inside = 3}};
  {
    const auto process = Spawn(Level(), request);
    ASSERT_TRUE(process) << ToString(process.error());
    pipe.write.Reset();
    EXPECT_FALSE(EndOfFile(pipe.read, 0));
  }
  EXPECT_TRUE(EndOfFile(pipe.read, 0));
}

TEST_P(LifetimeTest, HarnessThatIsKilledLeavesNoProcess) {
  Pipe pipe = MakePipe();
  Pipe output = MakePipe();
  const std::string folder = ASSAY_TESTCASES;
  auto harness = Subprocess::Start(
      {.argv = {folder + "/abandon", std::string(ToString(Level())),
                Policy() == SyscallPolicy::kHost ? "host" : "tool", folder + "/" + Program()},
       .environment = std::nullopt,
       .working_directory = {},
       .descriptors = {{.ours = output.write.get(), .child = 1},
                       {.ours = pipe.write.get(), .child = 3}},
       .processors = {},
       .cgroup_entries = {}});
  ASSERT_TRUE(harness) << ToString(harness.error());
  pipe.write.Reset();
  output.write.Reset();
  std::array<char, 256> line = {};
  ASSERT_GT(::read(output.read.get(), line.data(), line.size() - 1), 0);
  ASSERT_STREQ(line.data(), "ready\n");
  EXPECT_FALSE(EndOfFile(pipe.read, 0));
  ASSERT_EQ(::kill(harness->pid(), SIGKILL), 0);
  EXPECT_TRUE(EndOfFile(pipe.read, 10'000));
}

TEST_P(LifetimeTest, OrphansEndWithTheProgram) {
  if (Policy() == SyscallPolicy::kHost) {
    return;  // A host has no children.
  }
  Pipe pipe = MakePipe();
  SandboxRequest request = TestcaseRequest("orphan");
  request.policy = Policy();
  request.fds = {{.outside = pipe.write.get(), .inside = 3}};
  auto process = Spawn(Level(), request);
  ASSERT_TRUE(process) << ToString(process.error());
  pipe.write.Reset();
  const ExitStatus status = process->WaitUntil(std::chrono::steady_clock::time_point::max());
  EXPECT_EQ(ToString(status), "exit code 0");
  EXPECT_TRUE(EndOfFile(pipe.read, 0));
}

/// What the kernel says of a process in a line of its status.
std::string LineOfStatus(pid_t pid, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string line;
  while (std::getline(status, line) && !line.starts_with(name + ":")) {
  }
  return line;
}

// A host is paused between any two calls, and what waits for its end beside it was woken each time.
TEST_P(LifetimeTest, WhoWaitsForTheProgramSleepsWhileItIsPaused) {
  SandboxRequest request = TestcaseRequest("sleep");
  request.policy = Policy();
  auto process = Spawn(Level(), request);
  ASSERT_TRUE(process) << ToString(process.error());
  const std::string parent = LineOfStatus(process->pid(), "PPid");
  ASSERT_NE(parent, "");
  const pid_t init = std::stoi(parent.substr(parent.find('\t')));
  const auto state = [&] { return LineOfStatus(process->pid(), "State"); };
  const auto times_asleep = [&] {
    const std::string line = LineOfStatus(init, "voluntary_ctxt_switches");
    return std::stoi(line.substr(line.find('\t')));
  };
  const int before = times_asleep();
  constexpr int kPauses = 20;
  for (int i = 0; i < kPauses; ++i) {
    process->Pause();
    while (!state().contains("T (stopped)")) {
    }
    process->Resume();
    while (state().contains("T (stopped)")) {
    }
  }
  EXPECT_LT(times_asleep() - before, kPauses);  // Its start may not be over yet.
}

// --- what does not start ------------------------------------------------------------------------

TEST(SpawnTest, MissingBubblewrapIsAnErrorAndNeverALesserLevel) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  const auto process = Spawn(SandboxLevel::kFull, TestcaseRequest("threads"));
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().kind, ErrorKind::kSandbox);
  EXPECT_THAT(process.error().cause, HasSubstr("bubblewrap (bwrap) is not installed"));
  EXPECT_THAT(process.error().remedy, HasSubstr("apt-get install bubblewrap"));
}

class StartTest : public testing::TestWithParam<SandboxLevel> {};
INSTANTIATE_TEST_SUITE_P(Levels, StartTest,
                         testing::Values(SandboxLevel::kNone, SandboxLevel::kReduced,
                                         SandboxLevel::kFull),
                         LevelName);

TEST_P(StartTest, MissingProgramNamesIt) {
  SandboxRequest request = TestcaseRequest("threads");
  request.argv = {"/usr/lib/no_such_program"};
  const auto process = Spawn(GetParam(), request);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(process.error().cause, HasSubstr("cannot execute /usr/lib/no_such_program: No such"));
}

// Whoever hands it in would choose that grading fails, and not the submission.
TEST_P(StartTest, HostThatIsNoProgramHasFailed) {
  SandboxRequest request = TestcaseRequest("no_program");
  request.policy = SyscallPolicy::kHost;
  EXPECT_EQ(ToString(RunInside(GetParam(), request).status), "exit code 125");
}

TEST_P(StartTest, ToolThatIsNoProgramIsNoneOfASubmission) {
  SandboxRequest request = TestcaseRequest("no_program");
  request.policy = SyscallPolicy::kTool;
  const auto process = Spawn(GetParam(), request);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().kind, ErrorKind::kJudge);
  EXPECT_THAT(process.error().cause, HasSubstr("Exec format error"));
}

TEST_P(StartTest, RelativeProgramIsTheCallersMistake) {
  SandboxRequest request = TestcaseRequest("threads");
  request.argv = {"threads"};
  const auto process = Spawn(GetParam(), request);
  ASSERT_FALSE(process);
  EXPECT_THAT(process.error().cause, HasSubstr("argv[0] must be an absolute path"));
}

TEST(SpawnTest, MountThatIsNotThereIsAnError) {
  for (const SandboxLevel level : {SandboxLevel::kReduced, SandboxLevel::kFull}) {
    SandboxRequest request = TestcaseRequest("threads");
    request.mounts.push_back({.outside = "/no/such/folder", .inside = "/x"});
    const auto process = Spawn(level, request);
    ASSERT_FALSE(process);
    EXPECT_THAT(process.error().cause, HasSubstr("/no/such/folder"));
  }
}

}  // namespace
}  // namespace assay
