// SPDX-License-Identifier: Apache-2.0
#include "exec/git.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "base/file.h"
#include "exec/scratch_git.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

GitReader Open(const fs::path& folder) {
  auto reader = GitReader::Open(folder);
  EXPECT_TRUE(reader) << ToString(reader.error());
  return *std::move(reader);
}

template <class T>
std::string CauseOf(const Result<T>& result) {
  return result ? "" : ToString(result.error());
}

TEST(StaysInside, OrNot) {
  EXPECT_TRUE(StaysInside("a/b.cc"));
  EXPECT_TRUE(StaysInside("a/.gitignore"));
  EXPECT_TRUE(StaysInside("-rf"));
  for (const char* const path : {"", "/etc/passwd", "../x", "a/../../x", "a//b", "a/", ".", "a/./b",
                                 ".git/hooks/x", "a/.GIT/config"}) {
    EXPECT_FALSE(StaysInside(path)) << path;
  }
}

TEST(GitReader, NoRepositoryIsAnError) {
  const TemporaryDirectory folder = *TemporaryDirectory::Create(fs::temp_directory_path(), "git");
  EXPECT_THAT(CauseOf(GitReader::Open(folder.path())), HasSubstr("is in no working tree of git"));
}

TEST(GitReader, MachineWithoutGitIsToldWhatToInstall) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  const auto reader = GitReader::Open("/");
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(reader.error().remedy, HasSubstr("package git"));
}

TEST(GitReader, ResolvesNamesAndTakesNoneForAnOption) {
  const ScratchGit git;
  git.Write("a", "1");
  const std::string first = git.Commit();
  const GitReader reader = Open(git.root());
  EXPECT_EQ(reader.ResolveCommit("HEAD").value(), first);
  EXPECT_EQ(reader.ResolveCommit("main").value(), first);
  EXPECT_EQ(reader.ResolveCommit(first.substr(0, 12)).value(), first);
  for (const char* const name : {"", "nowhere", "--all", "--help", "-h", "main:a", "a b\x1b[31m"}) {
    const std::string cause = CauseOf(reader.ResolveCommit(name));
    EXPECT_THAT(cause, HasSubstr("there is no commit")) << name;
    EXPECT_THAT(cause, Not(HasSubstr("\x1b")));
  }
  git.Run("git checkout -q --detach && git branch -D -q main");
  EXPECT_EQ(reader.ResolveCommit("HEAD").value(), first);
}

TEST(GitReader, ChangesWithRenamesLinksAndHostileNames) {
  const ScratchGit git;
  git.Write("old.cc", "same content, long enough to be taken for a rename\n");
  git.Write("gone", "x");
  git.Write("kept", "x");
  const std::string before = git.Commit();
  git.Run("git mv old.cc new.cc && git rm -q gone && ln -s /etc/passwd link");
  git.Write("a\n\"b\" \xff@$(reboot)", "x");
  git.Write("-rf", "x");
  const std::string after = git.Commit();
  const GitChanges changes = Open(git.root()).ReadChanges(before, after).value();
  EXPECT_THAT(changes.removed, ElementsAre("gone", "old.cc"));
  EXPECT_THAT(changes.set, UnorderedElementsAre(Key("new.cc"), Key("link"), Key("-rf"),
                                                Key("a\n\"b\" \xff@$(reboot)")));
  EXPECT_EQ(changes.set.at("link").kind, GitEntry::Kind::kSymbolicLink);
}

TEST(GitReader, MergeBaseIsWhereTheTwoParted) {
  const ScratchGit git;
  git.Write("a", "1");
  const std::string root = git.Commit();
  git.Run("git checkout -q -b feature");
  git.Write("b", "1");
  const std::string feature = git.Commit();
  git.Run("git checkout -q main");
  git.Write("a", "2");
  const std::string main = git.Commit();
  const GitReader reader = Open(git.root());
  EXPECT_EQ(reader.MergeBase(main, feature).value(), root);
  git.Run("git checkout -q --orphan alone");
  const std::string alone = git.Commit();
  EXPECT_THAT(CauseOf(reader.MergeBase(main, alone)), HasSubstr("no history in common"));
}

TEST(GitReader, ShallowCloneSaysSo) {
  const ScratchGit git;
  git.Write("a", "1");
  git.Commit();
  git.Run("git checkout -q -b feature");
  git.Write("b", "1");
  git.Commit();
  git.Run("git checkout -q main");
  git.Write("a", "2");
  git.Commit();
  git.Run("git clone -q --depth 1 --no-single-branch file://$PWD shallow");
  const GitReader reader = Open(git.root() / "shallow");
  const std::string main = reader.ResolveCommit("origin/main").value();
  const std::string feature = reader.ResolveCommit("origin/feature").value();
  EXPECT_THAT(CauseOf(reader.MergeBase(main, feature)), HasSubstr("git fetch --unshallow"));
}

