// SPDX-License-Identifier: Apache-2.0
#include "spec/submission_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "spec/faults_for_test.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST(CheckRepository, SymbolicLinkIsRefusedWhereverItPoints) {
  const TemporaryRepository files;
  const fs::path directory = files.root() / "submissions/right/adder";
  fs::create_symlink("/etc/passwd", directory / "secret.h");
  fs::create_symlink("add.cc", directory / "same.cc");
  EXPECT_THAT(Faults(files), ElementsAre(HasSubstr("is a symbolic link; replace it by the file"),
                                         HasSubstr("is a symbolic link; replace it by the file")));
}

TEST(CheckRepository, DirectoriesThatAreLinksAreRefused) {
  const TemporaryRepository files;
  const fs::path submissions = files.root() / "submissions";
  fs::create_directory_symlink(submissions / "right", submissions / "same");
  fs::remove_all(submissions / "right/adder");
  fs::create_directory_symlink(submissions / "wrong/adder", submissions / "right/adder");
  EXPECT_THAT(Faults(files),
              ElementsAre("submissions/right/adder: is a symbolic link; replace it by the "
                          "directory that it points to",
                          "submissions/same: is a symbolic link; replace it by the directory that "
                          "it points to"));
}

TEST(CheckRepository, SubmissionYamlThatIsALinkIsNotRead) {
  const TemporaryRepository files;
  const fs::path yaml = files.root() / kSubmission;
  files.Write("secret.yaml", "password: hunter2\n");
  fs::remove(yaml);
  fs::create_symlink(files.root() / "secret.yaml", yaml);
  for (const std::string& fault : Faults(files)) {
    EXPECT_THAT(fault, HasSubstr("is a symbolic link"));
  }
  EXPECT_THAT(Faults(files), SizeIs(2));
}

TEST(CheckRepository, PipesAndOddNamesAreRefusedAndPrintedSafely) {
  const TemporaryRepository files;
  const fs::path directory = files.root() / "submissions/right/adder";
  ASSERT_EQ(::mkfifo((directory / "pipe.h").c_str(), 0600), 0);
  files.Write("submissions/right/adder/a\x1b|b.h", "");
  EXPECT_THAT(Faults(files),
              UnorderedElementsAre(
                  "submissions/right/adder/pipe.h: is neither a file nor a directory; remove it",
                  HasSubstr("adder/a\\x1b|b.h: has a name that is not plain")));
}

TEST(CheckRepository, LargeFileIsNamedWithItsSize) {
  const TemporaryRepository files;
  files.Write("submissions/right/adder/big.h", "");
  fs::resize_file(files.root() / "submissions/right/adder/big.h", 200'000'000);
  EXPECT_THAT(Faults(files),
              ElementsAre("submissions/right/adder/big.h: holds 200000000 bytes, more than the "
                          "1048576 allowed a file; make it smaller or remove it",
                          "submissions/right/adder: holds 200000195 bytes, more than the "
                          "16777216 allowed; hand in sources alone"));
}

TEST(CheckRepository, TenThousandFilesAreOneFault) {
  const TemporaryRepository files;
  const fs::path directory = files.root() / "submissions/right/adder/many";
  fs::create_directory(directory);
  for (int i = 0; i <= 10'000; ++i) {
    ASSERT_EQ(::mknod((directory / std::to_string(i)).c_str(), S_IFREG | 0600, 0), 0);
  }
  const auto faults = Faults(files);
  ASSERT_THAT(faults, Not(IsEmpty()));
  EXPECT_EQ(faults[0],
            "submissions/right/adder: holds more than 10000 files; hand in sources alone");
}

}  // namespace
}  // namespace assay
