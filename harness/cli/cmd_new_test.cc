// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"
#include "spec/repository.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kInterface = "enum { ADD_UNSUPPORTED = 1 };\nint add_f32(int a, int b);\n";

class NewTest : public ::testing::Test {
 protected:
  NewTest() {
    files_.Write("challenges/adder/interface.h", kInterface);
    files_.Write("challenges/taker/challenge.yaml", "");
    fs::copy(files_.root() / "challenges/adder", files_.root() / "challenges/taker",
             fs::copy_options::overwrite_existing | fs::copy_options::recursive);
    files_.Replace("challenges/taker/challenge.yaml", "id: adder", "id: taker");
  }

  int New(const std::string& model, const std::vector<std::string>& challenges = {},
          OutputFormat format = OutputFormat::kText) {
    out_.str("");
    err_.str("");
    return RunNew({.common = {.root = files_.root(), .format = format},
                   .model = model,
                   .challenges = challenges},
                  console_);
  }
  [[nodiscard]] fs::path Submissions() const { return files_.root() / "submissions"; }

  TemporaryRepository files_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(NewTest, WritesASubmissionThatCheckTakesAndSaysWhatIsNext) {
  EXPECT_EQ(New("me", {"adder"}), 0) << err_.str();
  EXPECT_THAT(ReadFile(Submissions() / "me/adder/adder.cc").value(),
              HasSubstr("return ADD_UNSUPPORTED;"));
  EXPECT_FALSE(fs::exists(Submissions() / "me/taker"));
  EXPECT_THAT(CheckRepository(files_.root()), IsEmpty());
  const std::string root = " --root " + files_.root().string();
  EXPECT_THAT(out_.str(),
              AllOf(HasSubstr("made submissions/me/adder/adder.cc\n"),
                    HasSubstr((files_.root() / "challenges/adder/PROMPT.md").string()),
                    HasSubstr("edit submissions/me/adder/adder.cc"),
                    HasSubstr("assay try submissions/me/adder" + root),
                    HasSubstr("assay grade me/adder" + root), HasSubstr("assay report" + root)));
}

TEST_F(NewTest, WithoutAChallengeItWritesThoseThatAreMissing) {
  EXPECT_EQ(New("right", {}, OutputFormat::kJson), 0) << err_.str();
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["kept"], std::vector<std::string>{"right/adder"});
  EXPECT_THAT(json["made"].dump(), HasSubstr("submissions/right/taker/taker.cc"));
  EXPECT_EQ(ReadFile(Submissions() / "right/adder/add.cc").value(), "// right\n");
  EXPECT_EQ(New("right"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("has a submission to every challenge already"));
}

TEST_F(NewTest, NothingIsWrittenWhereOneIsThere) {
  EXPECT_EQ(New("right", {"taker", "adder"}), 2);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("submissions/right/adder: is there already"),
                                HasSubstr("assay rm right/adder")));
  EXPECT_FALSE(fs::exists(Submissions() / "right/taker"));
}

TEST_F(NewTest, UnknownChallengeAndBadModelAreNamed) {
  EXPECT_EQ(New("me", {"addr"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("there is no challenge \"addr\"; did you mean \"adder\"?"));
  EXPECT_EQ(New("../me"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("\"../me\" cannot be the name of a model's folder"));
  EXPECT_FALSE(fs::exists(Submissions() / "me"));
}

TEST_F(NewTest, FaultOfTheChallengeIsShown) {
  files_.Replace("challenges/adder/challenge.yaml", "id: adder", "id: other");
  EXPECT_EQ(New("me", {"adder"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("challenges/adder/challenge.yaml"));
  EXPECT_EQ(New("me", {"taker"}), 0) << err_.str();
}

}  // namespace
}  // namespace assay
