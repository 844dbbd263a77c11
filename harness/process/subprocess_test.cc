// SPDX-License-Identifier: Apache-2.0
#include "process/subprocess.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;
using testing::HasSubstr;

SubprocessOptions Shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script},
          .environment = std::nullopt,
          .working_directory = {},
          .descriptors = {},
          .processors = {},
          .cgroup_entries = {}};
}

std::string Contents(int fd) {
  std::array<char, 4096> buffer;
  const ssize_t got = ::pread(fd, buffer.data(), buffer.size(), 0);
  return {buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

TEST(SubprocessTest, ExitCodeIsReported) {
  auto child = Subprocess::Start(Shell("exit 3"));
  ASSERT_TRUE(child) << ToString(child.error());
  const auto exit = child->WaitUntil(Clock::time_point::max());
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->kind, ProcessExit::Kind::kExited);
  EXPECT_EQ(exit->code_or_signal, 3);
  EXPECT_EQ(child->TryWait(), exit);
}

TEST(SubprocessTest, SignalIsReported) {
  auto child = Subprocess::Start(Shell("kill -SEGV $$"));
  ASSERT_TRUE(child) << ToString(child.error());
  const auto exit = child->WaitUntil(Clock::time_point::max());
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->kind, ProcessExit::Kind::kSignaled);
  EXPECT_EQ(exit->code_or_signal, SIGSEGV);
}

TEST(SubprocessTest, MissingProgramIsAnErrorThatNamesIt) {
  SubprocessOptions options = Shell("");
  options.argv = {"/no/such/program"};
  const auto child = Subprocess::Start(options);
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().cause, HasSubstr("/no/such/program: execute"));
  EXPECT_THAT(child.error().cause, HasSubstr("No such file"));
}

TEST(SubprocessTest, MissingWorkingDirectoryIsAnError) {
  SubprocessOptions options = Shell("");
  options.working_directory = "/no/such/folder";
  const auto child = Subprocess::Start(options);
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().cause, HasSubstr("chdir"));
}

TEST(SubprocessTest, DeadlineThatPassesGivesNothingAndLeavesItRunning) {
  auto child = Subprocess::Start(Shell("exec sleep 600"));
  ASSERT_TRUE(child) << ToString(child.error());
  EXPECT_EQ(child->WaitUntil(Clock::now() + std::chrono::milliseconds(20)), std::nullopt);
  EXPECT_EQ(::kill(child->pid(), 0), 0);
  child->Kill();
  EXPECT_EQ(child->WaitUntil(Clock::time_point::max())->code_or_signal, SIGKILL);
}

TEST(SubprocessTest, DestructorKillsTheWholeGroup) {
  std::array<int, 2> ends = {-1, -1};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd read(ends[0]);
  UniqueFd write(ends[1]);
  {
    SubprocessOptions options = Shell("sleep 600 & sleep 600");
    options.descriptors = {{.ours = write.get(), .child = 3}};
    const auto child = Subprocess::Start(options);
    ASSERT_TRUE(child) << ToString(child.error());
    write.Reset();
  }
  pollfd event = {.fd = read.get(), .events = 0, .revents = 0};
  EXPECT_EQ(::poll(&event, 1, 10'000), 1);  // Hung up: no writer is left.
}

TEST(SubprocessTest, ChildInOurGroupHasOurGroup) {
  SubprocessOptions options = Shell("sleep 1000");
  options.group = ProcessGroup::kOurs;
  auto ours = Subprocess::Start(options);
  ASSERT_TRUE(ours) << ToString(ours.error());
  EXPECT_EQ(::getpgid(ours->pid()), ::getpgrp());
  auto own = Subprocess::Start(Shell("sleep 1000"));
  ASSERT_TRUE(own) << ToString(own.error());
  EXPECT_EQ(::getpgid(own->pid()), own->pid());
  ours->Kill();  // And neither us nor the other.
  EXPECT_EQ(ours->WaitUntil(Clock::time_point::max())->code_or_signal, SIGKILL);
  EXPECT_EQ(own->TryWait(), std::nullopt);
}

TEST(SubprocessTest, ChildHasTheMappedDescriptorsAlone) {
  const UniqueFd output(::memfd_create("output", 0));
  const UniqueFd leaked(::memfd_create("leaked", 0));  // Deliberately not close-on-exec.
  SubprocessOptions options = Shell("ls /proc/$$/fd");
  options.descriptors = {{.ours = output.get(), .child = 1}, {.ours = output.get(), .child = 7}};
  auto child = Subprocess::Start(options);
  ASSERT_TRUE(child) << ToString(child.error());
  EXPECT_EQ(child->WaitUntil(Clock::time_point::max())->code_or_signal, 0);
  EXPECT_EQ(Contents(output.get()), "0\n1\n2\n7\n");
}

TEST(SubprocessTest, MappingsMayCross) {
  const UniqueFd first(::memfd_create("first", MFD_CLOEXEC));
  const UniqueFd second(::memfd_create("second", MFD_CLOEXEC));
  SubprocessOptions options = Shell("echo one >&" + std::to_string(second.get()) + "; echo two >&" +
                                    std::to_string(first.get()));
  options.descriptors = {{.ours = first.get(), .child = second.get()},
                         {.ours = second.get(), .child = first.get()}};
  auto child = Subprocess::Start(options);
  ASSERT_TRUE(child) << ToString(child.error());
  EXPECT_EQ(child->WaitUntil(Clock::time_point::max())->code_or_signal, 0);
  EXPECT_EQ(Contents(first.get()), "one\n");
  EXPECT_EQ(Contents(second.get()), "two\n");
}

TEST(SubprocessTest, EnvironmentIsExactlyWhatWasGiven) {
  const UniqueFd output(::memfd_create("output", MFD_CLOEXEC));
  SubprocessOptions options = Shell("");
  options.argv = {"/usr/bin/env"};
  options.environment = {"ONLY=this"};
  options.descriptors = {{.ours = output.get(), .child = 1}};
  auto child = Subprocess::Start(options);
  ASSERT_TRUE(child) << ToString(child.error());
  EXPECT_EQ(child->WaitUntil(Clock::time_point::max())->code_or_signal, 0);
  EXPECT_EQ(Contents(output.get()), "ONLY=this\n");
}

TEST(SubprocessTest, MovedFromChildIsLeftAlone) {
  auto child = Subprocess::Start(Shell("exec sleep 600"));
  ASSERT_TRUE(child) << ToString(child.error());
  const pid_t pid = child->pid();
  Subprocess moved = std::move(*child);
  EXPECT_EQ(moved.pid(), pid);
  EXPECT_EQ(::kill(pid, 0), 0);
}

}  // namespace
}  // namespace assay
