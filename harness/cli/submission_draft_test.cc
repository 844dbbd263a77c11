// SPDX-License-Identifier: Apache-2.0
#include "cli/submission_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "exec/repository_lock.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MoveAll, MovesBackWhatItMovedWhenOneFails) {
  const TemporaryRepository files;
  const fs::path& root = files.root();
  files.Write("from/a", "a");
  files.Write("from/b", "b");
  files.Write("to/b", "mine");
  const Status moved = MoveAll({{.from = root / "from/a", .to = root / "to/a"},
                                {.from = root / "from/b", .to = root / "to/b"}});
  ASSERT_FALSE(moved.has_value());
  EXPECT_EQ(moved.error().where, root / "to/b");
  EXPECT_THAT(moved.error().cause, HasSubstr("is there already"));
  EXPECT_TRUE(fs::exists(root / "from/a"));
  EXPECT_FALSE(fs::exists(root / "to/a"));
  EXPECT_EQ(ReadFile(root / "to/b").value(), "mine");
}

TEST(SubmissionDraft, NothingIsThereBeforeItIsPublished) {
  const TemporaryRepository files;
  {
    auto draft = SubmissionDraft::Begin(files.root(), "new").value();
    ASSERT_TRUE(draft.Add("adder", {{"deep/a.cc", "int a;"}}));
    EXPECT_FALSE(draft.IsTaken("adder").value());
    EXPECT_EQ(ReadFile(draft.Folder("adder") / "deep/a.cc").value(), "int a;");
    EXPECT_FALSE(fs::exists(files.root() / "submissions/new"));
  }
  EXPECT_TRUE(fs::is_empty(TemporaryRoot(files.root())));
}

TEST(SubmissionDraft, PublishedModelHasItsFile) {
  const TemporaryRepository files;
  auto draft = SubmissionDraft::Begin(files.root(), "new").value();
  ASSERT_TRUE(draft.Add("adder", {{"a.cc", "int a;"}}));
  EXPECT_THAT(draft.Publish("From a test.").value(),
              ElementsAre("submissions/new/adder/a.cc", "submissions/new/model.yaml"));
  const auto model = ReadModel(files.root() / "submissions/new");
  ASSERT_TRUE(model.has_value()) << ToString(model.error()[0]);
  EXPECT_EQ(model->name, "new");
  EXPECT_EQ(model->source, "From a test.");
  EXPECT_TRUE(draft.IsTaken("adder").value());
}

TEST(SubmissionDraft, ModelThatIsThereKeepsItsFile) {
  const TemporaryRepository files;
  const std::string before = ReadFile(files.root() / "submissions/right/model.yaml").value();
  auto draft = SubmissionDraft::Begin(files.root(), "right").value();
  EXPECT_TRUE(draft.IsTaken("adder").value());
  ASSERT_TRUE(draft.Add("other", {{"a.cc", "int a;"}}));
  EXPECT_THAT(draft.Publish("x").value(), ElementsAre("submissions/right/other/a.cc"));
  EXPECT_EQ(ReadFile(files.root() / "submissions/right/model.yaml").value(), before);
}

TEST(SubmissionDraft, CellThatIsThereIsNotReplaced) {
  const TemporaryRepository files;
  auto draft = SubmissionDraft::Begin(files.root(), "right").value();
  ASSERT_TRUE(draft.Add("adder", {{"a.cc", "int a;"}}));
  EXPECT_FALSE(draft.Publish("x").has_value());
  EXPECT_FALSE(fs::exists(files.root() / "submissions/right/adder/a.cc"));
}

TEST(SubmissionDraft, NameThatIsNoIdOrALinkIsRefused) {
  const TemporaryRepository files;
  for (const std::string name : {"../right", "", "Right", ".hidden", "a/b"}) {
    EXPECT_FALSE(SubmissionDraft::Begin(files.root(), name).has_value()) << name;
  }
  fs::create_directory_symlink("/tmp", files.root() / "submissions/linked");
  EXPECT_FALSE(SubmissionDraft::Begin(files.root(), "linked").has_value());
}

TEST(RootArgument, IsOneWordOfAShell) {
  EXPECT_EQ(RootArgument(""), "");
  EXPECT_EQ(RootArgument("/srv/grades"), " --root /srv/grades");
  EXPECT_EQ(RootArgument("/srv/my grades; it's"), " --root '/srv/my grades; it'\\''s'");
}

}  // namespace
}  // namespace assay
