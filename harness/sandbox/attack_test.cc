// SPDX-License-Identifier: Apache-2.0
// Hostile programs and their benign twins: each attack ends as it must, each twin passes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include "base/unique_fd.h"
#include "sandbox/testcase.h"

namespace assay {
namespace {

using Kind = ExitStatus::Kind;
using testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(Levels, BoundaryTest,
                         testing::Values(SandboxLevel::kReduced, SandboxLevel::kFull), LevelName);

// --- system calls -------------------------------------------------------------------------------

class ForbiddenCallTest : public testing::TestWithParam<std::tuple<SandboxLevel, const char*>> {};

INSTANTIATE_TEST_SUITE_P(
    Calls, ForbiddenCallTest,
    testing::Combine(testing::Values(SandboxLevel::kReduced, SandboxLevel::kFull),
                     testing::Values("fork", "vfork", "execve", "execveat", "socket", "socketpair",
                                     "ptrace", "process_vm_writev", "io_uring_setup", "bpf",
                                     "keyctl", "perf_event_open", "userfaultfd", "unshare", "mount",
                                     "memfd_create", "pidfd_open", "seccomp", "kill_parent",
                                     "stop_parent", "kill_everyone", "kill_group", "tkill_parent",
                                     "i386_abi", "x32_abi")),
    [](const auto& parameter) {
      return std::string(ToString(std::get<0>(parameter.param))) + "_" +
             std::get<1>(parameter.param);
    });

TEST_P(ForbiddenCallTest, KillsTheHost) {
  const auto& [level, call] = GetParam();
  const Outcome outcome = RunInside(level, TestcaseRequest("forbidden_call", {call}));
  EXPECT_EQ(outcome.status.kind, Kind::kSignaled) << ToString(outcome.status) << outcome.output;
  EXPECT_EQ(outcome.status.code_or_signal, SIGSYS) << outcome.output;
}

TEST_P(BoundaryTest, HostCannotUnpinItselfHideMemoryOrRaiseLimits) {
  const Outcome outcome = RunInside(GetParam(), TestcaseRequest("refused_call"));
  EXPECT_EQ(outcome.output,
            "unpin 1\nshared_memory 1\npage_out 38\ngive_back 0\nraise_limit 1\nclone3 38\n");
}

TEST_P(BoundaryTest, ForkBombOfToolIsBoundedAndLeavesNothing) {
  SandboxRequest request = TestcaseRequest("fork_bomb");
  request.policy = SyscallPolicy::kTool;
  request.limits.processes = 20;
  const Outcome outcome = RunInside(GetParam(), request);
  EXPECT_EQ(outcome.status.kind, Kind::kExited) << ToString(outcome.status);
  int children = 0;
  ASSERT_EQ(std::sscanf(outcome.output.c_str(), "children %d", &children), 1) << outcome.output;
  EXPECT_LE(children, 22);
}

// A tool lives among tools: signals to its own kind work, and reach nobody outside.
TEST_P(BoundaryTest, ToolThatKillsEveryoneReachesNobodyOutside) {
  SandboxRequest request = TestcaseRequest("forbidden_call", {"kill_everyone"});
  request.policy = SyscallPolicy::kTool;
  const Outcome outcome = RunInside(GetParam(), request);
  EXPECT_EQ(outcome.status.kind, Kind::kExited) << ToString(outcome.status);
  EXPECT_EQ(::kill(::getpid(), 0), 0);
}

TEST_P(BoundaryTest, ToolCannotKillItsParent) {
  SandboxRequest request = TestcaseRequest("forbidden_call", {"kill_parent"});
  request.policy = SyscallPolicy::kTool;
  const Outcome outcome = RunInside(GetParam(), request);
  EXPECT_EQ(outcome.status.kind, Kind::kExited) << ToString(outcome.status);
}

// --- files and descriptors ----------------------------------------------------------------------

TEST_P(BoundaryTest, HostSeesOnlyTheDescriptorsItWasGiven) {
  const UniqueFd given(::memfd_create("given", 0));
  const UniqueFd leaked(::memfd_create("leaked", 0));  // Deliberately not close-on-exec.
  SandboxRequest request = TestcaseRequest("scan_descriptors");
  request.fds = {{.outside = given.get(), .inside = 3}, {.outside = given.get(), .inside = 5}};
  EXPECT_EQ(RunInside(GetParam(), request).output, "0 1 2 3 5 ");
}

// A host once kept a mebibyte between calls in the memory behind its output.
TEST_P(BoundaryTest, OutputIsForWritingAlone) {
  EXPECT_EQ(RunInside(GetParam(), TestcaseRequest("map_output")).output, "end");
}

/// Files that lie in the user's home itself. Not the home: a checkout below it is mounted at its
/// own path, whose parents are then there, and empty.
std::vector<std::string> FilesOfHome() {
  const char* home = std::getenv("HOME");
  std::vector<std::string> files;
  std::error_code failure;
  for (const auto& entry :
       std::filesystem::directory_iterator(home == nullptr ? "/root" : home, failure)) {
    if (entry.is_regular_file(failure)) {
      files.push_back(entry.path());
    }
  }
  return files;
}

TEST_P(BoundaryTest, NothingOutsideTheMountsCanBeRead) {
  const std::string secret = std::string(ASSAY_REPOSITORY) + "/reference/CMakeLists.txt";
  ASSERT_TRUE(std::filesystem::exists(secret));
  std::vector<std::string> paths = FilesOfHome();
  paths.insert(paths.end(), {"/etc/passwd", secret, "/proc/self/maps", "/proc/1/environ", "/sys",
                             "/dev/kmsg", "/dev/shm"});
  for (const std::string& path : paths) {
    const Outcome outcome = RunInside(GetParam(), TestcaseRequest("open_file", {"r", path}));
    // Landlock refuses what is there; a chroot may have no /dev/kmsg.
    const bool is_seen = GetParam() != SandboxLevel::kFull && std::filesystem::exists(path);
    EXPECT_EQ(outcome.output, is_seen ? "13\n" : "2\n") << path;
  }
}

// As /usr/lib/assay is in /usr/lib: the rest of the mount is there, and one file of the hidden
// folder that is mounted after it.
TEST_P(BoundaryTest, WhatIsHiddenInAMountCannotBeRead) {
  const std::string folder = testing::TempDir() + "/assay_hidden_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder + "/secret/below");
  for (const char* file : {"/open", "/secret/oracle", "/secret/below/mutant", "/secret/host"}) {
    std::ofstream(folder + file) << "x";
  }
  const bool full = GetParam() == SandboxLevel::kFull;
  const std::string host = full ? "/shown/host" : folder + "/secret/host";
  const auto read = [&](const std::string& path) {
    SandboxRequest request = TestcaseRequest("open_file", {"r", path});
    request.mounts.push_back({.outside = folder, .inside = folder, .access = Access::kReadOnly});
    request.mounts.push_back(
        {.outside = folder + "/secret", .inside = folder + "/secret", .access = Access::kHidden});
    request.mounts.push_back({.outside = folder + "/secret/host", .inside = host});
    return RunInside(GetParam(), request).output;
  };
  EXPECT_EQ(read(folder + "/open"), "opened\n");
  EXPECT_EQ(read(host), "opened\n");
  EXPECT_EQ(read(folder + "/secret/oracle"), full ? "2\n" : "13\n");
  EXPECT_EQ(read(folder + "/secret/below/mutant"), full ? "2\n" : "13\n");
  std::filesystem::remove_all(folder);
}

TEST_P(BoundaryTest, ToolWritesToItsWritableMountAlone) {
  const std::string scratch = testing::TempDir() + "/assay_scratch_" + std::to_string(::getpid());
  std::filesystem::create_directories(scratch + "/in");
  const auto write = [&](const std::string& path) {
    SandboxRequest request = TestcaseRequest("open_file", {"w", path});
    request.policy = SyscallPolicy::kTool;
    request.mounts.push_back(
        {.outside = scratch + "/in", .inside = scratch + "/in", .access = Access::kReadWrite});
    return RunInside(GetParam(), request).output;
  };
  EXPECT_EQ(write(scratch + "/in/mine"), "opened\n");
  write(scratch + "/outside");  // At level full that is the private /tmp, where it may write.
  EXPECT_TRUE(std::filesystem::exists(scratch + "/in/mine"));
  EXPECT_FALSE(std::filesystem::exists(scratch + "/outside"));
  EXPECT_NE(write("/planted"), "opened\n");
  EXPECT_NE(write("/usr/lib/planted"), "opened\n");
  EXPECT_FALSE(std::filesystem::exists("/planted"));
  std::filesystem::remove_all(scratch);
}

TEST_P(BoundaryTest, HostCannotOpenForWriting) {
  const Outcome outcome = RunInside(GetParam(), TestcaseRequest("open_file", {"w", "/dev/null"}));
  EXPECT_NE(outcome.output, "opened\n");
}

// --- benign twins -------------------------------------------------------------------------------

TEST_P(BoundaryTest, ThreadsRun) {
  EXPECT_EQ(RunInside(GetParam(), TestcaseRequest("threads")).output, "sum 36\n");
}

TEST_P(BoundaryTest, LibrariesAndNullDeviceCanBeRead) {
  for (const char* path : {"/dev/null", "/dev/urandom", "/usr/lib"}) {
    EXPECT_EQ(RunInside(GetParam(), TestcaseRequest("open_file", {"r", path})).output, "opened\n")
        << path;
  }
}

TEST_P(BoundaryTest, ExitCodeAndBothStreamsArrive) {
  // 159 is what a shell would say of SIGSYS: an exit code must not pass for a signal.
  const Outcome outcome = RunInside(GetParam(), TestcaseRequest("exit_code", {"159"}));
  EXPECT_EQ(outcome.status.kind, Kind::kExited);
  EXPECT_EQ(outcome.status.code_or_signal, 159);
  EXPECT_EQ(outcome.output, "to output\nto errors\n");
}

TEST_P(BoundaryTest, CrashesNameTheirSignal) {
  const Outcome aborted = RunInside(GetParam(), TestcaseRequest("crash", {"abort"}));
  EXPECT_EQ(ToString(aborted.status), "killed by SIGABRT (Aborted)");
  const Outcome crashed = RunInside(GetParam(), TestcaseRequest("crash", {"segv"}));
  EXPECT_EQ(ToString(crashed.status), "killed by SIGSEGV (Segmentation fault)");
}

TEST_P(BoundaryTest, SanitizedHostRunsAndReports) {
  SandboxRequest request = TestcaseRequest("overflow");
  request.environment = {"ASAN_OPTIONS=detect_leaks=0"};  // Leak checking needs ptrace.
  request.proc = ProcAccess::kOwn;
  const Outcome clean = RunInside(GetParam(), request);
  EXPECT_EQ(ToString(clean.status), "exit code 0") << clean.output;
  EXPECT_EQ(clean.output, "clean\n");
  request.argv.emplace_back("1");
  const Outcome broken = RunInside(GetParam(), request);
  EXPECT_EQ(ToString(broken.status), "exit code 1") << broken.output;
  EXPECT_THAT(broken.output, HasSubstr("heap-buffer-overflow"));
}

TEST_P(BoundaryTest, ToolchainCompilesInside) {
  const std::string folder = testing::TempDir() + "/assay_compile_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/a.cc") << "#include <vector>\nint main() { return 7; }\n";
  SandboxRequest request;
  request.policy = SyscallPolicy::kTool;
  request.mounts = ToolchainMounts();
  request.mounts.push_back({.outside = folder, .inside = folder, .access = Access::kReadWrite});
  request.working_directory = folder;
  request.environment = {"PATH=/usr/bin", "TMPDIR=" + folder};
  request.argv = {"/usr/bin/g++", "a.cc", "-o", "a"};
  const Outcome outcome = RunInside(GetParam(), request);
  EXPECT_EQ(ToString(outcome.status), "exit code 0") << outcome.output;
  EXPECT_TRUE(std::filesystem::exists(folder + "/a"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace assay
