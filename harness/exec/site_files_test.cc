// SPDX-License-Identifier: Apache-2.0
#include "exec/site_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/temporary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::string_view kMark = "ours(";

struct SiteFiles : testing::Test {
  TemporaryDirectory folder = *TemporaryDirectory::Create(fs::temp_directory_path(), "site");
  fs::path site = folder.path() / "site";

  [[nodiscard]] Result<SiteFolder> Open() const { return SiteFolder::Open(site, kMark); }
  [[nodiscard]] std::string Content(const std::string& path) const {
    return ReadFile(site / path).value_or("(is not there)");
  }
  /// A site with index.html and data/a.js.
  void WriteOne() const {
    auto opened = Open();
    ASSERT_TRUE(opened.has_value()) << ToString(opened.error());
    ASSERT_TRUE(opened->Write("index.html", "page"));
    ASSERT_TRUE(opened->Write("data/a.js", "ours(1)"));
  }
};

TEST_F(SiteFiles, WritesIntoANewFolderAndKnowsItAgain) {
  WriteOne();
  EXPECT_EQ(Content("data/a.js"), "ours(1)");
  WriteOne();
}

TEST_F(SiteFiles, WritesOnlyWhatDiffers) {
  WriteOne();
  auto again = Open();
  ASSERT_TRUE(again.has_value());
  ASSERT_TRUE(again->Write("index.html", "page"));
  ASSERT_TRUE(again->Write("data/a.js", "ours(2)"));
  const auto changes = again->RemoveStale();
  ASSERT_TRUE(changes.has_value());
  EXPECT_EQ(changes->files, 3);
  EXPECT_EQ(changes->written, 1);
  EXPECT_EQ(Content("data/a.js"), "ours(2)");
}

/// A prefix of what is to be written, and what is longer than it.
TEST_F(SiteFiles, AFileThatWasCutOffOrGrewIsWritten) {
  WriteOne();
  for (const char* const there : {"ours(", "ours(1) and more"}) {
    ASSERT_TRUE(WriteFileAtomically(site / "data/a.js", there));
    WriteOne();
    EXPECT_EQ(Content("data/a.js"), "ours(1)");
  }
}

TEST_F(SiteFiles, RemovesDataOfItsOwnThatIsNoLongerWrittenAndNothingElse) {
  WriteOne();
  ASSERT_TRUE(WriteFileAtomically(site / "data/theirs.js", "theirs"));
  ASSERT_TRUE(WriteFileAtomically(site / "notes.txt", "theirs"));
  auto again = Open();
  ASSERT_TRUE(again.has_value());
  const auto changes = again->RemoveStale();
  ASSERT_TRUE(changes.has_value());
  EXPECT_EQ(changes->removed, 1);
  EXPECT_FALSE(fs::exists(site / "data/a.js"));
  EXPECT_EQ(Content("data/theirs.js"), "theirs");
  EXPECT_EQ(Content("notes.txt"), "theirs");
}

TEST_F(SiteFiles, AFolderWithOtherFilesIsRefused) {
  ASSERT_TRUE(WriteFileAtomically(site / "mine.txt", "mine"));
  const auto opened = Open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(ToString(opened.error()), HasSubstr("holds files"));
  EXPECT_FALSE(fs::exists(site / kSiteMarker));
}

TEST_F(SiteFiles, AFileInTheFoldersPlaceIsRefused) {
  ASSERT_TRUE(WriteFileAtomically(site, "a file"));
  const auto opened = Open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(ToString(opened.error()), HasSubstr("is no folder"));
}

TEST_F(SiteFiles, DataOfSomebodyElseIsNotReplaced) {
  WriteOne();
  ASSERT_TRUE(WriteFileAtomically(site / "data/b.js", "theirs"));
  auto again = Open();
  ASSERT_TRUE(again.has_value());
  EXPECT_FALSE(again->Write("data/b.js", "ours(3)").has_value());
  EXPECT_EQ(Content("data/b.js"), "theirs");
}

TEST_F(SiteFiles, NoLinkIsFollowed) {
  WriteOne();
  const fs::path outside = folder.path() / "outside";
  fs::create_directories(outside);
  ASSERT_TRUE(WriteFileAtomically(outside / "file.js", "ours(outside)"));
  fs::create_symlink(outside / "file.js", site / "data/link.js");
  fs::create_directory_symlink(outside, site / "data/cells");
  auto again = Open();
  ASSERT_TRUE(again.has_value());
  EXPECT_FALSE(again->Write("data/link.js", "ours(4)").has_value());
  EXPECT_FALSE(again->Write("data/cells/file.js", "ours(4)").has_value());
  ASSERT_TRUE(again->RemoveStale().has_value());
  EXPECT_EQ(ReadFile(outside / "file.js").value_or(""), "ours(outside)");
}

}  // namespace
}  // namespace assay
