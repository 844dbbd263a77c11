// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::path(testing::TempDir()), "file_test").value();
  fs::path path_ = folder_.path() / "a" / "b.txt";
};

TEST_F(FileTest, WrittenContentReadsBack) {
  ASSERT_TRUE(WriteFileAtomically(path_, "one"));
  ASSERT_TRUE(WriteFileAtomically(path_, "two"));
  EXPECT_EQ(ReadFile(path_).value(), "two");
  EXPECT_EQ(ListFiles(folder_.path()).value(), std::vector<fs::path>{"a/b.txt"});
}

TEST_F(FileTest, WhatCannotBeLookedAtIsNeitherThereNorNot) {
  EXPECT_TRUE(IsThere(folder_.path()).value());
  EXPECT_FALSE(IsThere(path_).value());
  const fs::path loop = folder_.path() / "loop";
  fs::create_directory_symlink("loop", loop);
  EXPECT_TRUE(IsThere(loop).value());
  const auto behind = IsThere(loop / "file");
  ASSERT_FALSE(behind.has_value());
  EXPECT_EQ(behind.error().kind, ErrorKind::kConfiguration);
}

TEST_F(FileTest, MissingFileNamesItself) {
  const auto read = ReadFile(path_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().where, path_.string());
  EXPECT_EQ(read.error().kind, ErrorKind::kConfiguration);
}

TEST_F(FileTest, FileOverTheLimitIsRefused) {
  ASSERT_TRUE(WriteFileAtomically(path_, "12345"));
  EXPECT_TRUE(ReadFile(path_, 5));
  EXPECT_FALSE(ReadFile(path_, 4));
}

TEST_F(FileTest, DirectoryIsNotAFile) { EXPECT_FALSE(ReadFile(folder_.path())); }

TEST_F(FileTest, FailedWriteLeavesTheOldFileAndNoTemporary) {
  ASSERT_TRUE(WriteFileAtomically(path_, "old"));
  // A folder in the place of the file makes the last step, the rename, fail.
  const fs::path blocked = folder_.path() / "blocked";
  fs::create_directories(blocked / "child");
  EXPECT_FALSE(WriteFileAtomically(blocked, "new"));
  EXPECT_EQ(ReadFile(path_).value(), "old");
  EXPECT_EQ(ListFiles(folder_.path()).value().size(), 1U);
}

TEST_F(FileTest, ListingIsSortedAndSkipsLinks) {
  ASSERT_TRUE(WriteFileAtomically(folder_.path() / "z", ""));
  ASSERT_TRUE(WriteFileAtomically(folder_.path() / "c", ""));
  fs::create_symlink("/etc/hostname", folder_.path() / "link");
  EXPECT_EQ(ListFiles(folder_.path()).value(), (std::vector<fs::path>{"c", "z"}));
}

TEST_F(FileTest, TooManyFilesIsAnError) {
  ASSERT_TRUE(WriteFileAtomically(folder_.path() / "1", ""));
  ASSERT_TRUE(WriteFileAtomically(folder_.path() / "2", ""));
  EXPECT_TRUE(ListFiles(folder_.path(), 2));
  EXPECT_FALSE(ListFiles(folder_.path(), 1));
}

}  // namespace
}  // namespace assay
