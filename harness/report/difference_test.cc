// SPDX-License-Identifier: Apache-2.0
#include "report/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "score/synthetic.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

struct Difference : testing::Test {
  Challenges challenges = {{"layernorm_backward", synthetic::LayerNormChallenge()}};
  std::vector<Evidence> before = synthetic::LayerNormCells();
  std::vector<Evidence> after = before;

  [[nodiscard]] EvidenceDifference Find() const {
    return FindDifference(before, after, challenges);
  }
  /// What is found of the first cell.
  [[nodiscard]] CellDifference Changed() const {
    for (const CellDifference& cell : Find().cells) {
      if (cell.model == before[0].model) {
        return cell;
      }
    }
    ADD_FAILURE() << "the first cell does not differ";
    return {};
  }
  /// Makes the first cell worse in one row.
  void LoseMemorySafety() {
    after[0].sanitizer_findings = {"heap-buffer-overflow layernorm.cc:40"};
  }
};

TEST_F(Difference, EqualEvidenceHasNone) {
  const EvidenceDifference difference = Find();
  EXPECT_THAT(difference.cells, IsEmpty());
  EXPECT_THAT(difference.models, IsEmpty());
  EXPECT_EQ(difference.same, 3);
  EXPECT_FALSE(ChangesPublished(difference));
  EXPECT_EQ(DifferenceText(difference), "0 cells differ, 3 are the same\n");
}

TEST_F(Difference, ARowThatMovedIsNamedWithItsPointsAndWhatMovedIt) {
  LoseMemorySafety();
  after[0].digests.submission = "another";
  after[0].environment.seed += 1;
  const EvidenceDifference difference = Find();
  const CellDifference cell = Changed();
  EXPECT_THAT(cell.causes, ElementsAre(DifferenceCause::kSubmission, DifferenceCause::kSeed));
  ASSERT_THAT(cell.rows, Not(IsEmpty()));
  EXPECT_EQ(cell.rows[0].title, "Memory safety");
  EXPECT_LT(cell.rows[0].points, 0);
  EXPECT_TRUE(ChangesPublished(difference));
  EXPECT_THAT(DifferenceText(difference), HasSubstr("moved by: submission, seed"));
}

/// A rank is among others: who did not change may have another.
TEST_F(Difference, AnotherRankOfTheSameEvidenceIsOfOtherCells) {
  after[0].verdict = Verdict::kJudgeError;
  after[0].verdict_detail = "no disk";
  bool found = false;
  for (const CellDifference& cell : Find().cells) {
    if (cell.model != after[0].model) {
      EXPECT_THAT(cell.causes, ElementsAre(DifferenceCause::kOthers));
      EXPECT_THAT(cell.rows, IsEmpty());
      found = true;
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(Difference, WithTheSameInputsItIsChance) {
  LoseMemorySafety();
  EXPECT_THAT(Changed().causes, ElementsAre(DifferenceCause::kChance));
}

TEST_F(Difference, EachPartIsACauseOfItsOwn) {
  LoseMemorySafety();
  Evidence& one = after[0];
  one.digests.submission += "x";
  one.digests.challenge += "x";
  one.digests.reference += "x";
  one.digests.harness += "x";
  one.environment.compiler += "x";
  one.environment.machine.cpu_model += "x";
  one.environment.sandbox_level = "none";
  ++one.environment.seed;
  EXPECT_THAT(Changed().causes,
              ElementsAre(DifferenceCause::kSubmission, DifferenceCause::kChallenge,
                          DifferenceCause::kReference, DifferenceCause::kHarness,
                          DifferenceCause::kCompiler, DifferenceCause::kMachine,
                          DifferenceCause::kSandbox, DifferenceCause::kSeed));
}

TEST_F(Difference, CellsComeAndGo) {
  after.pop_back();
  before.erase(before.begin());
  const EvidenceDifference difference = Find();
  std::vector<bool> was_there;
  for (const CellDifference& cell : difference.cells) {
    if (cell.before.has_value() != cell.after.has_value()) {
      was_there.push_back(cell.before.has_value());
      EXPECT_THAT(cell.causes, IsEmpty());
    }
  }
  EXPECT_THAT(was_there, SizeIs(2));
  const std::string text = DifferenceText(difference);
  EXPECT_THAT(text, testing::ContainsRegex(before.back().model_name + ", .*\n  moved by: gone\n"));
  EXPECT_THAT(text, testing::ContainsRegex(after.front().model_name +
                                           ", .*\n  moved by: graded for the first time\n"));
}

TEST_F(Difference, TextOfSubmissionsDrivesNoTerminalAndIsNoMarkup) {
  LoseMemorySafety();
  after[0].model_name = "\x1b[31m<b>\u202e|evil";
  const EvidenceDifference difference = Find();
  EXPECT_THAT(DifferenceText(difference), Not(HasSubstr("\x1b")));
  EXPECT_THAT(DifferenceText(difference), Not(HasSubstr("\u202e")));
  const auto page = WithChangesEntry(std::nullopt, difference, "2026-01-01", "Assay 1");
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, Not(HasSubstr("<b>")));
  EXPECT_THAT(*page, Not(HasSubstr("\u202e")));
  EXPECT_EQ(nlohmann::json::parse(DifferenceJson(difference))["cells"].size(),
            difference.cells.size());
}

TEST_F(Difference, TheLatestEntryIsTheFirst) {
  LoseMemorySafety();
  const auto one = WithChangesEntry(std::nullopt, Find(), "2026-01-01", "Assay 1");
  ASSERT_TRUE(one) << ToString(one.error());
  const auto two = WithChangesEntry(*one, Find(), "2026-01-02", "Assay 1");
  ASSERT_TRUE(two) << ToString(two.error());
  EXPECT_LT(two->find("2026-01-02"), two->find("2026-01-01"));
  EXPECT_THAT(*two, testing::StartsWith(std::string(kChangesMark)));
  EXPECT_THAT(*two, Not(testing::EndsWith("\n\n")));
}

TEST_F(Difference, AnEntryKeepsAScoreAndItsUncertaintyOnOneLine) {
  LoseMemorySafety();
  const auto page = WithChangesEntry(std::nullopt, Find(), "2026-01-01", "Assay 1");
  ASSERT_TRUE(page) << ToString(page.error());
  EXPECT_THAT(*page, HasSubstr("\u00a0±\u00a0"));
  EXPECT_THAT(*page, Not(testing::ContainsRegex(" ±|± ")));
}

TEST_F(Difference, APageOfSomebodyElseIsLeftAlone) {
  LoseMemorySafety();
  EXPECT_FALSE(WithChangesEntry("# My changes\n", Find(), "2026-01-01", "Assay 1"));
  EXPECT_FALSE(WithChangesEntry("# My changes\n<!-- Entries, the latest first -->\n", Find(),
                                "2026-01-01", "Assay 1"));
}

}  // namespace
}  // namespace assay
