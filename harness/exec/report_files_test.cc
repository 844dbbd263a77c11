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
using ::testing::IsEmpty;

const std::map<std::string, std::string>& Files() {
  static const std::map<std::string, std::string> files = {{"matchups/a_vs_b.md", "a beats b\n"},
                                                           {"scoreboard.md", "1. a\n"}};
  return files;
}

TEST(WriteReports, WritesOnlyWhatDiffers) {
  const TemporaryRepository repository;
  const auto first = WriteReports(repository.root(), Files());
  ASSERT_TRUE(first.has_value());
  EXPECT_THAT(*first, ElementsAre("matchups/a_vs_b.md", "scoreboard.md"));
  repository.Write("reports/scoreboard.md", "1. b\n");
  const auto second = WriteReports(repository.root(), Files());
  ASSERT_TRUE(second.has_value());
  EXPECT_THAT(*second, ElementsAre("scoreboard.md"));
  EXPECT_EQ(CompareReports(repository.root(), Files()), ReportDifference{});
}

TEST(WriteReports, RemovesWhatNoEvidenceGivesButNeverEvidence) {
  const TemporaryRepository repository;
  repository.Write("reports/matchups/a_vs_gone.md", "old\n");
  repository.Write("reports/evidence/adder/a.json", "{}");
  ASSERT_TRUE(WriteReports(repository.root(), Files()).has_value());
  EXPECT_FALSE(fs::exists(repository.root() / "reports/matchups/a_vs_gone.md"));
  EXPECT_TRUE(fs::exists(repository.root() / "reports/evidence/adder/a.json"));
}

TEST(CompareReports, NamesMissingChangedAndStaleFiles) {
  const TemporaryRepository repository;
  repository.Write("reports/scoreboard.md", "edited by hand\n");
  repository.Write("reports/old.md", "");
  const auto difference = CompareReports(repository.root(), Files());
  ASSERT_TRUE(difference.has_value());
  EXPECT_THAT(difference->missing, ElementsAre("matchups/a_vs_b.md"));
  EXPECT_THAT(difference->changed, ElementsAre("scoreboard.md"));
  EXPECT_THAT(difference->stale, ElementsAre("old.md"));
}

TEST(CompareReports, LinkInPlaceOfAReportIsReplacedNotFollowed) {
  const TemporaryRepository repository;
  repository.Write("elsewhere.md", "1. a\n");
  fs::create_directories(repository.root() / "reports");
  fs::create_symlink(repository.root() / "elsewhere.md",
                     repository.root() / "reports/scoreboard.md");
  const auto difference = CompareReports(repository.root(), Files());
  ASSERT_TRUE(difference.has_value());
  EXPECT_THAT(difference->stale, ElementsAre("scoreboard.md"));
  EXPECT_THAT(difference->changed, IsEmpty());
  ASSERT_TRUE(WriteReports(repository.root(), Files()).has_value());
  EXPECT_FALSE(fs::is_symlink(repository.root() / "reports/scoreboard.md"));
}

}  // namespace
}  // namespace assay
