// SPDX-License-Identifier: Apache-2.0
#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "sandbox/capabilities.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Groups of this process in `parent`.
std::vector<fs::path> OwnGroups(const fs::path& parent) {
  std::vector<fs::path> groups;
  const std::string prefix = "assay-" + std::to_string(::getpid()) + "-";
  for (const fs::directory_entry& entry : fs::directory_iterator(parent)) {
    if (entry.path().filename().string().starts_with(prefix)) {
      groups.push_back(entry.path());
    }
  }
  return groups;
}

/// Without a writable control group these tests have nothing to try, and say so by passing: the
/// sandbox works without one, which limits_test.cc tries at level none.
class CgroupTest : public testing::Test {
 protected:
  CgroupSupport support_ = FindCgroups();
};

TEST_F(CgroupTest, GroupHoldsTheLimitsAndIsRemoved) {
  if (support_.pids.empty()) {
    return;
  }
  Limits limits;
  limits.processes = 17;
  {
    const auto group = Cgroup::Create(support_, limits, 3);
    ASSERT_TRUE(group) << ToString(group.error());
    const auto groups = OwnGroups(support_.pids);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(FirstLine(groups[0] / "pids.max"), "20");
    EXPECT_EQ(group->OomKills(), 0);
  }
  EXPECT_TRUE(OwnGroups(support_.pids).empty());
}

TEST_F(CgroupTest, MovedFromGroupRemovesNothing) {
  if (support_.pids.empty()) {
    return;
  }
  auto first = Cgroup::Create(support_, Limits(), 3);
  ASSERT_TRUE(first) << ToString(first.error());
  const Cgroup second = std::move(*first);
  EXPECT_TRUE(first->entries().empty());
  EXPECT_EQ(OwnGroups(support_.pids).size(), 1U);
}

TEST_F(CgroupTest, GroupsOfDeadOwnersAreSweptAndLivingOnesKept) {
  if (support_.pids.empty()) {
    return;
  }
  const fs::path stale = support_.pids / "assay-1-1-0";
  const fs::path foreign = support_.pids / "assay-something-else";
  fs::create_directory(stale);
  fs::create_directory(foreign);
  const auto own = Cgroup::Create(support_, Limits(), 3);
  const auto next = Cgroup::Create(support_, Limits(), 3);
  ASSERT_TRUE(next) << ToString(next.error());
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(foreign));
  EXPECT_EQ(OwnGroups(support_.pids).size(), 2U);
  ::rmdir(foreign.c_str());
}

// Of two on one machine, one of them in a container, each took the other's owner for dead: its
// process number means nothing outside. One lost its groups, and ended with "no sandbox".
TEST_F(CgroupTest, GroupsOfOwnersInOtherContainersAreKept) {
  if (support_.pids.empty()) {
    return;
  }
  const fs::path other = support_.pids / "assay-1-1-0";
  fs::create_directory(other);
  {
    const UniqueFd owner(::open(other.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(owner.get(), LOCK_EX), 0);
    const auto own = Cgroup::Create(support_, Limits(), 3);
    ASSERT_TRUE(own) << ToString(own.error());
    EXPECT_TRUE(fs::exists(other));
  }
  const auto next = Cgroup::Create(support_, Limits(), 3);
  EXPECT_FALSE(fs::exists(other));
}

// A sweep that found a group between its making and its lock had it locked while it removed it;
// who made it had given up by then, and a grading ended with "no sandbox".
TEST_F(CgroupTest, AGroupThatASweepIsRemovingIsMadeAgain) {
  if (support_.pids.empty()) {
    return;
  }
  fs::path next;
  {
    const auto first = Cgroup::Create(support_, Limits(), 3);
    ASSERT_TRUE(first) << ToString(first.error());
    const std::string name = OwnGroups(support_.pids).at(0).filename();
    const std::size_t number = name.rfind('-') + 1;
    next = support_.pids /
           (name.substr(0, number) + std::to_string(std::stoi(name.substr(number)) + 1));
  }
  fs::create_directory(next);
  UniqueFd sweep(::open(next.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(sweep.get(), LOCK_EX), 0);
  const std::jthread removal([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::rmdir(next.c_str());
    sweep.Reset();
  });
  const auto group = Cgroup::Create(support_, Limits(), 3);
  EXPECT_TRUE(group) << ToString(group.error());
}

TEST(CapabilitiesTest, EachMissingCapabilityHasAReasonAndARemedy) {
  const SandboxCapabilities found = DetectCapabilities();
  EXPECT_GE(found.capabilities.size(), 10U);
  for (const Capability& capability : found.capabilities) {
    EXPECT_FALSE(capability.detail.empty()) << capability.name;
    EXPECT_EQ(capability.remedy.empty(), capability.available) << capability.name;
  }
  EXPECT_EQ(found.next_level.empty(), found.level == SandboxLevel::kFull);
}

TEST(CapabilitiesTest, WithoutBubblewrapTheLevelIsReducedAndTheRemedyNamesIt) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  const SandboxCapabilities found = DetectCapabilities();
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_LT(found.level, SandboxLevel::kFull);
  EXPECT_THAT(found.next_level, testing::HasSubstr("apt-get install bubblewrap"));
}

}  // namespace
}  // namespace assay
