// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "sandbox/bubblewrap.h"
#include "sandbox/capture.h"
#include "sandbox/launch_plan.h"
#include "sandbox/level.h"
#include "sandbox/mount.h"
#include "sandbox/syscall_policy.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::Contains;

bool Covers(const fs::path& folder, const fs::path& path) {
  const fs::path below = path.lexically_relative(folder);
  return !below.empty() && *below.begin() != "..";
}

TEST(LevelTest, WordsAreReadBack) {
  for (const SandboxLevel level :
       {SandboxLevel::kNone, SandboxLevel::kReduced, SandboxLevel::kFull}) {
    EXPECT_EQ(SandboxLevelFromString(ToString(level)), level);
  }
  EXPECT_EQ(SandboxLevelFromString("fully"), std::nullopt);
  EXPECT_LT(SandboxLevel::kReduced, SandboxLevel::kFull);
}

TEST(MountTest, NoMountCoversTheRepositoryOrTheHomeFolder) {
  const fs::path repository = fs::canonical(ASSAY_REPOSITORY);
  for (const auto& mounts : {RuntimeMounts(), ToolchainMounts()}) {
    ASSERT_FALSE(mounts.empty());
    for (const Mount& mount : mounts) {
      EXPECT_NE(mount.access, Access::kReadWrite);
      // Symbolic links too: Landlock and readers follow them.
      const fs::path outside = fs::canonical(mount.outside);
      EXPECT_FALSE(Covers(outside, repository)) << mount.outside;
      EXPECT_FALSE(Covers(outside, "/root")) << mount.outside;
      EXPECT_FALSE(Covers(outside, "/home")) << mount.outside;
    }
  }
}

TEST(MountTest, HostsGetNoPrograms) {
  for (const Mount& mount : RuntimeMounts()) {
    EXPECT_FALSE(Covers(mount.outside, "/usr/bin")) << mount.outside;
    EXPECT_FALSE(Covers(mount.outside, "/usr/include")) << mount.outside;
  }
}

TEST(MountTest, SeenPathIsInsideOnlyWhereThereIsAMountNamespace) {
  const Mount mount{.outside = "/a/b", .inside = "/work"};
  EXPECT_EQ(SeenPath(SandboxLevel::kFull, mount), "/work");
  EXPECT_EQ(SeenPath(SandboxLevel::kReduced, mount), "/a/b");
  EXPECT_EQ(SeenPath(SandboxLevel::kNone, mount), "/a/b");
}

TEST(BubblewrapTest, HostGetsNoProcAndNoTemporaryFolder) {
  SandboxRequest request;
  request.argv = {"/host"};
  const auto host = BubblewrapCommand("/usr/bin/bwrap", "/init", request);
  EXPECT_THAT(host, testing::Not(Contains("--proc")));
  EXPECT_THAT(host, testing::Not(Contains("--tmpfs")));
  EXPECT_THAT(host, Contains("--unshare-net"));
  EXPECT_THAT(host, Contains("--die-with-parent"));
  request.policy = SyscallPolicy::kTool;
  EXPECT_THAT(BubblewrapCommand("/usr/bin/bwrap", "/init", request), Contains("--tmpfs"));
}

TEST(SyscallPolicyTest, HostFilterHasTheLaunchersPlaceholders) {
  const auto filter = BuildSyscallFilter(SyscallPolicy::kHost, SignalGuard::kKernel);
  ASSERT_TRUE(filter) << ToString(filter.error());
  for (const std::uint32_t value :
       {kOwnProcessPlaceholder, kExecAddressLowPlaceholder, kExecAddressHighPlaceholder}) {
    EXPECT_GE(std::ranges::count(*filter, value, &sock_filter::k), 1) << value;
  }
}

TEST(SyscallPolicyTest, ToolFilterLimitsSignalsOnlyWhereNothingElseDoes) {
  const auto count = [](SignalGuard guard) {
    const auto filter = BuildSyscallFilter(SyscallPolicy::kTool, guard);
    return std::ranges::count(*filter, kOwnProcessPlaceholder, &sock_filter::k);
  };
  EXPECT_EQ(count(SignalGuard::kKernel), 0);
  EXPECT_GT(count(SignalGuard::kFilter), 0);
}

TEST(CaptureTest, HoldsWhatIsWrittenUpToItsLimit) {
  auto capture = Capture::Create(8);
  ASSERT_TRUE(capture) << ToString(capture.error());
  EXPECT_EQ(capture->Read(), "");
  EXPECT_EQ(::write(capture->fd(), "12345", 5), 5);
  EXPECT_EQ(capture->Read(), "12345");
  EXPECT_EQ(::write(capture->fd(), "678", 3), 3);
  EXPECT_EQ(::write(capture->fd(), "9", 1), -1);
  EXPECT_EQ(capture->Read(), "12345678");
}

TEST(CaptureTest, PositionPastTheEndIsNotFollowed) {
  auto capture = Capture::Create(8);
  ASSERT_TRUE(capture) << ToString(capture.error());
  ::lseek(capture->fd(), 1 << 20, SEEK_SET);
  EXPECT_EQ(capture->Read().size(), 8U);
}

}  // namespace
}  // namespace assay
