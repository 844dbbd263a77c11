// SPDX-License-Identifier: Apache-2.0
#include "cli/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "spec/submission_spec.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Answer, NamesThatNoSubmissionMayHoldAreRefused) {
  for (const char* name :
       {"a.cc", "deep/a.h", "README.md", "patches/fix.patch", "a+b.cc", "LICENSE"}) {
    EXPECT_EQ(RefusalOfName(name), std::nullopt) << name;
  }
  for (const char* name : {"../a.cc", "a/../../b.cc", "/etc/passwd", "..", "a/.."}) {
    EXPECT_EQ(RefusalOfName(name), "leads out of the answer") << name;
  }
  for (const char* name : {".git/config", "a/.hidden", ".clang-format"}) {
    EXPECT_EQ(RefusalOfName(name), "hidden") << name;
  }
  for (const char* name : {"a b.cc", "-o.cc", "a//b.cc", "caf\xc3\xa9.cc", "a\nb.cc", "a\\b.cc"}) {
    EXPECT_EQ(RefusalOfName(name), "a name that is not plain") << name;
  }
  for (const char* name : {"CMakeLists.txt", "deep/Makefile", "build.sh", "run.PY", "x.cmake",
                           "rules.mk", "Dockerfile", "meson.build"}) {
    EXPECT_EQ(RefusalOfName(name), "a build script") << name;
  }
  EXPECT_NE(RefusalOfName(""), std::nullopt);
  EXPECT_NE(RefusalOfName(std::string(201, 'a')), std::nullopt);
}

TEST(Answer, BinariesAndScriptsAreRefusedByTheirContent) {
  EXPECT_EQ(RefusalOfContent("int a;\r\n\tint b; // \xc3\xa9\f\n"), std::nullopt);
  EXPECT_EQ(RefusalOfContent(""), std::nullopt);
  EXPECT_EQ(RefusalOfContent(std::string_view("\x7f"
                                              "ELF\0\1",
                                              6)),
            "a binary");
  EXPECT_EQ(RefusalOfContent("#!/bin/sh\n"), "a script");
  EXPECT_EQ(RefusalOfContent("// caf\xe9\n"), "has bytes that are not UTF-8");
}

TEST(Answer, OneErrorNamesEverythingThatIsRefused) {
  AnswerIntake intake;
  intake.Add("./a.cc", EntryKind::kFile, "int a;");
  intake.Add("Makefile", EntryKind::kFile, "all:");
  intake.Add("x\x1b[2Jy.cc", EntryKind::kFile, "");
  intake.Add("link.cc", EntryKind::kLink, "");
  intake.Add("pipe", EntryKind::kOther, "");
  intake.Add("a.cc", EntryKind::kFile, "int b;");
  intake.Add("big.cc", EntryKind::kFile, std::string(kLargestSource_bytes + 1, ' '));
  const auto files = intake.Finish("answer.zip");
  ASSERT_FALSE(files.has_value());
  EXPECT_EQ(files.error().where, "answer.zip");
  EXPECT_THAT(files.error().cause,
              AllOf(HasSubstr("\"Makefile\" (a build script)"), HasSubstr("\"link.cc\" (a link)"),
                    HasSubstr("\"pipe\" (no regular file)"), HasSubstr("\"a.cc\" (there twice)"),
                    HasSubstr("\"big.cc\" (more than 1048576 bytes)"), Not(HasSubstr("\x1b"))));
}

TEST(Answer, ManyRefusedFilesAreCounted) {
  AnswerIntake intake;
  for (int i = 0; i < 70; ++i) {
    intake.Refuse("x" + std::to_string(i), "hidden");
  }
  EXPECT_THAT(intake.Finish("a").error().cause,
              AllOf(HasSubstr("\"x49\""), Not(HasSubstr("\"x50\"")), HasSubstr("and 20 more")));
}

TEST(Answer, FileThatIsAFolderTooIsRefused) {
  AnswerIntake intake;
  intake.Add("a", EntryKind::kFile, "");
  intake.Add("a-b", EntryKind::kFile, "");
  intake.Add("a/b.cc", EntryKind::kFile, "");
  EXPECT_THAT(intake.Finish("x").error().cause, HasSubstr("\"a\" (a file and a folder)"));
}

TEST(Answer, LimitsOnTheWholeEndTheReading) {
  AnswerIntake bytes;
  for (int i = 0; bytes.HasRoom() && i < 100; ++i) {
    bytes.Add("f" + std::to_string(i), EntryKind::kFile, std::string(kLargestSource_bytes, ' '));
  }
  EXPECT_THAT(bytes.Finish("x").error().cause, HasSubstr("more than 16777216 bytes"));
  AnswerIntake count;
  for (int i = 0; count.HasRoom() && i < 20'000; ++i) {
    count.Add("f" + std::to_string(i), EntryKind::kFile, "");
  }
  EXPECT_THAT(count.Finish("x").error().cause, HasSubstr("more than 10000 files"));
}

TEST(Answer, CommonFolderIsTakenOff) {
  EXPECT_EQ(WithoutCommonFolder({{"x/a.cc", "1"}, {"x/t/b.cc", "2"}}),
            (FileContents{{"a.cc", "1"}, {"t/b.cc", "2"}}));
  const FileContents two = {{"a.cc", "1"}, {"x/b.cc", "2"}};
  EXPECT_EQ(WithoutCommonFolder(two), two);
  const FileContents folders = {{"x/a.cc", "1"}, {"xy/b.cc", "2"}};
  EXPECT_EQ(WithoutCommonFolder(folders), folders);
  EXPECT_TRUE(WithoutCommonFolder({}).empty());
}

TEST(Answer, FilesAreToldApartByMainAndName) {
  const std::string program = "int main() { return 0; }\n";
  ChallengeSpec challenge;
  challenge.languages = {"c++"};
  FileContents files = {{"a.cc", "int a;"},          {"b.cpp", "int b;"},
                        {"a.h", "int a;"},           {"check.cc", program},
                        {"tests/t.cc", program},     {"tests/util.cc", "int u;"},
                        {"bench/speed.cc", program}, {"README.md", "Text"},
                        {"k.cu", "int k;"},          {"data.csv", "1,2"}};
  SubmissionFiles found = ClassifyFiles(files, challenge);
  EXPECT_THAT(found.sources, ElementsAre("a.cc", "b.cpp"));
  EXPECT_THAT(found.tests, ElementsAre("check.cc", "tests/t.cc"));
  EXPECT_THAT(found.benchmarks, ElementsAre("bench/speed.cc"));
  EXPECT_THAT(found.documents, ElementsAre("README.md"));
  challenge.languages = {"c++", "cuda"};
  EXPECT_THAT(ClassifyFiles(files, challenge).sources, ElementsAre("a.cc", "b.cpp", "k.cu"));
}

}  // namespace
}  // namespace assay
