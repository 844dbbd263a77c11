// SPDX-License-Identifier: Apache-2.0
#include "published/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "published/calibration_page.h"
#include "published/calibration_text.h"
#include "report/report.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

PublishedRow MakeRow(std::string name, RowEdge edge, std::vector<std::string> measured_by,
                     int line) {
  PublishedRow row;
  row.row = std::move(name);
  row.a = "a's text";
  row.b = "b's text";
  row.edge = edge;
  row.mapping.measured_by = std::move(measured_by);
  row.line = line;
  return row;
}

/// Models a and b in one challenge: a is ahead in `speed` and `answers`, b in `size`, `sums` ties,
/// and `notes` is text.
class CalibrationTest : public ::testing::Test {
 protected:
  CalibrationTest() {
    std::vector<Criterion> criteria;
    for (const char* const id : {"speed", "size", "sums", "answers", "notes"}) {
      criteria.push_back(
          synthetic::MakeCriterion(id, "quality", "metric(" + std::string(id) + ")"));
    }
    criteria[3].kind = CriterionKind::kAnswer;
    criteria[4].edge = Edge::kText;
    challenges_ = {{"sums", synthetic::MakeChallenge(criteria)}};
    cells_ = {synthetic::MakeCell("a"), synthetic::MakeCell("b")};
    cells_[0].suite.metrics = {
        {"speed", 2}, {"size", 1}, {"sums", 1}, {"answers", 1}, {"notes", 1}};
    cells_[1].suite.metrics = {
        {"speed", 1}, {"size", 2}, {"sums", 1}, {"answers", 0}, {"notes", 2}};
    PublishedContest contest;
    contest.challenge = "sums";
    contest.winner = RowEdge::kB;
    contest.reason = "because";
    contest.rows = {
        MakeRow("Speed", RowEdge::kA, {"speed"}, 1),
        MakeRow("Size", RowEdge::kA, {"size", "notes"}, 2),
        MakeRow("Both", RowEdge::kTie, {"speed", "size"}, 3),
        MakeRow("Answers", RowEdge::kA, {"answers", "sums"}, 4),
        MakeRow("Notes", RowEdge::kB, {"notes"}, 5),
    };
    PublishedMatchup matchup;
    matchup.a = "a";
    matchup.b = "b";
    matchup.winner = RowEdge::kB;
    matchup.contests = {contest};
    study_.file = "study.yaml";
    study_.id = "s";
    study_.title = "A study";
    study_.models = {{.id = "a", .names = {"Model A"}}, {.id = "b", .names = {"Model B"}}};
    study_.challenges = {{.id = "sums", .names = {"Adding"}}};
    study_.matchups = {matchup};
    study_.breakdown = {
        {.challenge = "sums",
         .entries = {{.model = "a", .note = "Adds.", .mapping = {{"sums"}, ""}, .scores = {88, 78}},
                     {.model = "b", .note = "Idiom.", .mapping = {{}, "not graded"}}}}};
    study_.disagreements = {Why("", DisagreementCause::kStudy)};
  }

  /// The disagreement on the row.
  static Disagreement Why(const std::string& row, DisagreementCause cause) {
    return {.a = "a", .b = "b", .challenge = "sums", .row = row, .cause = cause, .text = "Why."};
  }

  Challenges challenges_;
  std::vector<Evidence> cells_;
  PublishedStudy study_;
};

TEST_F(CalibrationTest, MostOfTheCriteriaWithAnEdgeHaveTheRow) {
  const Board board = MakeBoard(cells_, challenges_);
  const auto contests = Calibrate(study_, board);
  ASSERT_EQ(contests.size(), 1U);
  std::vector<RowEdge> edges;
  std::vector<RowEdge> unauthored;
  for (const CalibratedRow& row : contests[0].rows) {
    edges.push_back(row.measured);
    unauthored.push_back(row.measured_unauthored);
  }
  EXPECT_THAT(edges,
              ElementsAre(RowEdge::kA, RowEdge::kB, RowEdge::kTie, RowEdge::kA, RowEdge::kNone));
  EXPECT_THAT(unauthored,
              ElementsAre(RowEdge::kA, RowEdge::kB, RowEdge::kTie, RowEdge::kTie, RowEdge::kNone));
}

TEST_F(CalibrationTest, EdgesAreThoseOfTheStudysOrder) {
  std::swap(study_.matchups[0].a, study_.matchups[0].b);
  const Board board = MakeBoard(cells_, challenges_);
  EXPECT_EQ(Calibrate(study_, board)[0].rows[0].measured, RowEdge::kB);
}

