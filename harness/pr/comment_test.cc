// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "pr/result_set.h"
#include "pr/synthetic_change.h"
#include "spec/unicode.h"

namespace assay {
namespace {

using ::testing::ContainsRegex;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;
using ::testing::StartsWith;

std::string Comment(const SyntheticChange& one, ChangeGate gate = ChangeGate::kCorrectness) {
  return CommentMarkdown(one.change, one.AssessIt(gate));
}

TEST(Comment, BeginsWithItsMarkAndTheVerdict) {
  const std::string comment = Comment(OneFailingCell());
  EXPECT_THAT(comment, StartsWith(std::string(kCommentMark) +
                                  "\n### Assay: accepted 0 of 1, rank 1 of 1, new\n"));
  EXPECT_THAT(comment, HasSubstr("**The gate fails:**"));
}

TEST(Comment, ShowsTheFirstFailingCaseAndTheCommandThatReproducesIt) {
  const std::string comment = Comment(OneFailingCell());
  EXPECT_THAT(comment, HasSubstr("First failing case: `Sum.Two`, wrong\\_answer\n\n"
                                 "```text\nsum[0] is 3 instead of 4\n```"));
  EXPECT_THAT(comment, HasSubstr("Reproduce it:\n\n```text\n"
                                 "assay try submissions/m/sums --case 'Sum.Two' --seed 7\n```"));
}

TEST(Comment, NamesTheFilesThatChanged) {
  EXPECT_THAT(Comment(OneFailingCell()), HasSubstr("\nFiles: add.cc is new\n"));
}

TEST(Comment, FoldsWhatTheCompilerSaid) {
  SyntheticChange one = OneFailingCell();
  Evidence& after = *one.change.cells[0].after;
  after.suite.cases.clear();
  after.verdict = after.release.verdict = Verdict::kCompileError;
  after.release.diagnostics = "add.cc:1:1: error: no";
  EXPECT_THAT(Comment(one), HasSubstr("<details><summary>What the compiler said</summary>\n\n"
                                      "```text\nadd.cc:1:1: error: no\n```\n\n</details>\n\n"));
}

TEST(Comment, SaysOnceThatNothingWasMeasuredOfWhatDoesNotBuild) {
  SyntheticChange one = OneFailingCell();
  ChangedCell& cell = one.change.cells[0];
  cell.before = cell.after;
  cell.after->suite.cases.clear();
  cell.after->verdict = cell.after->release.verdict = Verdict::kCompileError;
  const std::string comment = Comment(one);
  EXPECT_THAT(comment, HasSubstr("\n1 row of the rubric lost, since nothing was built"));
  EXPECT_THAT(comment, Not(HasSubstr("Row that moved")));
}

TEST(Comment, AFailureOfOursLeavesTheGateOpen) {
  SyntheticChange one = OneFailingCell();
  one.change.cells[0].after->verdict = Verdict::kJudgeError;
  const std::string comment = Comment(one);
  EXPECT_THAT(comment, HasSubstr("**The gate is open:** it fails for no cell that was graded, but "
                                 "1 cell was not, by our fault"));
  EXPECT_THAT(comment, Not(HasSubstr("holds")));
}

TEST(Comment, SaysWhatIsRemovedAndWhatItWas) {
  SyntheticChange one = OneFailingCell();
  ChangedCell& cell = one.change.cells[0];
  cell.change = CellChange::kRemoved;
  cell.before = std::move(cell.after);
  cell.after.reset();
  const std::string comment = Comment(one);
  EXPECT_THAT(comment, HasSubstr("### Assay: nothing to grade, 1 removed\n"));
  EXPECT_THAT(comment, HasSubstr("| wrong\\_answer → **removed** | — (was 50.0) |"));
}

TEST(Comment, SaysWhatWasRefusedAndWhatIsNoResult) {
  SyntheticChange one = OneFailingCell();
  one.change.refusals = {"it changes harness/x.cc"};
  one.change.cells.clear();
  EXPECT_THAT(Comment(one), HasSubstr("### Assay: refused\n\n**Refused; nothing was graded:**"));
  one.change.judge = JudgeOf::kChange;
  EXPECT_THAT(Comment(one), HasSubstr("**own** harness and challenges"));
}

TEST(Comment, NamesWhatIsOutsideAndIgnoredAndReached) {
  SyntheticChange one = OneFailingCell();
  one.change.outside = {"README.md", "reports/evidence/sums/m.json"};
  one.change.evidence = {"reports/evidence/sums/m.json"};
  one.change.reached = {{.cell = {"n", "sums"}, .why = "challenges/sums/suite.cc changed"}};
  one.change.models = {"m", "n"};
  const std::string comment = Comment(one);
  EXPECT_THAT(comment, HasSubstr("no model's folder: `README.md`"));
  EXPECT_THAT(comment, HasSubstr("Ignored, since evidence is made and never handed in: `reports/"));
  EXPECT_THAT(comment, HasSubstr("judges 1 more: `n/sums`"));
  EXPECT_THAT(comment, HasSubstr("several models: `m`, `n`"));
}

// Lines outside of fenced blocks, with code letters and escaped characters left out.
std::string Prose(const std::string& page) {
  std::string prose;
  bool fenced = false;
  for (const std::string& line : SplitLines(page)) {
    if (line.starts_with("```")) {
      fenced = !fenced;
      continue;
    }
    bool code = false;
    for (std::size_t i = 0; !fenced && i < line.size(); ++i) {
      if (line[i] == '`') {
        code = !code;
      } else if (!code && line[i] == '\\') {
        ++i;
      } else if (!code) {
        prose += line[i];
      }
    }
    prose += '\n';
  }
  EXPECT_FALSE(fenced) << "a block stays open";
  return prose;
}

std::string WithoutOwnTags(std::string prose) {
  for (const std::string_view tag :
       {"<details>", "</details>", "<summary>", "</summary>", "<!-- assay:pr -->"}) {
    for (std::size_t at = prose.find(tag); at != std::string::npos; at = prose.find(tag)) {
      prose.erase(at, tag.size());
    }
  }
  return prose;
}

TEST(Comment, HostileTextMakesNoMentionLinkImageOrHtml) {
  const SyntheticChange hostile = HostileChange();
  for (const std::string& page :
       {Comment(hostile),
        SummaryMarkdown(hostile.change, hostile.AssessIt(ChangeGate::kCorrectness))}) {
    const std::string prose = WithoutOwnTags(Prose(page));
    EXPECT_THAT(prose, Not(HasSubstr("@")));
    EXPECT_THAT(prose, Not(HasSubstr("<")));
    EXPECT_THAT(prose, Not(HasSubstr("](")));
    EXPECT_THAT(prose, Not(ContainsRegex("://[^ ]")));
    EXPECT_THAT(prose, Not(ContainsRegex("www[.][^ ]")));
    EXPECT_THAT(prose, Not(HasSubstr("![")));
    EXPECT_EQ(FindBadCharacter(page), std::nullopt);
  }
}

TEST(Comment, SaysWhatOfSeveralCellsChanged) {
  SyntheticChange three = OneFailingCell();
  three.change.cells.push_back(SyntheticCell("n", "sums"));
  ChangedCell& mended = three.change.cells[1];
  mended.before = mended.after;
  mended.after->verdict = mended.after->suite.cases[1].verdict = Verdict::kAccepted;
  EXPECT_THAT(Comment(three),
              HasSubstr("Against the base: 1 newly accepted, 1 new, 1 with a higher score.\n"));
  EXPECT_THAT(Comment(OneFailingCell()), Not(HasSubstr("Against the base")));
}

TEST(Comment, WhatIsRemovedOrCannotBeGradedMoved) {
  SyntheticChange three = OneFailingCell();
  three.change.cells.push_back(SyntheticCell("n", "sums"));
  three.change.cells.push_back(SyntheticCell("o", "sums"));
  for (ChangedCell& cell : three.change.cells) {
    cell.before = std::move(cell.after);
    cell.after.reset();
    cell.change = CellChange::kRemoved;
  }
  EXPECT_THAT(Comment(three), HasSubstr("Against the base: 3 removed.\n"));
  ChangedCell& at_fault = three.change.cells[1];
  at_fault.change = CellChange::kChanged;
  at_fault.faults = {{.kind = ErrorKind::kConfiguration,
                      .where = "submissions/n/sums/submission.yaml",
                      .cause = "is not there",
                      .remedy = ""}};
  ChangedCell& ours = three.change.cells[2];
  ours.change = CellChange::kChanged;
  ours.after = ours.before;
  ours.after->verdict = Verdict::kJudgeError;
  EXPECT_THAT(Comment(three), HasSubstr("Against the base: 1 removed, 2 that cannot be graded.\n"));
}

TEST(Comment, OfManyCellsTheFirstAreInSight) {
  const std::string comment = Comment(LargestChange(5, 6));
  EXPECT_THAT(comment, HasSubstr("\n<details><summary>6 more cells</summary>\n\n| Cell |"));
  EXPECT_THAT(Comment(LargestChange(4, 6)), Not(HasSubstr("more cell")));
}

TEST(Comment, PartsOfCellsAreCutFromTheEnd) {
  const std::string comment = Comment(LargestChange(64, 8));
  const std::size_t last_part = comment.rfind("<details><summary>model-");
  ASSERT_NE(last_part, std::string::npos);
  EXPECT_LT(comment.substr(last_part + 18, 20),
            comment.substr(comment.find("Parts cut to fit: `") + 19));
}

TEST(Comment, SixtyFourModelsAndEightChallengesFit) {
  const SyntheticChange large = LargestChange(64, 8);
  const Assessment assessment = large.AssessIt(ChangeGate::kCorrectness);
  const std::string comment = CommentMarkdown(large.change, assessment);
  EXPECT_THAT(comment.size(), Le(kCommentLimit_bytes));
  EXPECT_THAT(comment.size(), Ge(kCommentLimit_bytes / 2));
  EXPECT_THAT(comment, HasSubstr("Rows cut to fit: "));
  EXPECT_THAT(comment, HasSubstr("Parts cut to fit: `"));
  const std::string summary = SummaryMarkdown(large.change, assessment);
  EXPECT_THAT(summary.size(), Le(kSummaryLimit_bytes));
  EXPECT_THAT(summary.size(), Ge(comment.size() * 2));
}

TEST(Comment, LongListsStayBelowTheLimit) {
  SyntheticChange one = LargestChange(64, 8);
  for (int i = 0; i < 2'000; ++i) {
    one.change.outside.push_back(fmt::format("a/{:0200}", i));
    one.change.notes.emplace_back(5'000, '@');
    one.change.refusals.emplace_back(5'000, '*');
  }
  EXPECT_THAT(Comment(one).size(), Le(kCommentLimit_bytes));
}

}  // namespace
}  // namespace assay
