// SPDX-License-Identifier: Apache-2.0
#include "exec/report_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ReportFiles& Wanted() {
  static const ReportFiles wanted = {
      .files = {{"matchups/a_vs_b.md", "# ours\na beats b\n"}, {"scoreboard.md", "# ours\n1. a\n"}},
      .mark = "# ours"};
  return wanted;
}

bool Exists(const TemporaryRepository& repository, const std::string& path) {
  return fs::exists(fs::symlink_status(repository.root() / path));
}

TEST(WriteReports, WritesOnlyWhatDiffers) {
  const TemporaryRepository repository;
  const auto first = WriteReports(repository.root(), Wanted());
  ASSERT_TRUE(first.has_value());
  EXPECT_THAT(first->written, ElementsAre("matchups/a_vs_b.md", "scoreboard.md"));
  repository.Write("reports/scoreboard.md", "# ours\n1. b\n");
  const auto second = WriteReports(repository.root(), Wanted());
  ASSERT_TRUE(second.has_value());
  EXPECT_THAT(second->written, ElementsAre("scoreboard.md"));
  EXPECT_EQ(CompareReports(repository.root(), Wanted()), ReportDifference{});
}

TEST(WriteReports, RemovesWhatItWroteAndNoEvidenceGivesButNeverEvidence) {
  const TemporaryRepository repository;
  repository.Write("reports/matchups/a_vs_gone.md", "# ours\nold\n");
  repository.Write("reports/evidence/adder/a.json", "{}");
  const auto changes = WriteReports(repository.root(), Wanted());
  ASSERT_TRUE(changes.has_value());
  EXPECT_THAT(changes->removed, ElementsAre("matchups/a_vs_gone.md"));
  EXPECT_FALSE(Exists(repository, "reports/matchups/a_vs_gone.md"));
  EXPECT_TRUE(Exists(repository, "reports/evidence/adder/a.json"));
}

TEST(WriteReports, LeavesAloneWhatReportsAreMadeOf) {
  const TemporaryRepository repository;
  for (const char* folder : {"evidence", "anchors", "reviews", "published"}) {
    repository.Write(fs::path("reports") / folder / "a.yaml", "# ours\n");
  }
  const auto difference = CompareReports(repository.root(), Wanted());
  ASSERT_TRUE(difference.has_value());
  EXPECT_THAT(difference->stale, ElementsAre());
  EXPECT_THAT(difference->foreign, ElementsAre());
}

TEST(WriteReports, LeavesWhatSomebodyElseWrote) {
  const TemporaryRepository repository;
  repository.Write("reports/notes.md", "about # ours\n");
  repository.Write("reports/matchups/empty.md", "");
  repository.Write("reports/mine.md.tmp.abcdef", "");
  fs::create_symlink("scoreboard.md", repository.root() / "reports/best.md");
  const auto changes = WriteReports(repository.root(), Wanted());
  ASSERT_TRUE(changes.has_value());
  EXPECT_THAT(changes->removed, ElementsAre());
  for (const char* path : {"notes.md", "matchups/empty.md", "mine.md.tmp.abcdef", "best.md"}) {
    EXPECT_TRUE(Exists(repository, std::string("reports/") + path)) << path;
  }
  const auto difference = CompareReports(repository.root(), Wanted());
  ASSERT_TRUE(difference.has_value());
  EXPECT_TRUE(difference->IsNone());
  EXPECT_THAT(difference->foreign,
              ElementsAre("best.md", "matchups/empty.md", "mine.md.tmp.abcdef", "notes.md"));
}

TEST(WriteReports, RemovesWhatAKilledOneWasWriting) {
  const TemporaryRepository repository;
  repository.Write("reports/scoreboard.md.tmp.abcdef", "");
  const auto changes = WriteReports(repository.root(), Wanted());
  ASSERT_TRUE(changes.has_value());
  EXPECT_THAT(changes->removed, ElementsAre("scoreboard.md.tmp.abcdef"));
}

TEST(WriteReports, TouchesNothingWhenSomethingElseIsInTheWay) {
  const TemporaryRepository repository;
  repository.Write("reports/scoreboard.md", "by hand\n");
  repository.Write("reports/old.md", "# ours\n");
  const auto changes = WriteReports(repository.root(), Wanted());
  ASSERT_FALSE(changes.has_value());
  EXPECT_THAT(ToString(changes.error()),
              HasSubstr("reports/scoreboard.md: is in the way of a report"));
  EXPECT_TRUE(Exists(repository, "reports/old.md"));
  EXPECT_FALSE(Exists(repository, "reports/matchups/a_vs_b.md"));
}

TEST(CompareReports, NamesMissingChangedAndStaleFiles) {
  const TemporaryRepository repository;
  repository.Write("reports/scoreboard.md", "# ours, edited by hand\n");
  repository.Write("reports/old.md", "# ours");
  const auto difference = CompareReports(repository.root(), Wanted());
  ASSERT_TRUE(difference.has_value());
  EXPECT_FALSE(difference->IsNone());
  EXPECT_THAT(difference->missing, ElementsAre("matchups/a_vs_b.md"));
  EXPECT_THAT(difference->changed, ElementsAre("scoreboard.md"));
  EXPECT_THAT(difference->stale, ElementsAre("old.md"));
}

TEST(CompareReports, LinkInPlaceOfAReportIsNotFollowed) {
  const TemporaryRepository repository;
  repository.Write("elsewhere.md", "# ours\n1. a\n");
  fs::create_directories(repository.root() / "reports");
  fs::create_symlink(repository.root() / "elsewhere.md",
                     repository.root() / "reports/scoreboard.md");
  const auto difference = CompareReports(repository.root(), Wanted());
  ASSERT_TRUE(difference.has_value());
  EXPECT_THAT(difference->in_the_way, ElementsAre("scoreboard.md"));
  EXPECT_FALSE(difference->IsNone());
}

}  // namespace
}  // namespace assay