TEST_F(CalibrationTest, WithoutACellNothingIsCompared) {
  cells_.pop_back();
  const Board board = MakeBoard(cells_, challenges_);
  const EdgeAgreement counts = CountAgreement(Calibrate(study_, board), CountedCriteria::kAll);
  EXPECT_EQ(counts.published, 5);
  EXPECT_EQ(counts.compared, 0);
  EXPECT_EQ(counts.kappa, std::nullopt);
  EXPECT_THAT(CheckCalibration(study_, board), IsEmpty());
}

TEST_F(CalibrationTest, CountsEdgesForTheOneThatTheStudyHasAhead) {
  const Board board = MakeBoard(cells_, challenges_);
  const auto contests = Calibrate(study_, board);
  const EdgeAgreement counts = CountAgreement(contests, CountedCriteria::kAll);
  EXPECT_EQ(counts.compared, 4);
  EXPECT_EQ(counts.same, 3);
  // The study has b ahead: edges of a are against it.
  EXPECT_THAT(counts.table,
              ElementsAre(ElementsAre(0, 0, 0), ElementsAre(0, 1, 0), ElementsAre(1, 0, 2)));
  // 3 of 4 agree; by chance (1 * 1 + 3 * 2) / 16. Weighted: 2 steps apart against
  // (1 * 1 + 1 * 2 + 3 * 1 * 2 + 3 * 1) / 4.
  EXPECT_DOUBLE_EQ(*counts.kappa, 1 - (1.0 / 4) / (1 - 7.0 / 16));
  EXPECT_DOUBLE_EQ(*counts.weighted_kappa, 1 - 2 / (12.0 / 4));
  EXPECT_EQ(CountAgreement(contests, CountedCriteria::kUnauthored).same, 2);
  EXPECT_EQ(CountAgreement(contests, CountedCriteria::kAll,
                           [](const CalibratedContest&, const CalibratedRow& row) {
                             return row.row->row == "Speed";
                           })
                .published,
            1);
}

TEST_F(CalibrationTest, ADisagreementWithoutACauseIsAFault) {
  const Board board = MakeBoard(cells_, challenges_);
  Errors faults = CheckCalibration(study_, board);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(ToString(faults[0]),
            "study.yaml:2: row \"Size\" of sums in a vs b: the measured edge is another, and "
            "disagreements does not say why; add it there with its cause");
  study_.disagreements.push_back(Why("Size", DisagreementCause::kUnmeasured));
  faults = CheckCalibration(study_, board);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(ToString(faults[0]), HasSubstr("has a measured edge, and is said to be unmeasured"));
  study_.disagreements.back().cause = DisagreementCause::kMetric;
  EXPECT_THAT(CheckCalibration(study_, board), IsEmpty());
}

TEST_F(CalibrationTest, AnotherWinnerWithoutACauseIsAFault) {
  study_.disagreements = {Why("Size", DisagreementCause::kMetric)};
  study_.matchups[0].contests[0].line = 7;
  const Board board = MakeBoard(cells_, challenges_);
  const Errors faults = CheckCalibration(study_, board);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(ToString(faults[0]),
            "study.yaml:7: sums in a vs b: the measured winner is another, and disagreements does "
            "not say why; add it there with its cause");
  EXPECT_THAT(CalibrationPage({study_}, board).text(),
              HasSubstr("Not the same, and the points with it:\n\n- **Model A vs Model B, "
                        "Adding**: **no cause given**\n"));
}

TEST_F(CalibrationTest, ASplitHasItsCauseInItself) {
  study_.disagreements = {Why("Size", DisagreementCause::kMetric)};
  cells_[1].suite.metrics["answers"] = 1;  // The scores are the same then.
  study_.matchups[0].contests[0].rows[3].edge = RowEdge::kTie;
  const Board board = MakeBoard(cells_, challenges_);
  const auto contests = Calibrate(study_, board);
  ASSERT_EQ(contests[0].measured->winner, RowEdge::kSplit);
  EXPECT_TRUE(Disagrees(contests[0]));
  EXPECT_THAT(CheckCalibration(study_, board), IsEmpty());
  EXPECT_THAT(CalibrationPage({study_}, board).text(),
              HasSubstr("Model A vs Model B, Adding**: split, since the margin is inside its "
                        "uncertainty\n"));
}

