// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/commands.h"
#include "process/run.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class DeployTest : public ::testing::Test {
 protected:
  DeployTest() {
    files_.Write("challenges/adder/interface.h",
                 "#ifdef __cplusplus\nextern \"C\" {\n#endif\nenum { ADD_UNSUPPORTED = 1 };\n"
                 "int add_f32(int a, int b);\n#ifdef __cplusplus\n}\n#endif\n");
    files_.Write("challenges/adder/PROMPT.md", "Add.\n");
    files_.Write("challenges/adder/suite.cc", "secret\n");
  }

  int Deploy(const fs::path& to, const std::vector<std::string>& challenges = {}) {
    out_.str("");
    err_.str("");
    return RunDeploy({.common = {.root = files_.root()},
                      .model = "me",
                      .challenges = challenges,
                      .directory = to},
                     console_);
  }

  TemporaryRepository files_;
  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::temp_directory_path(), "deploy").value();
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(DeployTest, LaysOutWhatAModelMaySeeAndNothingElse) {
  const fs::path to = folder_.path() / "deep/me";
  EXPECT_EQ(Deploy(to), 0) << err_.str();
  EXPECT_THAT(ListFiles(to).value(),
              UnorderedElementsAre("adder/PROMPT.md", "adder/README.md", "adder/answer/adder.cc",
                                   "adder/answer/submission.yaml",
                                   "adder/answer/tests/adder_test.cc", "adder/interface.h"));
  EXPECT_EQ(ReadFile(to / "adder/PROMPT.md").value(), "Add.\n");
  EXPECT_THAT(out_.str(), HasSubstr("assay collect " + (to / "adder/answer").string() +
                                    " --as me/adder --root " + files_.root().string()));
}

TEST_F(DeployTest, SampleTestBuildsByTheCommandInItsReadme) {
  EXPECT_EQ(Deploy(folder_.path()), 0) << err_.str();
  const std::string readme = ReadFile(folder_.path() / "adder/README.md").value();
  const std::size_t begin = readme.find("```sh\n") + 6;
  Command command;
  command.argv = {"sh", "-c", readme.substr(begin, readme.find("\n```", begin) - begin)};
  command.working_directory = folder_.path() / "adder";
  const auto ran = RunToCompletion(command);
  ASSERT_TRUE(ran.has_value()) << ToString(ran.error());
  EXPECT_EQ(ran->exit.code_or_signal, 0) << command.argv.back() << "\n" << ran->errors;
  EXPECT_EQ(ran->output, "every required function is there\n");
}

TEST_F(DeployTest, OverwritesNothing) {
  fs::create_directories(folder_.path() / "adder");
  EXPECT_EQ(Deploy(folder_.path()), 2);
  EXPECT_THAT(err_.str(), HasSubstr("is there already"));
  EXPECT_TRUE(fs::is_empty(folder_.path() / "adder"));
  EXPECT_THAT(ListFiles(folder_.path()).value(), ElementsAre());
}

TEST_F(DeployTest, FolderInsideTheRepositoryIsRefused) {
  EXPECT_EQ(Deploy(files_.root() / "submissions/me"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("a model could read what it may not see"));
  EXPECT_FALSE(fs::exists(files_.root() / "submissions/me"));
  fs::create_directory_symlink(files_.root(), folder_.path() / "link");
  EXPECT_EQ(Deploy(folder_.path() / "link/me"), 2);
}

TEST_F(DeployTest, UnknownChallengeAndBadPlaceAreNamed) {
  EXPECT_EQ(Deploy(folder_.path(), {"addr"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("there is no challenge \"addr\""));
  EXPECT_EQ(Deploy("/proc/me"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("/proc/me"));
}

}  // namespace
}  // namespace assay
