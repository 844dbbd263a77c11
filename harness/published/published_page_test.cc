// SPDX-License-Identifier: Apache-2.0
// Every number and word of the published tables, against testdata/published.md.
// `ASSAY_UPDATE_GOLDENS=1 published_test` rewrites it; read the difference before it is committed.
#include "published/published_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "published/small_study.h"
#include "published/study_store.h"
#include "report/markdown_checks.h"
#include "report/report.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string PageOf(const std::filesystem::path& root) {
  const LoadedRepository loaded = LoadRepository(root);
  const LoadedStudies studies = LoadStudies(loaded.repository);
  return PublishedPage(studies.studies, loaded.repository).text();
}

TEST(PublishedPageTest, PrintsEveryTableOfTheStudy) {
  const std::string page = PageOf(ASSAY_CHECKOUT);
  const std::filesystem::path path = std::filesystem::path(ASSAY_TESTDATA) / "published.md";
  if (std::getenv("ASSAY_UPDATE_GOLDENS") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(path, page).has_value());
    return;
  }
  const Result<std::string> expected = ReadFile(path);
  ASSERT_TRUE(expected.has_value()) << ToString(expected.error());
  EXPECT_EQ(page, *expected);
}

TEST(PublishedPageTest, TablesHoldTextsEdgesNotesAndMappings) {
  const TemporaryRepository files;
  files.Write(kSmallStudyPath, kSmallStudy);
  const std::string page = PageOf(files.root());
  EXPECT_TRUE(page.starts_with(kReportMark));
  EXPECT_THAT(page, HasSubstr("| Sums | ≤32 | 1 \\| 2 | **Right** (one more) | `sums` |\n"));
  EXPECT_THAT(page, HasSubstr("| Lines | 10 | 20 | Tie | `lines`<br>`sums` |\n"));
  EXPECT_THAT(page,
              HasSubstr("| Charm | much | little | **Wrong** | nothing: a matter of taste |"));
  EXPECT_THAT(page, HasSubstr("**Winner: Split** (Each has its side)"));
  EXPECT_THAT(page, HasSubstr("| **Right vs Wrong** | Split | **Right 0.5-0.5** |"));
  EXPECT_THAT(page, HasSubstr("| Adding Up | 78 | 88 | **Right** | +10 |"));
  EXPECT_THAT(page, HasSubstr("| Correctness | 40 | 95 |"));
  EXPECT_THAT(page, HasSubstr("- **Right (88, 89)** — Adds."));
  EXPECT_THAT(page, HasSubstr("| **Rigor** | good | bad | nothing: nobody knows how |"));
  EXPECT_THAT(page, HasSubstr("Task by task: “88, 89”<br>Round 1: “is ahead”"));
}

TEST(PublishedPageTest, EveryPageOfThisRepositoryFitsAScreen) {
  int pages = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ASSAY_CHECKOUT "/reports")) {
    if (entry.path().extension() == ".md") {
      ++pages;
      EXPECT_THAT(LayoutFaults(ReadFile(entry.path()).value()), IsEmpty()) << entry.path();
    }
  }
  EXPECT_GE(pages, 15);
}

}  // namespace
}  // namespace assay
