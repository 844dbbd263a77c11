// SPDX-License-Identifier: Apache-2.0
#include "sandbox/obstacle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/temporary.h"
#include "sandbox/capabilities.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Step = NamespaceTrial::Step;
using testing::HasSubstr;

constexpr std::string_view kRootMount =
    "22 30 0:21 / /proc rw,relatime - proc proc rw\n"
    "30 1 254:1 / / rw,relatime - ext4 /dev/vda rw\n";

// A /proc of files, as of a machine on which nothing stands in the way.
class FakeProc {
 public:
  FakeProc() {
    Write("self/status", "Name:\tassay\nSeccomp:\t0\nSeccomp_filters:\t0\n");
    Write("self/mountinfo", kRootMount);
    Write("a namespace", "");
    Write("another namespace", "");
    for (const std::string process : {"1", "self"}) {
      fs::create_directories(Path(process + "/ns"));
      fs::create_symlink(Path("a namespace"), Path(process + "/ns/mnt"));
      fs::create_directory_symlink("/", Path(process + "/root"));
    }
  }
  [[nodiscard]] fs::path Path(const std::string& name) const { return folder_.path() / name; }
  void Write(const std::string& name, std::string_view content) const {
    ASSERT_TRUE(WriteFileAtomically(Path(name), content));
  }
  [[nodiscard]] Obstacle Why(Step step, int error_number) const {
    return WhyNoNamespaces({.step = step, .error_number = error_number},
                           ReadNamespaceSettings(folder_.path()));
  }

 private:
  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::temp_directory_path(), "fake_proc").value();
};

TEST(ObstacleTest, EachHasAWordACauseAndARemedyOfItsOwn) {
  std::set<std::string> seen;
  for (int i = 1; i <= static_cast<int>(Obstacle::kOther); ++i) {
    const auto obstacle = static_cast<Obstacle>(i);
    for (const std::string& text :
         {std::string(ToString(obstacle)), CauseOf(obstacle), RemedyFor(obstacle)}) {
      EXPECT_FALSE(text.empty()) << i;
      EXPECT_TRUE(seen.insert(text).second) << text;
    }
  }
  EXPECT_EQ(CauseOf(Obstacle::kNothing) + RemedyFor(Obstacle::kNothing), "");
}