TEST_F(CalibrationTest, PageOpensWithItsConclusion) {
  const std::string page = CalibrationPage({study_}, MakeBoard(cells_, challenges_)).text();
  EXPECT_THAT(page, HasSubstr("# Measured beside published: s\n\n**3 of 4 compared rows have the "
                              "published edge**, and 2 of the 3 in which both name a winner. "
                              "Kappa, the agreement beyond chance, is 0.56. The winner of two "
                              "models in one challenge is the published one 0 times of 1.\n"));
  cells_.pop_back();
  EXPECT_THAT(CalibrationPage({study_}, MakeBoard(cells_, challenges_)).text(),
              HasSubstr("**Nothing is compared**"));
}

TEST_F(CalibrationTest, ExplainLeadsFromAMeanToTheScoresThatItIsOf) {
  challenges_.at("sums").rubric.criteria = {
      synthetic::MakeCriterion("speed", "quality", "metric(speed)", {{0, 0}, {10, 100}}),
      synthetic::MakeCriterion("size", "quality", "metric(size)", {{0, 0}, {10, 100}})};
  study_.patterns = {{.factor = "Rigor",
                      .cells = {{"b", "some"}, {"a", "much"}},
                      .mapping = {{"sums/speed", "sums/size"}, ""}}};
  study_.hybrid_rows = {{.challenge = "sums",
                         .algorithm = {.text = "B's", .mapping = {{"speed"}, ""}},
                         .testing = {.text = "A's", .mapping = {{"size"}, ""}},
                         .analysis = {.text = "Either", .mapping = {{}, "nobody"}}}};
  const Board board = MakeBoard(cells_, challenges_);
  const auto factor = ExplainCalibration({study_}, board, "rigor");
  ASSERT_TRUE(factor.has_value());
  EXPECT_EQ(*factor,
            "A study\n"
            "  all models, Rigor: a has a mean score of 15.0\n"
            "    20.0: assay explain a/sums speed\n    10.0: assay explain a/sums size\n"
            "  all models, Rigor: b has a mean score of 15.0\n"
            "    10.0: assay explain b/sums speed\n    20.0: assay explain b/sums size\n");
  const auto hybrid = ExplainCalibration({study_}, board, "hybrid, sums");
  ASSERT_TRUE(hybrid.has_value());
  EXPECT_THAT(*hybrid, HasSubstr("  hybrid, sums, algorithm: a has a mean score of 20.0\n"
                                 "    20.0: assay explain a/sums speed\n"));
  EXPECT_THAT(*hybrid, HasSubstr("  hybrid, sums: the best of each dimension make "));
  EXPECT_THAT(*hybrid, HasSubstr(": assay explain a/sums quality\n"));
  const auto all = ExplainCalibration({study_}, board, std::nullopt);
  EXPECT_THAT(*all, HasSubstr("means of the factors and of the hybrid\n  all models, Rigor: a has "
                              "a mean score of 15.0\n  all models, Rigor: b "));
}

TEST_F(CalibrationTest, PatternsAndTheHybridStandBesideWhatIsMeasured) {
  study_.patterns = {{.factor = "Rigor",
                      .cells = {{"b", "some"}, {"a", "much"}},
                      .mapping = {{"sums/speed", "sums/size"}, ""}}};
  study_.hybrid_rows = {{.challenge = "sums",
                         .algorithm = {.text = "B's", .mapping = {{"speed"}, ""}},
                         .testing = {.text = "A's", .mapping = {{"sums"}, ""}},
                         .analysis = {.text = "Either", .mapping = {{}, "nobody <i>asked</i>"}}}};
  const std::string page = CalibrationPage({study_}, MakeBoard(cells_, challenges_)).text();
  EXPECT_THAT(page, HasSubstr("| Factor | Model B | Model A |\n"));
  EXPECT_THAT(page, HasSubstr("| **Rigor** | some → **"));
  EXPECT_THAT(page, HasSubstr("- Rigor\n  - Adding: speed: Model B **1**, Model A **2**\n  - "
                              "Adding: size: Model B **2**, Model A **1**\n"));
  EXPECT_THAT(page, HasSubstr("| Adding | algorithm | B's | "));
  EXPECT_THAT(page, HasSubstr("nothing: nobody \\<i\\>asked"));
}

