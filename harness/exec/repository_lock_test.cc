// SPDX-License-Identifier: Apache-2.0
#include "exec/repository_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "process/interrupt.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// A process that holds the lock from construction until Release.
class OtherProcess {
 public:
  explicit OtherProcess(const std::filesystem::path& root) {
    std::array<int, 2> taken = {};
    std::array<int, 2> release = {};
    EXPECT_EQ(::pipe(taken.data()), 0);
    EXPECT_EQ(::pipe(release.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(release[1]);
      char byte = 0;
      const auto lock = RepositoryLock::Acquire(root);
      (void)!::write(taken[1], lock ? "y" : "n", 1);
      ::_exit(lock && ::read(release[0], &byte, 1) >= 0 ? 0 : 1);
    }
    ::close(taken[1]);
    ::close(release[0]);
    const UniqueFd answer(taken[0]);
    release_.Reset(release[1]);
    char byte = 0;
    EXPECT_EQ(::read(answer.get(), &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
  }
  ~OtherProcess() {
    Release();
    ::waitpid(pid_, nullptr, 0);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  void Release() { release_.Reset(-1); }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  UniqueFd release_{-1};
};

TEST(RepositoryLock, SecondHolderIsToldWhoWorksThere) {
  const TemporaryRepository files;
  const auto first = RepositoryLock::Acquire(files.root());
  ASSERT_TRUE(first.has_value());
  const auto second = RepositoryLock::Acquire(files.root());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(second.error().cause, HasSubstr("process " + std::to_string(::getpid())));
}

TEST(RepositoryLock, RefusalNamesProcessCommandAndTimeOfAnotherProcess) {
  const TemporaryRepository files;
  const OtherProcess other(files.root());
  const auto lock = RepositoryLock::Acquire(files.root());
  ASSERT_FALSE(lock.has_value());
  EXPECT_THAT(lock.error().cause,
              AllOf(HasSubstr("process " + std::to_string(other.pid()) + " (exec_test"),
                    MatchesRegex(".*, since 20[0-9-]+ [0-9:]+ UTC\\) works in this repository")));
  EXPECT_THAT(lock.error().remedy, HasSubstr("--wait"));
}

TEST(RepositoryLock, WaitsForAnotherProcessAndSaysForWhom) {
  const TemporaryRepository files;
  OtherProcess other(files.root());
  std::vector<std::string> heard;
  const auto lock =
      RepositoryLock::Acquire(files.root(), WhenHeld::kWait, [&](const std::string& holder) {
        heard.push_back(holder);
        other.Release();
      });
  ASSERT_TRUE(lock.has_value()) << ToString(lock.error());
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_THAT(heard[0], HasSubstr("process " + std::to_string(other.pid())));
  // Now it is ours, and says so.
  const auto third = RepositoryLock::Acquire(files.root());
  ASSERT_FALSE(third.has_value());
  EXPECT_THAT(third.error().cause, HasSubstr("process " + std::to_string(::getpid())));
}

TEST(RepositoryLock, FreeLockIsTakenWithoutAWord) {
  const TemporaryRepository files;
  EXPECT_TRUE(RepositoryLock::Acquire(files.root(), WhenHeld::kWait, [](const std::string&) {
                ADD_FAILURE() << "nobody holds it";
              }).has_value());
}

TEST(RepositoryLock, InterruptionEndsTheWait) {
  const InterruptScope scope;
  const TemporaryRepository files;
  const OtherProcess other(files.root());
  const auto lock = RepositoryLock::Acquire(files.root(), WhenHeld::kWait,
                                            [](const std::string&) { ::raise(SIGINT); });
  ASSERT_FALSE(lock.has_value());
  EXPECT_THAT(lock.error().cause, HasSubstr("interrupted"));
}

TEST(RepositoryLock, HolderThatWroteNothingIsStillRespected) {
  const TemporaryRepository files;
  const OtherProcess other(files.root());
  std::filesystem::resize_file(StateDirectory(files.root()) / "lock", 0);
  const auto lock = RepositoryLock::Acquire(files.root());
  ASSERT_FALSE(lock.has_value());
  EXPECT_THAT(lock.error().cause, HasSubstr("another process works"));
}

TEST(RepositoryLock, WhatAHolderWroteDrivesNoTerminal) {
  const TemporaryRepository files;
  const OtherProcess other(files.root());
  std::ofstream(StateDirectory(files.root()) / "lock")
      << "process 1\x1b[2J\n\xE2\x80\xAE(exec_test, \xC2\x9B"
      << "2J\xff";
  const auto lock = RepositoryLock::Acquire(files.root());
  ASSERT_FALSE(lock.has_value());
  EXPECT_THAT(lock.error().cause, HasSubstr("process 1[2J (exec_test, 2J works"));
}

TEST(RepositoryLock, IsFreeAgainWhenItsHolderEnds) {
  const TemporaryRepository files;
  {
    ASSERT_TRUE(RepositoryLock::Acquire(files.root()).has_value());
  }
  EXPECT_TRUE(RepositoryLock::Acquire(files.root()).has_value());
}

TEST(RepositoryLock, RunningCellsOfOthersAreNotSweptAway) {
  const TemporaryRepository files;
  const auto running = TemporaryDirectory::Create(TemporaryRoot(files.root()), "cell");
  ASSERT_TRUE(running.has_value());
  ASSERT_TRUE(RepositoryLock::Acquire(files.root()).has_value());
  EXPECT_TRUE(std::filesystem::exists(running->path()));
}

TEST(RepositoryLock, OnlyWhatAKilledRunWasWritingIsSweptAway) {
  const TemporaryRepository files;
  const std::vector<std::string> ours = {
      "reports/evidence/adder/right.json.tmp.a1B2c3",
      "reports/evidence/adder/right.json.sig.tmp.a1B2c3",
      "reports/evidence/adder/right.json.tmp.merged",
      "reports/evidence/adder/right.json.tmp.merged.tmp.a1B2c3",
      "reports/evidence/inputs/0123.txt.tmp.a1B2c3",
      "reports/reviews/ada/adder/right.yaml.tmp.a1B2c3",
  };
  const std::vector<std::string> somebodys = {
      "reports/published/a_paper.tmp.abcdef",
      "reports/published/small.yaml.tmp.abcdef",
      "reports/notes.tmp.thesis",
      "reports/evidence/adder/notes.tmp.thesis",
      "reports/evidence/adder/right.json.tmp.of_ada",
      "reports/reviews/ada/notes.yaml.tmp.thesis",
  };
  for (const auto& paths : {ours, somebodys}) {
    for (const std::string& path : paths) {
      files.Write(path, "x");
    }
  }
  ASSERT_TRUE(RepositoryLock::Acquire(files.root()).has_value());
  for (const std::string& path : ours) {
    EXPECT_FALSE(std::filesystem::exists(files.root() / path)) << path;
  }
  for (const std::string& path : somebodys) {
    EXPECT_TRUE(std::filesystem::exists(files.root() / path)) << path;
  }
}

// A repository may come from anybody: a link in it would have us sweep and write elsewhere.
TEST(RepositoryLock, RefusesLinksWhereItSweepsOrWrites) {
  namespace fs = std::filesystem;
  for (const char* const link :
       {".assay", ".assay/tmp", ".assay/baselines", "reports", "reports/evidence",
        "reports/evidence/adder", "reports/evidence/adder/right.json"}) {
    TemporaryRepository files;
    files.Write("elsewhere/folder/mine", "kept");
    files.Write("elsewhere/mine.tmp.abcdef", "kept");
    const fs::path path = files.root() / link;
    fs::create_directories(path.parent_path());
    fs::create_symlink(files.root() / "elsewhere", path);
    const auto lock = RepositoryLock::Acquire(files.root());
    ASSERT_FALSE(lock.has_value()) << link;
    EXPECT_EQ(lock.error().where, path);
    EXPECT_THAT(lock.error().cause, HasSubstr("is a symbolic link"));
    EXPECT_TRUE(fs::exists(files.root() / "elsewhere/folder/mine")) << link;
    EXPECT_TRUE(fs::exists(files.root() / "elsewhere/mine.tmp.abcdef")) << link;
  }
}

}  // namespace
}  // namespace assay