TEST(GitReader, BelowTheTopPathsAreRelativeToTheFolder) {
  const ScratchGit git;
  git.Write("grades/submissions/x", "1");
  const std::string before = git.Commit();
  git.Write("grades/submissions/y", "1");
  git.Write("elsewhere", "1");
  const std::string after = git.Commit();
  const GitReader reader = Open(git.root() / "grades");
  EXPECT_THAT(reader.ReadTree(after).value(),
              ElementsAre(Key("submissions/x"), Key("submissions/y")));
  const GitChanges changes = reader.ReadChanges(before, after).value();
  EXPECT_THAT(changes.set, ElementsAre(Key("submissions/y")));
  EXPECT_THAT(changes.elsewhere, ElementsAre("elsewhere"));
  git.Write("grades/submissions/new file", "1");
  EXPECT_THAT(reader.UncommittedPaths().value(), ElementsAre("submissions/new file"));
}

TEST(GitReader, WritesContentsAsTheyAreAndNoLinks) {
  const ScratchGit git;
  // Attributes that would change contents, or keep files out, were they asked.
  git.Write(".gitattributes", "*.txt text eol=crlf ident export-ignore export-subst\n");
  git.Write("dir/a.txt", "one\ntwo $Id$ $Format:%H$\n");
  git.Write("empty", "");
  git.Write("binary", std::string("\0\n\xff", 3));
  git.Write("large", std::string(2'000, 'x'));
  git.Run("ln -s /etc/passwd link && mkdir deep && ln -s .. deep/up");
  git.Commit();
  // A submodule as a tree names it, whose commit is nowhere.
  git.Run(
      "git update-index --add --cacheinfo "
      "160000,0123456789012345678901234567890123456789,module && git commit -q -m m");
  const GitReader reader = Open(git.root());
  const GitTree tree = reader.ReadTree(reader.ResolveCommit("HEAD").value()).value();
  const fs::path to = git.root() / ".git" / "written";
  std::vector<std::string> left_out;
  const auto written = reader.Write(tree, to, 1'000);
  ASSERT_TRUE(written) << CauseOf(written);
  for (const LeftOut& one : *written) {
    left_out.push_back(one.path + " " + one.why);
  }
  EXPECT_THAT(left_out, ElementsAre("deep/up is a symbolic link", "large is larger than 1000 bytes",
                                    "link is a symbolic link", "module is a submodule"));
  EXPECT_EQ(ReadFile(to / "dir/a.txt").value(), "one\ntwo $Id$ $Format:%H$\n");
  EXPECT_EQ(ReadFile(to / "binary").value(), std::string("\0\n\xff", 3));
  EXPECT_EQ(ReadFile(to / "empty").value(), "");
  EXPECT_FALSE(fs::exists(fs::symlink_status(to / "link")));
}

TEST(GitReader, NamesThatLeadOutAreLeftOut) {
  const ScratchGit git;
  git.Write("a", "content");
  git.Commit();
  const GitReader reader = Open(git.root());
  const GitEntry file = reader.ReadTree(reader.ResolveCommit("HEAD").value()).value().at("a");
  const fs::path to = git.root() / ".git" / "to" / "here";
  const auto left_out = reader.Write({{"../out", file}, {"x/.git/hooks/y", file}}, to, 100);
  ASSERT_TRUE(left_out) << CauseOf(left_out);
  EXPECT_THAT(*left_out, SizeIs(2));
  EXPECT_FALSE(fs::exists(git.root() / ".git" / "to" / "out"));
}

TEST(GitReader, RunsNoHookAndNoFilterOfTheRepository) {
  const ScratchGit git;
  git.Write("a.txt", "1");
  git.Write(".gitattributes", "*.txt filter=evil diff=evil\n");
  git.Commit();
  const std::string touch = "touch " + (git.root() / ".git" / "ran").string();
  git.Run("git config filter.evil.smudge '" + touch + "' && git config diff.evil.textconv '" +
          touch + "' && git config core.fsmonitor '" + touch + "'");
  const GitReader reader = Open(git.root());
  const std::string head = reader.ResolveCommit("HEAD").value();
  const GitTree tree = reader.ReadTree(head).value();
  EXPECT_TRUE(reader.Write(tree, git.root() / ".git" / "written", 1'000));
  EXPECT_THAT(reader.ReadChanges(head, head).value().set, IsEmpty());
  EXPECT_TRUE(reader.UncommittedPaths());
  EXPECT_FALSE(fs::exists(git.root() / ".git" / "ran"));
}

TEST(GitReader, MissingContentsAreAnError) {
  const ScratchGit git;
  git.Write("a", "1");
  git.Commit();
  const GitReader reader = Open(git.root());
  const GitTree tree = {{"b", {.kind = GitEntry::Kind::kFile, .object = std::string(40, '1')}}};
  EXPECT_THAT(CauseOf(reader.Write(tree, git.root() / ".git" / "x", 100)),
              HasSubstr("not in this clone"));
}

}  // namespace
}  // namespace assay
