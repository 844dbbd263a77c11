// SPDX-License-Identifier: Apache-2.0
#include "cli/submission_stub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "cli/commands.h"
#include "process/run.h"
#include "spec/repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ChallengeSpec Adder() {
  ChallengeSpec challenge;
  challenge.directory = "challenges/adder";
  challenge.id = "adder";
  challenge.title = "Adder";
  challenge.languages = {"c++"};
  challenge.entry_points = {{.name = "add", .required = true},
                            {.name = "add_f64", .required = false}};
  challenge.questions = {
      {.id = "count_adds", .text = "How many: additions", .unit = "FLOP", .group = "count"}};
  challenge.claims = {{.id = "reads", .text = "Reads of an element", .metric = "reads"}};
  return challenge;
}

constexpr std::string_view kHeader =
    "enum { ADD_OK, ADD_UNSUPPORTED };\nint add(int a, int b);\ndouble add_f64(double a);\n";

TEST(SubmissionStub, HasTheRequiredFunctionsWhichRefuse) {
  const FileContents files = MakeStub(Adder(), kHeader).value();
  EXPECT_THAT(files.at("adder.cc"),
              HasSubstr("\nint add(int a, int b) {\n  return ADD_UNSUPPORTED;\n}\n"));
  EXPECT_THAT(files.at("adder.cc"), HasSubstr("until they are written: add_f64."));
  EXPECT_THAT(files.at("adder.cc"), Not(HasSubstr("add_f64(")));
  EXPECT_THAT(files.at("tests/adder_test.cc"), HasSubstr("&add)"));
  EXPECT_EQ(files.size(), 3U);
}

TEST(SubmissionStub, FirstLanguageNamesTheSource) {
  ChallengeSpec challenge = Adder();
  challenge.languages = {"cuda", "c++"};
  EXPECT_EQ(StubSource(challenge), "adder.cu");
  EXPECT_TRUE(MakeStub(challenge, kHeader).value().contains("adder.cu"));
}

TEST(SubmissionStub, FunctionThatTheHeaderLacksIsNamed) {
  const auto stub = MakeStub(Adder(), "int ad(int a);");
  ASSERT_FALSE(stub.has_value());
  EXPECT_THAT(ToString(stub.error()),
              StartsWith("challenges/adder/interface.h: does not declare \"add\""));
}

// What a person does with the sheet: takes the marks off, and writes values.
std::string FilledIn(const std::string& yaml) {
  std::string filled;
  for (std::string line : SplitLines(yaml)) {
    if (line == "# answers:" || line == "# claims:" || line.starts_with("#   ")) {
      line.erase(0, 2);
    }
    if (line.starts_with("  ") && !line.starts_with("  #") && line.ends_with(":")) {
      line += " 1";
    }
    if (line != "  - {source: tests/bench.cc, configurations: 4}") {
      filled += line + "\n";
    }
  }
  return filled;
}

TEST(SubmissionStub, YamlCanBeReadAndFilledIn) {
  const auto folder = TemporaryDirectory::Create(fs::temp_directory_path(), "stub").value();
  const FileContents files = MakeStub(Adder(), kHeader).value();
  for (const auto& [path, content] : files) {
    ASSERT_TRUE(WriteFileAtomically(folder.path() / path, content));
  }
  const auto empty = ReadSubmission(folder.path(), Adder(), "me");
  ASSERT_TRUE(empty.has_value()) << ToString(empty.error()[0]);
  EXPECT_TRUE(empty->answers.empty());
  const std::string filled = FilledIn(files.at("submission.yaml"));
  ASSERT_TRUE(WriteFileAtomically(folder.path() / "submission.yaml", filled));
  const auto full = ReadSubmission(folder.path(), Adder(), "me");
  ASSERT_TRUE(full.has_value()) << ToString(full.error()[0]) << filled;
  EXPECT_EQ(full->answers.at("count_adds"), "1");
  EXPECT_EQ(full->claims.at("reads"), 1.0);
}

TEST(SubmissionStub, YamlNamesTheFilesItIsGiven) {
  const std::string yaml = SubmissionYaml(
      Adder(),
      {.sources = {"a.cc", "b.cc"}, .benchmarks = {"bench.cc"}, .documents = {"README.md"}});
  EXPECT_THAT(yaml, HasSubstr("\nsources: [a.cc, b.cc]\n"));
  EXPECT_THAT(yaml, HasSubstr("\n# tests: "));
  EXPECT_THAT(yaml, HasSubstr("\nbenchmarks:\n  - {source: bench.cc, configurations: 1}\n"));
  EXPECT_THAT(yaml, HasSubstr("# For readers: README.md."));
}

// A stub of each challenge there is goes through the compiler with all of its warnings on but those
// of arguments that nobody uses yet.
TEST(SubmissionStub, OfEveryChallengeCompiles) {
  const fs::path sources = ThisInstallation().value().sources;
  const LoadedRepository loaded = LoadRepository(sources);
  ASSERT_FALSE(loaded.repository.challenges.empty());
  for (const ChallengeSpec& challenge : loaded.repository.challenges) {
    const auto folder = TemporaryDirectory::Create(fs::temp_directory_path(), "stub").value();
    const auto stub =
        MakeStub(challenge, ReadFile(challenge.directory / "interface.h").value_or(""));
    ASSERT_TRUE(stub.has_value()) << ToString(stub.error());
    for (const auto& [path, content] : *stub) {
      ASSERT_TRUE(WriteFileAtomically(folder.path() / path, content));
    }
    for (const std::string& source : {StubSource(challenge), StubTest(challenge)}) {
      Command command;
      command.argv = {"g++",
                      "-std=c++17",
                      "-Wall",
                      "-Wextra",
                      "-Werror",
                      "-Wno-unused-parameter",
                      "-fsyntax-only",
                      "-I" + challenge.directory.string(),
                      "-x",
                      "c++",
                      (folder.path() / source).string()};
      const auto compiled = RunToCompletion(command);
      ASSERT_TRUE(compiled.has_value()) << ToString(compiled.error());
      EXPECT_EQ(compiled->exit.code_or_signal, 0) << challenge.id << "/" << source << "\n"
                                                  << compiled->errors;
    }
  }
}

}  // namespace
}  // namespace assay
