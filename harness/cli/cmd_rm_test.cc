// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/file.h"
#include "cli/commands.h"
#include "exec/repository_lock.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RemoveTest : public ::testing::Test {
 protected:
  RemoveTest() {
    files_.Write("reports/evidence/adder/right.json", "{}");
    files_.Write("reports/evidence/adder/right.json.sig", "signature");
    files_.Write("reports/evidence/adder/wrong.json", "{}");
    files_.Write("reports/evidence/taker/right.json", "{}");
    files_.Write("reports/scoreboard.md", "board");
  }

  int Remove(const std::string& cell, Confirmation confirmation = Confirmation::kGiven,
             PersonsAnswer answer = PersonsAnswer::kNobodyThere,
             OutputFormat format = OutputFormat::kText) {
    out_.str("");
    err_.str("");
    asked_ = false;
    const AskPerson ask = [&](Console&) {
      asked_ = true;
      EXPECT_TRUE(IsThere("submissions/right/adder/add.cc"));
      return answer;
    };
    return RunRemove({.common = {.root = files_.root(), .format = format},
                      .cell = cell,
                      .confirmation = confirmation},
                     ask, console_);
  }
  [[nodiscard]] bool IsThere(const fs::path& path) const {
    return fs::exists(files_.root() / path);
  }

  TemporaryRepository files_;
  std::ostringstream out_;
  std::ostringstream err_;
  bool asked_ = false;
  Console console_{.out = out_, .err = err_};
};

TEST_F(RemoveTest, CellGoesWithItsEvidenceAndNothingElse) {
  EXPECT_EQ(Remove("right/adder"), 0) << err_.str();
  EXPECT_FALSE(asked_);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("removing submissions/right/adder (5 files)\n"),
                                HasSubstr("removing reports/evidence/adder/right.json\n"),
                                HasSubstr("assay report --root ")));
  EXPECT_FALSE(IsThere("submissions/right/adder"));
  EXPECT_FALSE(IsThere("reports/evidence/adder/right.json"));
  EXPECT_FALSE(IsThere("reports/evidence/adder/right.json.sig"));
  for (const char* path : {"submissions/right/model.yaml", "reports/evidence/adder/wrong.json",
                           "reports/evidence/taker/right.json", "reports/scoreboard.md",
                           "submissions/wrong/adder/add.cc", "challenges/adder/challenge.yaml"}) {
    EXPECT_TRUE(IsThere(path)) << path;
  }
  EXPECT_TRUE(fs::is_empty(TemporaryRoot(files_.root())));
}

TEST_F(RemoveTest, ModelGoesWithAllItsEvidence) {
  EXPECT_EQ(Remove("right", Confirmation::kGiven, PersonsAnswer::kNo, OutputFormat::kJson), 0);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["removed"],
            (std::vector<std::string>{"reports/evidence/adder/right.json.sig",
                                      "reports/evidence/adder/right.json",
                                      "reports/evidence/taker/right.json", "submissions/right"}));
  EXPECT_FALSE(IsThere("submissions/right"));
  EXPECT_FALSE(IsThere("reports/evidence/taker/right.json"));
  EXPECT_TRUE(IsThere("reports/evidence/adder/wrong.json"));
}

TEST_F(RemoveTest, AsksAfterItSaidWhatGoes) {
  EXPECT_EQ(Remove("right/adder", Confirmation::kAskTheTerminal, PersonsAnswer::kNo), 1);
  EXPECT_TRUE(asked_);
  EXPECT_THAT(out_.str(), HasSubstr("would remove submissions/right/adder (5 files)\n"));
  EXPECT_THAT(err_.str(), HasSubstr("nothing was removed"));
  EXPECT_TRUE(IsThere("submissions/right/adder/add.cc"));
  EXPECT_EQ(Remove("right/adder", Confirmation::kAskTheTerminal, PersonsAnswer::kYes), 0);
  EXPECT_FALSE(IsThere("submissions/right/adder"));
}

TEST_F(RemoveTest, WithoutAnyoneToAskItNamesTheOption) {
  EXPECT_EQ(Remove("right/adder", Confirmation::kAskTheTerminal), 2);
  EXPECT_THAT(err_.str(), HasSubstr("say --yes"));
  EXPECT_TRUE(IsThere("submissions/right/adder/add.cc"));
}

TEST_F(RemoveTest, EvidenceWithoutASubmissionGoesToo) {
  EXPECT_EQ(Remove("right/taker"), 0) << err_.str();
  EXPECT_FALSE(IsThere("reports/evidence/taker/right.json"));
  EXPECT_TRUE(IsThere("submissions/right/adder/add.cc"));
}

TEST_F(RemoveTest, FilesBesideSubmissionsAreNone) {
  files_.Write("submissions/README.md", "mine");
  for (const char* name : {"README.md", "right/model.yaml"}) {
    EXPECT_EQ(Remove(name), 2) << name;
    EXPECT_THAT(err_.str(), HasSubstr("there is no submission")) << name;
    EXPECT_TRUE(IsThere(fs::path("submissions") / name)) << name;
  }
  EXPECT_EQ(Remove("READNE.md"), 2);
  EXPECT_THAT(err_.str(), Not(HasSubstr("README.md\"?")));
}

TEST_F(RemoveTest, SubmissionsThatCannotBeLookedAtAreNotCalledMissing) {
  fs::create_directory_symlink("loop", files_.root() / "submissions/loop");
  EXPECT_EQ(Remove("loop/adder"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("submissions/loop/adder: cannot be looked at: "));
}

TEST_F(RemoveTest, UnknownNameSuggestsTheNearest) {
  EXPECT_EQ(Remove("rigth"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("there is no submission \"rigth\""));
  EXPECT_THAT(err_.str(), HasSubstr("did you mean \"right\"?"));
  EXPECT_EQ(Remove("right/addr"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean \"right/adder\"?"));
}

TEST_F(RemoveTest, OnlyFoldersBelowSubmissionsCanBeNamed) {
  for (const char* name : {"..", ".", "", "/", "right/", "right/..", "right/../wrong", "/etc",
                           "../submissions", "right/adder/tests"}) {
    EXPECT_EQ(Remove(name), 2) << name;
    EXPECT_THAT(err_.str(), HasSubstr("is neither MODEL nor MODEL/CHALLENGE")) << name;
  }
  EXPECT_TRUE(IsThere("submissions/right/adder/add.cc"));
}

TEST_F(RemoveTest, LinkIsRemovedAndNotWhatItLeadsTo) {
  files_.Write("elsewhere/adder/add.cc", "mine");
  fs::create_directory_symlink(files_.root() / "elsewhere", files_.root() / "submissions/linked");
  EXPECT_EQ(Remove("linked/adder"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("submissions/linked: is a symbolic link"));
  EXPECT_EQ(Remove("linked"), 0) << err_.str();
  EXPECT_TRUE(IsThere("elsewhere/adder/add.cc"));
  EXPECT_FALSE(fs::is_symlink(files_.root() / "submissions/linked"));
}

}  // namespace
}  // namespace assay