TEST_F(CalibrationTest, EachSentenceStandsOverWhatIsMeasuredOfIt) {
  study_.takeaways = {{.text = "A is fast.", .mapping = {{"sums/speed"}, ""}}};
  study_.places = {{.model = "b", .note = "Small", .mapping = {{"sums/size"}, ""}}};
  PublishedRound round;
  round.a = "a";
  round.b = "b";
  PublishedScorecard card;
  card.challenge = "sums";
  card.winner = RowEdge::kA;
  card.margin = 2;
  card.strengths = {
      {.model = "a", .heading = "A's Strengths", .items = {{"Answers", {{"answers"}, ""}}}}};
  round.challenges = {card};
  study_.rounds = {round};
  const std::string page = CalibrationPage({study_}, MakeBoard(cells_, challenges_)).text();
  EXPECT_THAT(page, HasSubstr("- A is fast.\n  - Adding: speed: Model A **2**, Model B **1**\n"));
  EXPECT_THAT(page, HasSubstr("- Model B — Small\n  - Measured: size: **2**\n"));
  EXPECT_THAT(page, HasSubstr("**Adding: A's Strengths**\n\n- Answers\n  - Measured: answers ‡: "
                              "**1**\n"));
  EXPECT_THAT(page, HasSubstr("- Model A — Adds.\n  - Measured: sums: **1**\n"));
  EXPECT_THAT(page, HasSubstr("- Model B — Idiom.\n  - Measured: nothing: not graded\n"));
}

TEST_F(CalibrationTest, WhatIsSaidOfMatchupsAndRoundsStandsOverWhoWinsHere) {
  study_.matchups[0].introduction = "A close one.";
  study_.matchups[0].contests[0].introduction = "It is split:";
  study_.matchups[0].contests[0].arguments = {"B adds less."};
  PublishedRound round;
  round.round = 2;
  round.a = "a";
  round.b = "b";
  round.verdict = "A won.";
  PublishedScorecard card;
  card.challenge = "sums";
  round.challenges = {card};
  study_.rounds = {round};
  PublishedStanding standing;
  standing.model = "b";
  standing.notes = "Never tested.";
  study_.ranking = {standing};
  cells_[1].verdict = Verdict::kWrongAnswer;
  const std::string page = CalibrationPage({study_}, MakeBoard(cells_, challenges_)).text();
  EXPECT_THAT(page, HasSubstr("- Model A vs Model B: A close one.\n  - Measured: **"));
  EXPECT_THAT(page,
              HasSubstr("- Published: **Winner: Model B** (because)\n  - It is split:\n  - B adds "
                        "less.\n"
                        "- Measured: **Winner: "));
  EXPECT_THAT(page, HasSubstr("- Round 2: A won.\n  - Measured: **"));
  EXPECT_THAT(page, HasSubstr("| Model B | Never tested. | accepted in 0 of 1; Adding: "
                              "wrong\\_answer |\n"));
}

TEST_F(CalibrationTest, TheHybridIsWeighedAsTheRubricDoes) {
  challenges_.at("sums").rubric.dimensions = {{.id = "quality", .title = "quality", .weight = 1},
                                              {.id = "speed", .title = "speed", .weight = 3}};
  challenges_.at("sums").rubric.criteria = {
      synthetic::MakeCriterion("size", "quality", "metric(size)", {{0, 0}, {10, 100}}),
      synthetic::MakeCriterion("speed", "speed", "metric(speed)", {{0, 0}, {10, 100}})};
  study_.hybrid = "Together they would score 95.";
  study_.hybrid_rows = {{.challenge = "sums",
                         .algorithm = {.text = "B's", .mapping = {{"speed"}, ""}},
                         .testing = {.text = "A's", .mapping = {{"size"}, ""}},
                         .analysis = {.text = "Either", .mapping = {{"size"}, ""}}}};
  // The best of quality is b's 20, that of speed a's 20; then b's speed is 80.
  const auto hybrid = [&] {
    return CalibrationPage({study_}, MakeBoard(cells_, challenges_)).text();
  };
  EXPECT_THAT(hybrid(), HasSubstr("- Together they would score 95.\n  - Measured: the best score "
                                  "of each dimension, weighed as in the rubric, makes Adding "
                                  "**20.0**\n"));
  cells_[1].suite.metrics["speed"] = 8;
  EXPECT_THAT(hybrid(), HasSubstr("makes Adding **65.0**\n"));
}

