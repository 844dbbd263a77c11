// SPDX-License-Identifier: Apache-2.0
#include "build/staging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class StagingTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::Create(fs::temp_directory_path(), "staging-test");
    ASSERT_TRUE(made) << ToString(made.error());
    directory_.emplace(std::move(*made));
    fs::create_directories(From());
  }

  [[nodiscard]] fs::path From() const { return directory_->path() / "from"; }
  [[nodiscard]] fs::path To() const { return directory_->path() / "to"; }
  void Write(const std::string& name, const std::string& content) const {
    ASSERT_TRUE(WriteFileAtomically(From() / name, content));
  }
  // The reason of the refusal, or "" where the files were staged.
  [[nodiscard]] std::string Refusal(const std::vector<std::string>& files) const {
    const auto staged = Stage(From(), files, To());
    EXPECT_TRUE(staged) << ToString(staged.error());
    return !staged || staged->has_value() ? "" : staged->error().reason;
  }

 private:
  std::optional<TemporaryDirectory> directory_;
};

TEST_F(StagingTest, ListedFilesAreCopiedAndOthersAreNot) {
  Write("a.cc", "int a;");
  Write("deep/b.h", "int b;");
  Write("secret.txt", "no");
  EXPECT_EQ(Refusal({"a.cc", "deep/b.h"}), "");
  EXPECT_EQ(ReadFile(To() / "a.cc").value(), "int a;");
  EXPECT_EQ(ReadFile(To() / "deep/b.h").value(), "int b;");
  EXPECT_FALSE(fs::exists(To() / "secret.txt"));
}

TEST_F(StagingTest, SymbolicLinkIsRefusedAsAFileAndAsAFolder) {
  Write("real/a.cc", "int a;");
  fs::create_symlink(From() / "real/a.cc", From() / "link.cc");
  fs::create_directory_symlink(From() / "real", From() / "folder");
  EXPECT_THAT(Refusal({"link.cc"}), HasSubstr("link.cc cannot be read"));
  EXPECT_THAT(Refusal({"folder/a.cc"}), HasSubstr("folder/a.cc cannot be read"));
}

TEST_F(StagingTest, NamedPipeIsRefusedWithoutBlocking) {
  ASSERT_EQ(::mkfifo((From() / "pipe.cc").c_str(), 0600), 0);
  EXPECT_THAT(Refusal({"pipe.cc"}), HasSubstr("pipe.cc is not a regular file"));
}

TEST_F(StagingTest, MissingFileAndPathsThatLeaveAreRefused) {
  EXPECT_THAT(Refusal({"gone.cc"}), HasSubstr("gone.cc cannot be read"));
  EXPECT_THAT(Refusal({"../from/a.cc"}), HasSubstr("leads out of the submission"));
  EXPECT_THAT(Refusal({"/etc/passwd"}), HasSubstr("leads out of the submission"));
}

TEST_F(StagingTest, HugeFileIsRefusedWithoutReadingIt) {
  Write("big.cc", "");
  fs::resize_file(From() / "big.cc", std::uintmax_t{200} << 20);
  EXPECT_THAT(Refusal({"big.cc"}), HasSubstr("big.cc has 209715200 bytes"));
  EXPECT_FALSE(fs::exists(To() / "big.cc"));
}

TEST_F(StagingTest, TooManyFilesAndTooManyBytesAreRefused) {
  EXPECT_THAT(Refusal(std::vector<std::string>(kLargestSubmission_files + 1, "a.cc")),
              HasSubstr("sources and headers"));
  Write("a.cc", std::string(kLargestSource_bytes, ' '));
  EXPECT_THAT(Refusal(std::vector<std::string>(17, "a.cc")), HasSubstr("more than 16777216 bytes"));
}

SubmissionSpec SpecWithTests(std::vector<std::string> tests) {
  SubmissionSpec submission;
  submission.sources = {"src/a.cc"};
  submission.headers = {"src/a.h", "tests/util.h", "top.h"};
  submission.tests = std::move(tests);
  submission.benchmarks = {{.source = "bench/b.cc", .configurations = 1}};
  return submission;
}

TEST(ImplementationFiles, HeadersOfATestFolderAreLeftOut) {
  EXPECT_THAT(ImplementationFiles(SpecWithTests({"tests/t.cc"})),
              ElementsAre("src/a.cc", "src/a.h", "top.h"));
}

TEST(ImplementationFiles, FolderThatHoldsASourceIsNoTestFolder) {
  EXPECT_THAT(ImplementationFiles(SpecWithTests({"src/t.cc", "t.cc"})),
              ElementsAre("src/a.cc", "src/a.h", "tests/util.h", "top.h"));
}

TEST(AllFiles, HoldProgramsAndEveryHeader) {
  EXPECT_THAT(
      AllFiles(SpecWithTests({"tests/t.cc"})),
      ElementsAre("bench/b.cc", "src/a.cc", "src/a.h", "tests/t.cc", "tests/util.h", "top.h"));
}

}  // namespace
}  // namespace assay
