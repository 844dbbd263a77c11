// SPDX-License-Identifier: Apache-2.0
#include "cli/watch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/watch_deadline.h"
#include "process/interrupt.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FolderWatchTest : public ::testing::Test {
 protected:
  void Write(const std::string& file, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(folder_.path() / file, text).has_value());
  }

  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::temp_directory_path(), "watch").value();
};

TEST_F(FolderWatchTest, SaveBeforeTheWaitIsNotLost) {
  const WatchDeadline deadline;
  auto watch = FolderWatch::Start(folder_.path());
  ASSERT_TRUE(watch.has_value()) << ToString(watch.error());
  Write("a.cc", "1");
  EXPECT_TRUE(watch->Wait().has_value());
}

TEST_F(FolderWatchTest, SaveInAFolderThatIsNewEndsTheNextWait) {
  const WatchDeadline deadline;
  auto watch = FolderWatch::Start(folder_.path());
  ASSERT_TRUE(watch.has_value());
  Write("below/a.h", "1");
  ASSERT_TRUE(watch->Wait().has_value());
  Write("below/a.h", "2");
  EXPECT_TRUE(watch->Wait().has_value());
}

TEST_F(FolderWatchTest, SignalEndsTheWait) {
  const WatchDeadline deadline;
  auto watch = FolderWatch::Start(folder_.path());
  ASSERT_TRUE(watch.has_value());
  std::thread other([] { ::raise(SIGTERM); });
  EXPECT_TRUE(watch->Wait().has_value());
  other.join();
  EXPECT_EQ(InterruptSignal(), SIGTERM);
}

TEST_F(FolderWatchTest, FolderThatIsGoneIsNamed) {
  const auto watch = FolderWatch::Start(folder_.path() / "none");
  ASSERT_FALSE(watch.has_value());
  EXPECT_THAT(ToString(watch.error()), HasSubstr("none: cannot be watched"));
}

TEST_F(FolderWatchTest, WhatASaveChangedIsWhatDiffers) {
  Write("same.cc", "1");
  Write("edited.cc", "1");
  Write("gone.cc", "1");
  const FileDigests before = DigestFiles(folder_.path());
  EXPECT_THAT(ChangedFiles(before, DigestFiles(folder_.path())), IsEmpty());
  Write("same.cc", "1");
  Write("edited.cc", "2");
  fs::remove(folder_.path() / "gone.cc");
  Write("sub/new.h", "1");
  EXPECT_THAT(ChangedFiles(before, DigestFiles(folder_.path())),
              ElementsAre("edited.cc", "gone.cc", "sub/new.h"));
}

}  // namespace
}  // namespace assay
