// SPDX-License-Identifier: Apache-2.0
#include "exec/build_stamp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class BuildStampTest : public ::testing::Test {
 protected:
  BuildStampTest() {
    files_.Write("build/inputs/adder.sources", "challenges/adder/suite.cc\n");
    files_.Write("build/inputs/adder.products",
                 (files_.root() / "build/suite\n").string() +
                     (files_.root() / "build/adder/mutants/libno_sum.a\n").string());
    files_.Write("build/adder/mutants/libno_sum.a", "built");
    files_.Write("challenges/adder/suite.cc", "#include \"oracle.h\"\n");
    files_.Write("reference/adder/oracle.h", "// oracle\n");
    files_.Write("build/suite", "built");
    EXPECT_TRUE(WriteBuildStamp(places_, "adder").has_value());
  }

  Status Check() {
    InputReader reader(places_);
    return CheckBuildStamp(reader, "adder");
  }

  // The error's text, empty when all is as it was built.
  std::string Refusal() {
    const Status status = Check();
    return status ? "" : ToString(status.error());
  }

  TemporaryRepository files_;
  InputPlaces places_{.folder = files_.root() / "build/inputs", .sources = files_.root()};
};

TEST_F(BuildStampTest, HoldsUntilSomethingChanges) {
  EXPECT_EQ(Refusal(), "");
  files_.Write("reference/adder/README.md", "prose");
  EXPECT_EQ(Refusal(), "");
}

TEST_F(BuildStampTest, EditThatIsNotBuiltIsRefused) {
  files_.Write("reference/adder/oracle.h", "// other\n");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("reference/adder/oracle.h changed since adder was built"),
                               HasSubstr("run scripts/grade")));
  files_.Write("reference/adder/oracle.h", "// oracle\n");
  EXPECT_EQ(Refusal(), "");
}

TEST_F(BuildStampTest, SuiteOfAnEditThatWasTakenBackIsRefused) {
  files_.Write("build/suite", "built from an edit, on its own");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("build/suite"), HasSubstr("last whole build of adder")));
  fs::remove(files_.root() / "build/suite");
  EXPECT_THAT(Refusal(), HasSubstr("build/suite"));
}

TEST_F(BuildStampTest, DeletedMutantsAreRefused) {
  fs::remove(files_.root() / "build/adder/mutants/libno_sum.a");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("build/adder/mutants/libno_sum.a"),
                               HasSubstr("last whole build of adder")));
}

// A mutant that was taken out of the sources stays where it was built.
TEST_F(BuildStampTest, MutantsOfAnEarlierBuildAreRefused) {
  files_.Write("build/adder/mutants/notes.txt", "no mutant");
  EXPECT_EQ(Refusal(), "");
  files_.Write("build/adder/mutants/libgone.a", "left");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("build/adder/mutants/libgone.a"),
                               HasSubstr("is of a mutant that this build does not have")));
}

TEST_F(BuildStampTest, BuildThatDidNotEndIsRefused) {
  fs::remove(files_.root() / "build/inputs/adder.built");
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("adder.built"), HasSubstr("the build did not end")));
}

TEST_F(BuildStampTest, PackageIsTakenAsItIs) {
  fs::remove(files_.root() / "build/inputs/adder.sources");
  fs::remove(files_.root() / "build/inputs/adder.built");
  files_.Write("build/suite", "stripped");
  EXPECT_EQ(Refusal(), "");
}

TEST_F(BuildStampTest, RuleForTheBuildNamesEveryFileThatCounts) {
  const auto rule = ReadFile(places_.folder / "adder.d");
  ASSERT_TRUE(rule.has_value());
  EXPECT_THAT(*rule, AllOf(::testing::StartsWith((places_.folder / "adder.digests:").string()),
                           HasSubstr((files_.root() / "reference/adder/oracle.h").string())));
}

TEST_F(BuildStampTest, ProductThatIsMissingWritesNoStamp) {
  fs::remove(places_.folder / "adder.digests");
  fs::remove(files_.root() / "build/suite");
  EXPECT_FALSE(WriteBuildStamp(places_, "adder").has_value());
  EXPECT_FALSE(fs::exists(places_.folder / "adder.digests"));
}

}  // namespace
}  // namespace assay