TEST(WhyNoNamespacesTest, NothingWhereAllWereGiven) {
  const FakeProc proc;
  proc.Write("sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
  EXPECT_EQ(proc.Why(Step::kUser, 0), Obstacle::kNothing);
}

TEST(WhyNoNamespacesTest, UbuntuTakesTheCapabilitiesAfterTheFirstStep) {
  const FakeProc proc;
  EXPECT_EQ(proc.Why(Step::kOthers, EPERM), Obstacle::kNamespacesRefused);
  proc.Write("sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
  proc.Write("self/attr/current", "unconfined\n");
  EXPECT_EQ(proc.Why(Step::kOthers, EPERM), Obstacle::kAppArmor);
  EXPECT_EQ(proc.Why(Step::kUser, EACCES), Obstacle::kAppArmor);
  proc.Write("sys/kernel/apparmor_restrict_unprivileged_userns", "0\n");
  EXPECT_EQ(proc.Why(Step::kOthers, EPERM), Obstacle::kNamespacesRefused);
}

TEST(WhyNoNamespacesTest, AppArmorsRemedyLetsBubblewrapAloneThrough) {
  const std::string remedy = RemedyFor(Obstacle::kAppArmor);
  EXPECT_THAT(remedy, HasSubstr("profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }"));
  EXPECT_THAT(remedy, HasSubstr("apparmor_parser --replace /etc/apparmor.d/bwrap"));
  EXPECT_THAT(remedy, testing::Not(HasSubstr("sysctl")));
}

TEST(WhyNoNamespacesTest, DebianKernelCanBeToldToRefuse) {
  const FakeProc proc;
  proc.Write("sys/kernel/unprivileged_userns_clone", "0\n");
  EXPECT_EQ(proc.Why(Step::kUser, EPERM), Obstacle::kNamespacesOff);
  proc.Write("sys/kernel/unprivileged_userns_clone", "1\n");
  EXPECT_EQ(proc.Why(Step::kUser, EPERM), Obstacle::kNamespacesRefused);
}

TEST(WhyNoNamespacesTest, NoneIsLeft) {
  const FakeProc proc;
  EXPECT_EQ(proc.Why(Step::kUser, ENOSPC), Obstacle::kNoNamespaceLeft);
  EXPECT_EQ(proc.Why(Step::kUser, EUSERS), Obstacle::kNoNamespaceLeft);
}

TEST(WhyNoNamespacesTest, ChrootToAFolderHasNoMountForItsRoot) {
  const FakeProc proc;
  proc.Write("self/mountinfo", "22 30 0:21 / /proc rw,relatime - proc proc rw\n");
  EXPECT_EQ(proc.Why(Step::kUser, EPERM), Obstacle::kChangedRoot);
  EXPECT_EQ(proc.Why(Step::kOthers, EPERM), Obstacle::kNamespacesRefused);
}

TEST(WhyNoNamespacesTest, ChrootToAMountIsToldByTheRootOfTheFirstProcess) {
  const FakeProc proc;
  fs::remove(proc.Path("1/root"));
  fs::create_directory_symlink("/usr", proc.Path("1/root"));
  EXPECT_EQ(proc.Why(Step::kUser, EPERM), Obstacle::kChangedRoot);
  // In another mount namespace another root is no chroot.
  fs::remove(proc.Path("1/ns/mnt"));
  fs::create_symlink(proc.Path("another namespace"), proc.Path("1/ns/mnt"));
  EXPECT_EQ(proc.Why(Step::kUser, EPERM), Obstacle::kNamespacesRefused);
}

TEST(WhyNoNamespacesTest, WhoMayNotLookAtTheFirstProcessIsInNoChrootForThat) {
  const FakeProc proc;
  fs::remove(proc.Path("1/root"));
  EXPECT_EQ(proc.Why(Step::kUser, EPERM), Obstacle::kNamespacesRefused);
  fs::remove(proc.Path("1/ns/mnt"));
  EXPECT_EQ(proc.Why(Step::kUser, EPERM), Obstacle::kNamespacesRefused);
}

TEST(WhyNoNamespacesTest, ContainerRefusesByFilterOrByProfile) {
  const FakeProc proc;
  // A container on Ubuntu sees the host's setting, but not for it the call fails.
  proc.Write("sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
  proc.Write("self/status", "Seccomp:\t2\n");
  EXPECT_EQ(proc.Why(Step::kUser, EPERM), Obstacle::kContainer);
  EXPECT_EQ(proc.Why(Step::kUser, ENOSYS), Obstacle::kContainer);
  EXPECT_EQ(proc.Why(Step::kOthers, EPERM), Obstacle::kAppArmor);
  proc.Write("self/status", "Seccomp:\t0\n");
  proc.Write("self/attr/current", "docker-default (enforce)\n");
  EXPECT_EQ(proc.Why(Step::kOthers, EACCES), Obstacle::kContainer);
}

TEST(WhyNoNamespacesTest, KernelWithoutThem) {
  const FakeProc proc;
  EXPECT_EQ(proc.Why(Step::kUser, EINVAL), Obstacle::kNoNamespaces);
}

TEST(WhyNoNamespacesTest, MachineWithoutProcIsRefusedForNoKnownReason) {
  EXPECT_EQ(WhyNoNamespaces({.error_number = EPERM}, ReadNamespaceSettings("/nonexistent")),
            Obstacle::kNamespacesRefused);
}

TEST(WhyNoLandlockTest, ErrorTellsAKernelWithoutItFromOneStartedWithoutIt) {
  EXPECT_EQ(WhyNoLandlock(ENOSYS), Obstacle::kNoLandlock);
  EXPECT_EQ(WhyNoLandlock(EOPNOTSUPP), Obstacle::kLandlockOff);
  EXPECT_EQ(WhyNoLandlock(EPERM), Obstacle::kContainer);
}

// A machine that has everything.
SandboxTrials AllWorks() {
  SandboxTrials trials;
  trials.bubblewrap_version = "bubblewrap 0.8.0";
  trials.landlock_abi = 6;
  trials.levels = {
      {SandboxLevel::kNone, ""}, {SandboxLevel::kReduced, ""}, {SandboxLevel::kFull, ""}};
  return trials;
}

TEST(ConcludeTest, MachineThatHasEverythingIsAtFull) {
  const SandboxCapabilities found = Conclude(AllWorks());
  EXPECT_EQ(found.level, SandboxLevel::kFull);
  EXPECT_EQ(found.obstacle, Obstacle::kNothing);
  EXPECT_EQ(found.next_level, "");
}

TEST(ConcludeTest, RefusedNamespacesReduceTheLevelAndNameTheOneCommand) {
  SandboxTrials trials = AllWorks();
  trials.namespaces = {.step = Step::kOthers, .error_number = EPERM};
  trials.settings.apparmor_restricts = 1;
  trials.levels[SandboxLevel::kFull] = "bwrap: setting up uid map: Permission denied";
  const SandboxCapabilities found = Conclude(trials);
  EXPECT_EQ(found.level, SandboxLevel::kReduced);
  EXPECT_EQ(found.obstacle, Obstacle::kAppArmor);
  EXPECT_EQ(found.next_level, CauseOf(Obstacle::kAppArmor) + "; " + RemedyFor(Obstacle::kAppArmor));
}

TEST(ConcludeTest, ProfileOfBubblewrapIsEnough) {
  SandboxTrials trials = AllWorks();
  trials.namespaces = {.step = Step::kOthers, .error_number = EPERM};
  trials.settings.apparmor_restricts = 1;
  const SandboxCapabilities found = Conclude(trials);
  EXPECT_EQ(found.level, SandboxLevel::kFull);
  EXPECT_EQ(found.capabilities[1].detail, "allowed for bubblewrap alone");
}

TEST(ConcludeTest, MissingBubblewrapComesBeforeWhatItWouldNeed) {
  SandboxTrials trials = AllWorks();
  trials.bubblewrap_version = "";
  trials.namespaces = {.step = Step::kUser, .error_number = ENOSPC};
  trials.levels[SandboxLevel::kFull] = "bubblewrap (bwrap) is not installed";
  EXPECT_EQ(Conclude(trials).obstacle, Obstacle::kNoBubblewrap);
}

TEST(ConcludeTest, WithoutLandlockAndNamespacesThereIsNoLevelButNone) {
  SandboxTrials trials = AllWorks();
  trials.namespaces = {.step = Step::kUser, .error_number = ENOSPC};
  trials.landlock_abi = 0;
  trials.landlock_error = ENOSYS;
  trials.levels[SandboxLevel::kFull] = "does not start";
  trials.levels[SandboxLevel::kReduced] = "does not start";
  const SandboxCapabilities found = Conclude(trials);
  EXPECT_EQ(found.level, SandboxLevel::kNone);
  EXPECT_EQ(found.obstacle, Obstacle::kNoNamespaceLeft);
  const auto reduced = std::ranges::find(found.capabilities, "level reduced", &Capability::name);
  ASSERT_NE(reduced, found.capabilities.end());
  EXPECT_EQ(reduced->obstacle, Obstacle::kNoLandlock);
  EXPECT_EQ(reduced->remedy, RemedyFor(Obstacle::kNoLandlock));
}

TEST(ConcludeTest, FailureForNoKnownReasonShowsWhatWasSaid) {
  SandboxTrials trials = AllWorks();
  trials.levels[SandboxLevel::kFull] = "bwrap: a new kind of failure";
  const SandboxCapabilities found = Conclude(trials);
  EXPECT_EQ(found.obstacle, Obstacle::kOther);
  EXPECT_THAT(found.next_level, HasSubstr("a new kind of failure"));
}

}  // namespace
}  // namespace assay
