// SPDX-License-Identifier: Apache-2.0
#include "exec/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/digest.h"
#include "spec/repository.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class InputsTest : public ::testing::Test {
 protected:
  InputsTest() {
    files_.Write("build/inputs/adder.sources",
                 "challenges/adder/adapter.cc\nchallenges/adder/suite.cc\n"
                 "harness/client/compare.cc\nreference/adder/oracle.cc\n");
    files_.Write("challenges/adder/suite.cc", "#include \"oracle.h\"\n#include <vector>\n");
    files_.Write("harness/client/compare.cc", "  #  include \"client/compare.h\"\n");
    files_.Write("harness/client/compare.h", "#if 0\n#include \"base/error.h\"\n#endif\n");
    files_.Write("harness/base/error.h", "");
    files_.Write("reference/adder/oracle.h", "#include \"interface.h\"\n");
    files_.Write("reference/adder/oracle.cc", "#include \"oracle.h\"\n");
  }

  InputPlaces Places() {
    return {.folder = files_.root() / "build/inputs", .sources = files_.root()};
  }

  std::vector<std::string> Paths() {
    InputReader reader(Places());
    const auto digests = reader.ReadChallenge("adder");
    EXPECT_TRUE(digests.has_value());
    std::vector<std::string> paths;
    for (const auto& [path, sha256] : digests.value_or(FileDigests{})) {
      paths.push_back(path);
    }
    return paths;
  }

  CellInputs Read(const std::string& model = "right") {
    const Repository repository = LoadRepository(files_.root()).repository;
    InputReader reader(Places());
    auto inputs = reader.Read(files_.root(), *FindSubmission(repository, {model, "adder"}));
    EXPECT_TRUE(inputs.has_value());
    return inputs.value_or(CellInputs{});
  }

  TemporaryRepository files_;
};

TEST_F(InputsTest, TextIsReadBackAndHoldsNothingElse) {
  const FileDigests files = {{"a/b.cc", Sha256("1")}, {"c.h", Sha256("2")}};
  EXPECT_EQ(ParseFileDigests(ToText(files)), files);
  EXPECT_EQ(ToText(files), Sha256("1") + "  a/b.cc\n" + Sha256("2") + "  c.h\n");
  EXPECT_EQ(ParseFileDigests(""), FileDigests{});
  const std::string digest = Sha256("1");
  for (const std::string& text : {digest, digest + "  a.cc", digest + " a.cc\n", digest + "  \n",
                                  "0" + digest + "  a.cc\n", digest + "  a\x1b[2J.cc\n"}) {
    EXPECT_EQ(ParseFileDigests(text), std::nullopt) << text;
  }
}

TEST_F(InputsTest, WhatSourcesIncludeCountsWhereverACompilerWouldFindIt) {
  EXPECT_THAT(Paths(), ElementsAre("challenges/adder/adapter.cc", "challenges/adder/interface.h",
                                   "challenges/adder/suite.cc", "harness/base/error.h",
                                   "harness/client/compare.cc", "harness/client/compare.h",
                                   "reference/adder/oracle.cc", "reference/adder/oracle.h"));
}

TEST_F(InputsTest, FileBesideItsIncluderAndOneThatAMacroNamesCount) {
  files_.Write("harness/client/compare.cc",
               "#include \"words.inc\"\n#define TWICE \"../host/twice.h\"\n");
  files_.Write("harness/client/words.inc", "");
  files_.Write("harness/host/twice.h", "");
  EXPECT_THAT(Paths(),
              AllOf(Contains("harness/client/words.inc"), Contains("harness/host/twice.h")));
}

TEST_F(InputsTest, NothingOutsideTheRepositoryIsRead) {
  files_.Write("harness/client/compare.cc",
               "#include \"/etc/hostname\"\n#include \"../../../../../../etc/hostname\"\n");
  EXPECT_THAT(Paths(), Not(Contains(HasSubstr("hostname"))));
}

TEST_F(InputsTest, FilesThatIncludeEachOtherCountOnce) {
  files_.Write("harness/base/error.h", "#include \"client/compare.h\"\n");
  EXPECT_THAT(Paths(), Contains("harness/base/error.h").Times(1));
}

TEST_F(InputsTest, HowScoresAreMadeDoesNotCount) {
  files_.Write("harness/client/compare.cc", "#include \"spec/rubric.h\"\n");
  files_.Write("harness/spec/rubric.h", "");
  EXPECT_THAT(Paths(), Not(Contains("harness/spec/rubric.h")));
}

