// SPDX-License-Identifier: Apache-2.0
#include "base/temporary.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/file.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryTest, RemovedWithContentsByTheDestructor) {
  std::optional<TemporaryDirectory> folder =
      TemporaryDirectory::Create(fs::path(testing::TempDir()), "t").value();
  const fs::path path = folder->path();
  ASSERT_TRUE(WriteFileAtomically(path / "sub" / "file", "x"));
  TemporaryDirectory moved = std::move(*folder);
  folder.reset();
  EXPECT_TRUE(fs::exists(path));
  {
    const TemporaryDirectory last = std::move(moved);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryTest, SweepRemovesOnlyFoldersOfDeadOwners) {
  const auto root = TemporaryDirectory::Create(fs::path(testing::TempDir()), "root").value();
  const auto mine = TemporaryDirectory::Create(root.path(), "mine").value();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // _exit runs no destructor: what SIGKILL does to an owner.
    const auto left = TemporaryDirectory::Create(root.path(), "left");
    ::_exit(left ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const auto count = [&] {
    return std::distance(fs::directory_iterator(root.path()), fs::directory_iterator());
  };
  ASSERT_EQ(count(), 2);
  TemporaryDirectory::SweepStale(root.path());
  EXPECT_EQ(count(), 1);
  EXPECT_TRUE(fs::exists(mine.path()));
}

TEST(TemporaryTest, SweepGoesThroughNoLink) {
  const auto root = TemporaryDirectory::Create(testing::TempDir(), "links").value();
  const fs::path mine = root.path() / "mine" / "folder";
  fs::create_directories(mine);
  fs::create_directories(root.path() / "swept");
  fs::create_directory_symlink(root.path() / "mine", root.path() / "link");
  fs::create_directory_symlink(root.path() / "mine", root.path() / "swept" / "link");
  TemporaryDirectory::SweepStale(root.path() / "link");
  TemporaryDirectory::SweepStale(root.path() / "swept");
  EXPECT_TRUE(fs::exists(mine));
}

TEST(TemporaryTest, UnwritableRootIsAConfigurationError) {
  const auto folder = TemporaryDirectory::Create("/proc/no_such_place", "t");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::kConfiguration);
}

}  // namespace
}  // namespace assay