TEST_F(CalibrationTest, PagePrintsBothEdgesAndWhyTheyDiffer) {
  study_.disagreements.push_back(Why("Notes", DisagreementCause::kUnmeasured));
  study_.disagreements.push_back(Why("Speed", DisagreementCause::kStudy));
  const Board board = MakeBoard(cells_, challenges_);
  const std::string page = CalibrationPage({study_}, board).text();
  EXPECT_TRUE(page.starts_with(kReportMark));
  EXPECT_THAT(page, HasSubstr("| **All** | 3 of 4 (75\u00a0%) | 0.56"));
  EXPECT_THAT(page, HasSubstr("| Adding, without authored | 2 of 4 (50\u00a0%) |"));
  EXPECT_THAT(page, HasSubstr("| Against | 1 | 0 | 2 |"));
  EXPECT_THAT(page, HasSubstr("\n- **no cause given**, 1 row: it is missing in the study's file.\n"
                              "  - Model A vs Model B, Adding: Size\n"
                              "- **no measured edge**, 1 row: not compared, since no criterion of "
                              "the row has an edge.\n  - Model A vs Model B, Adding: Notes\n"));
  EXPECT_THAT(page, HasSubstr("| Size | a's text | b's text | **Model A** | size: 1 / 2<br>notes: "
                              "1 / 2 | **Model B** |\n"));
  EXPECT_THAT(page, HasSubstr("Not the same:\n\n- **Size**: **no cause given**\n"
                              "- **Notes**: unmeasured: Why.\n"));
  EXPECT_THAT(page, HasSubstr("answers ‡: 1 / 0<br>sums: 1 / 1"));
  // It agrees: what is written of it is not shown.
  EXPECT_THAT(page, Not(HasSubstr("- **Speed**")));
  EXPECT_THAT(page, HasSubstr("| Adding | a | 88, 78 |"));
}

TEST_F(CalibrationTest, CausesStandBeforeWhatTheyExplainAndSentencesAreFolded) {
  study_.disagreements = {Why("Size", DisagreementCause::kStudy),
                          Why("Notes", DisagreementCause::kUnmeasured)};
  study_.takeaways = {{.text = "A is fast.", .mapping = {{"sums/speed"}, ""}}};
  const std::string page = CalibrationPage({study_}, MakeBoard(cells_, challenges_)).text();
  EXPECT_THAT(page, HasSubstr("- **study**, 1 row: the published edge does not follow from what "
                              "the study says elsewhere.\n  - Model A vs Model B, Adding: Size\n"));
  EXPECT_LT(page.find("## Why rows disagree"), page.find("## Agreement"));
  EXPECT_LT(page.find("## Row by row"), page.find("## Sentence by sentence"));
  EXPECT_THAT(page, HasSubstr("### Key takeaways\n\n<details><summary>1 sentence</summary>\n\n- A "
                              "is fast.\n"));
}

TEST_F(CalibrationTest, PageSaysWhatWouldHaveToBeMeasuredWhereOurMetricIsAnother) {
  Disagreement other_metric = Why("Size", DisagreementCause::kMetric);
  other_metric.instead = "Size <b>at rest</b>.";
  study_.disagreements = {other_metric, Why("Notes", DisagreementCause::kUnmeasured)};
  const std::string page = CalibrationPage({study_}, MakeBoard(cells_, challenges_)).text();
  EXPECT_THAT(page, HasSubstr("- **Size**: metric: Why. What would have to be measured: Size "
                              "\\<b\\>at rest\\</b\\>.\n- **Notes**: unmeasured: Why.\n"));
}

TEST_F(CalibrationTest, ExplainLeadsFromTheCountsToWhatEachRowWasMeasuredBy) {
  study_.disagreements.push_back(Why("Size", DisagreementCause::kMetric));
  const Board board = MakeBoard(cells_, challenges_);
  const auto all = ExplainCalibration({study_}, board, std::nullopt);
  ASSERT_TRUE(all.has_value());
  EXPECT_THAT(*all, HasSubstr("  a vs b, sums, Size: published a, measured b (metric)\n"));
  EXPECT_THAT(*all, HasSubstr("4 of 5 rows compared, 3 with the same edge; kappa 0.56\n"));
  const auto one = ExplainCalibration({study_}, board, "SIZ");
  ASSERT_TRUE(one.has_value());
  EXPECT_THAT(*one, HasSubstr("    size: 1 / 2: b\n      assay explain a/sums size\n"));
  EXPECT_THAT(*one, HasSubstr("    notes: 1 / 2: none, not counted\n"));
  EXPECT_THAT(*one, Not(HasSubstr("Speed")));
  EXPECT_THAT(*one, Not(HasSubstr("mean score")));
  EXPECT_FALSE(ExplainCalibration({study_}, board, "Colour").has_value());
  EXPECT_FALSE(ExplainCalibration({}, board, std::nullopt).has_value());
}

}  // namespace
}  // namespace assay