TEST_F(InputsTest, SourceThatIsGoneIsLeftOut) {
  fs::remove(files_.root() / "reference/adder/oracle.cc");
  EXPECT_THAT(Paths(), AllOf(Not(Contains("reference/adder/oracle.cc")),
                             Contains("reference/adder/oracle.h")));
}

TEST_F(InputsTest, EachPartHasItsFiles) {
  const CellInputs inputs = Read();
  EXPECT_TRUE(inputs.challenge.contains("challenges/adder/suite.cc"));
  EXPECT_TRUE(inputs.reference.contains("reference/adder/oracle.cc"));
  EXPECT_TRUE(inputs.harness.contains("harness/base/error.h"));
  EXPECT_EQ(inputs.harness.size(), 3U);
  EXPECT_EQ(inputs.submission.at("submissions/right/adder/add.cc"), Sha256("// right\n"));
  EXPECT_EQ(ToDigests(inputs).harness, Sha256(ToText(inputs.harness)));
}

TEST_F(InputsTest, OfASubmissionCountsWhatIsHandedIn) {
  files_.Write("submissions/right/adder/README.md", "prose");
  files_.Write("submissions/right/adder/notes.txt", "prose");
  const CellInputs before = Read();
  EXPECT_TRUE(before.submission.contains("submissions/right/adder/tests/add_test.cc"));
  EXPECT_TRUE(before.submission.contains("submissions/right/adder/add.h"));
  EXPECT_TRUE(before.submission.contains("submissions/right/adder/submission.yaml"));
  files_.Write("submissions/right/adder/notes.txt", "more prose");
  EXPECT_EQ(Read(), before);
  files_.Write("submissions/right/adder/README.md", "# More prose");  // Its sections are counted.
  EXPECT_NE(Read(), before);
  files_.Write("submissions/right/adder/README.md", "prose");
  EXPECT_EQ(Read(), before);
  files_.Write("submissions/right/adder/add.h", "// other");
  EXPECT_NE(Read(), before);
}

TEST_F(InputsTest, EmulatedGpuCountsForCellsWithCudaAlone) {
  files_.Write("harness/client/compare.cc",
               "#include \"emulator/exec/launch.h\"\n#include \"gpu/suite/gpu_case.h\"\n"
               "#include \"gpu/adapter/device_stream.h\"\n");
  for (const char* const path : {"harness/emulator/exec/launch.h", "harness/gpu/suite/gpu_case.h",
                                 "harness/gpu/adapter/device_stream.h"}) {
    files_.Write(path, "");
  }
  const CellInputs plain = Read();
  EXPECT_FALSE(plain.harness.contains("harness/emulator/exec/launch.h"));
  EXPECT_TRUE(plain.harness.contains("harness/gpu/suite/gpu_case.h"));
  EXPECT_TRUE(plain.harness.contains("harness/gpu/adapter/device_stream.h"));
  files_.Replace("challenges/adder/challenge.yaml", "[c++]", "[c++, cuda]");
  files_.Write("submissions/right/adder/add.cu", "");
  files_.Replace("submissions/right/adder/submission.yaml", "sources: [add.cc]",
                 "sources: [add.cc, add.cu]");
  EXPECT_TRUE(Read().harness.contains("harness/emulator/exec/launch.h"));
}

TEST_F(InputsTest, PackageWithoutSourcesReadsTheSame) {
  const CellInputs of_build = Read();
  FileDigests all = of_build.challenge;
  all.insert(of_build.reference.begin(), of_build.reference.end());
  all.insert(of_build.harness.begin(), of_build.harness.end());
  files_.Write("build/inputs/adder.digests", ToText(all));
  fs::remove(files_.root() / "build/inputs/adder.sources");
  fs::remove_all(files_.root() / "harness");
  EXPECT_EQ(Read(), of_build);
  files_.Write("build/inputs/adder.digests", "no digests\n");
  InputReader reader(Places());
  const auto damaged = reader.ReadChallenge("adder");
  ASSERT_FALSE(damaged.has_value());
  EXPECT_EQ(damaged.error().kind, ErrorKind::kConfiguration);
}

TEST_F(InputsTest, ChallengeThatIsNotBuiltIsAnError) {
  InputReader reader(Places());
  const auto digests = reader.ReadChallenge("other");
  ASSERT_FALSE(digests.has_value());
  EXPECT_THAT(digests.error().where, HasSubstr("other.digests"));
  EXPECT_THAT(digests.error().remedy, HasSubstr("scripts/grade"));
}

}  // namespace
}  // namespace assay
