// SPDX-License-Identifier: Apache-2.0
#include "cli/challenge_of_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ChallengeOfFolderTest : public ::testing::Test {
 protected:
  ChallengeOfFolderTest() : challenges_(2) {
    challenges_[0].id = "norm";
    challenges_[0].entry_points = {{.name = "ln_forward"}, {.name = "ln_backward"}};
    challenges_[1].id = "topk";
    challenges_[1].entry_points = {{.name = "topk_f32"}, {.name = "shared"}};
  }

  fs::path Folder(const std::string& name, const std::string& text) {
    EXPECT_TRUE(WriteFileAtomically(temporary_.path() / name / "a.cc", text).has_value());
    return temporary_.path() / name;
  }
  std::string Find(const fs::path& folder, const std::optional<std::string>& named = {}) {
    const auto found = ChallengeOfFolder(folder, challenges_, named);
    return found ? found->id : ToString(found.error());
  }

  TemporaryDirectory temporary_ =
      TemporaryDirectory::Create(fs::temp_directory_path(), "challenge").value();
  std::vector<ChallengeSpec> challenges_;
};

TEST_F(ChallengeOfFolderTest, WhatIsNamedCountsMost) {
  EXPECT_EQ(Find(Folder("norm", "ln_forward"), "topk"), "topk");
  EXPECT_THAT(Find(Folder("norm", ""), "topq"),
              AllOf(HasSubstr("no challenge \"topq\""), HasSubstr("did you mean \"topk\"?")));
}

TEST_F(ChallengeOfFolderTest, ThenTheFoldersName) {
  EXPECT_EQ(Find(Folder("topk", "int ln_forward() { return ln_backward(); }")), "topk");
}

TEST_F(ChallengeOfFolderTest, ThenTheFunctionsThatItsFilesName) {
  EXPECT_EQ(Find(Folder("draft", "int ln_forward();")), "norm");
  EXPECT_EQ(Find(Folder("mixed", "ln_forward topk_f32 shared")), "topk");
}

TEST_F(ChallengeOfFolderTest, ElseAsks) {
  for (const char* text : {"", "ln_forward topk_f32"}) {
    EXPECT_THAT(Find(Folder("unclear", text)), HasSubstr("say it with --challenge: norm, topk"));
  }
}

}  // namespace
}  // namespace assay
