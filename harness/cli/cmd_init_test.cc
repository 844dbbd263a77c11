// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/commands.h"
#include "spec/repository.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class InitTest : public ::testing::Test {
 protected:
  int Init(const fs::path& directory, OutputFormat format = OutputFormat::kText) {
    out_.str("");
    err_.str("");
    return RunInit({.common = {.format = format}, .directory = directory}, console_);
  }

  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::temp_directory_path(), "init").value();
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(InitTest, MakesARepositoryThatOtherCommandsTake) {
  const fs::path made = folder_.path() / "new/grades";
  EXPECT_EQ(Init(made), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr((made / "submissions").string()));
  EXPECT_TRUE(fs::is_directory(made / "reports"));
  EXPECT_THAT(ReadFile(made / "README.md").value(), HasSubstr("submission.yaml"));
  EXPECT_EQ(ReadFile(made / ".gitignore").value(), "/.assay/\n");
  const auto place = WorkplaceOf({.root = made});
  ASSERT_TRUE(place.has_value()) << ToString(place.error());
  EXPECT_EQ(place->root, made);
  EXPECT_EQ(FindRoot(made / "submissions").value(), made);
}

TEST_F(InitTest, KeepsWhatElseIsInTheFolder) {
  const fs::path made = folder_.path();
  ASSERT_TRUE(WriteFileAtomically(made / ".git/config", "mine").has_value());
  EXPECT_EQ(Init(made), 0) << err_.str();
  EXPECT_EQ(ReadFile(made / ".git/config").value(), "mine");
}

TEST_F(InitTest, WritesWhatCiDoes) {
  const fs::path made = folder_.path() / "grades";
  EXPECT_EQ(Init(made), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("in place of _owner_"));
  for (const char* name : {"grade", "comment", "scoreboard"}) {
    const fs::path workflow = made / ".github/workflows" / (std::string(name) + ".yml");
    const auto written = ReadFile(workflow);
    ASSERT_TRUE(written.has_value()) << ToString(written.error());
    EXPECT_THAT(*written, AllOf(HasSubstr(std::string("name: ") + name),
                                HasSubstr("uses: _owner_/assay@v" ASSAY_VERSION)));
  }
  EXPECT_THAT(ReadFile(made / ".gitlab-ci.yml").value(), HasSubstr("assay pr --base"));
}

TEST_F(InitTest, OverwritesNothing) {
  int number = 0;
  for (const char* there : {"README.md", ".gitignore", "reports/scoreboard.md", ".gitlab-ci.yml"}) {
    const fs::path folder = folder_.path() / std::to_string(number++);
    ASSERT_TRUE(WriteFileAtomically(folder / there, "mine").has_value());
    EXPECT_EQ(Init(folder), 2);
    EXPECT_THAT(err_.str(), AllOf(HasSubstr("holds " + fs::path(there).begin()->string()),
                                  HasSubstr("nothing is overwritten")));
    EXPECT_EQ(ReadFile(folder / there).value(), "mine");
    EXPECT_FALSE(fs::exists(folder / "submissions"));
  }
}

TEST_F(InitTest, KeepsOtherWorkflowsAndOverwritesNone) {
  const fs::path made = folder_.path();
  ASSERT_TRUE(WriteFileAtomically(made / ".github/workflows/mine.yml", "mine").has_value());
  ASSERT_TRUE(WriteFileAtomically(made / ".github/workflows/grade.yml", "mine").has_value());
  EXPECT_EQ(Init(made), 2);
  EXPECT_THAT(err_.str(), HasSubstr("holds .github/workflows/grade.yml already"));
  fs::remove(made / ".github/workflows/grade.yml");
  EXPECT_EQ(Init(made), 0) << err_.str();
  EXPECT_EQ(ReadFile(made / ".github/workflows/mine.yml").value(), "mine");
}

TEST_F(InitTest, LinkThatLeadsNowhereIsThere) {
  fs::create_symlink("/nowhere", folder_.path() / "submissions");
  EXPECT_EQ(Init(folder_.path()), 2);
}

// A link to itself, which root cannot look behind either.
TEST_F(InitTest, FolderThatCannotBeLookedAtIsNotSaidToHoldAnything) {
  fs::create_directory_symlink("grades", folder_.path() / "grades");
  EXPECT_EQ(Init(folder_.path() / "grades"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("grades/submissions: cannot be looked at: "));
}

TEST_F(InitTest, FolderThatCannotBeMadeIsNamed) {
  EXPECT_EQ(Init("/proc/grades"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("/proc/grades"));
}

TEST_F(InitTest, SaysAsJsonWhatItMade) {
  const fs::path made = folder_.path() / "grades";
  EXPECT_EQ(Init(made, OutputFormat::kJson), 0);
  EXPECT_EQ(nlohmann::json::parse(out_.str())["made"], made.string());
}

TEST(Workplace, FolderWithoutSubmissionsNamesInit) {
  const auto place = WorkplaceOf({.root = "/proc"});
  ASSERT_FALSE(place.has_value());
  EXPECT_EQ(place.error().where, "/proc");
  EXPECT_THAT(place.error().cause, HasSubstr("submissions"));
  EXPECT_THAT(place.error().remedy, HasSubstr("assay init /proc"));
  const auto missing = WorkplaceOf({.root = "/nowhere/grades"});
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().cause, HasSubstr("does not exist"));
  EXPECT_THAT(missing.error().remedy, HasSubstr("assay init /nowhere/grades"));
}

// It threw, and ended as if Assay had failed.
TEST(Workplace, WorkingDirectoryThatIsGoneIsAnErrorWithARemedy) {
  const TemporaryRepository files;
  const fs::path before = fs::current_path();
  fs::create_directories(files.root() / "gone");
  fs::current_path(files.root() / "gone");
  fs::remove(files.root() / "gone");
  const auto place = WorkplaceOf({});
  fs::current_path(before);
  ASSERT_FALSE(place.has_value());
  EXPECT_EQ(place.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(place.error().remedy, HasSubstr("--root"));
}

// The challenges of a checkout are its own, whichever build tree's assay grades it.
TEST(Workplace, CheckoutBringsItsChallenges) {
  const TemporaryRepository files;
  const auto place = WorkplaceOf({.root = files.root()});
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->installation.sources, files.root());
  EXPECT_EQ(place->root, files.root());
}

TEST(Workplace, RepositoryOfSubmissionsIsGradedByTheInstallation) {
  const TemporaryRepository files;
  fs::remove_all(files.root() / "challenges");
  const auto place = WorkplaceOf({.root = files.root()});
  ASSERT_TRUE(place.has_value());
  EXPECT_NE(place->installation.sources, files.root());
  EXPECT_TRUE(fs::is_directory(place->installation.sources / "challenges/kv_cache"));
}

}  // namespace
}  // namespace assay
