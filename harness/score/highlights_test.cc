// SPDX-License-Identifier: Apache-2.0
#include "score/highlights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "score/synthetic.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Cards over rows `speed` and `size` of dimension `quality` and `tests` of `testing`, each row a
/// third, or half of its dimension, of the overall score. Scores are 100 times the metric.
class HighlightsTest : public ::testing::Test {
 protected:
  HighlightsTest()
      : challenge_(synthetic::MakeChallenge(
            {synthetic::MakeCriterion("speed", "quality", "metric(speed)"),
             synthetic::MakeCriterion("size", "quality", "metric(size)"),
             synthetic::MakeCriterion("tests", "testing", "metric(tests)")})) {
    Add("a", {{"speed", 1}, {"size", 0.5}, {"tests", 0.9}});
    Add("b", {{"speed", 0.2}, {"size", 0.5}, {"tests", 1}});
  }

  void Add(std::string_view model, std::map<std::string, double> metrics) {
    Evidence cell = synthetic::MakeCell(model);
    cell.suite.cases = {synthetic::MakeCase("Any", {"core"}, Verdict::kAccepted)};
    cell.suite.metrics = std::move(metrics);
    cards_.push_back(ScoreCell(challenge_, cell));
  }

  template <class Row>
  static std::vector<std::string> Ids(const std::vector<Row>& rows) {
    std::vector<std::string> ids;
    ids.reserve(rows.size());
    for (const Row& row : rows) {
      ids.push_back(row.criterion->id);
    }
    return ids;
  }

  ChallengeView challenge_;
  std::vector<Scorecard> cards_;
};

TEST_F(HighlightsTest, WeaknessesAreRowsByPointsLost) {
  const auto weak = Weaknesses(challenge_, cards_[1]);
  EXPECT_THAT(Ids(weak), ElementsAre("speed", "size"));
  EXPECT_DOUBLE_EQ(weak[0].points, cards_[1].criteria[0].points_lost);
  EXPECT_GT(weak[0].points, weak[1].points);
}

TEST_F(HighlightsTest, AStrengthIsAheadOfTheOthersAndGoodInItself) {
  const auto strong = Strengths(challenge_, cards_[0], RowTotals(cards_));
  ASSERT_THAT(Ids(strong), ElementsAre("speed"));  // `tests` scores 90, and the other has more.
  EXPECT_DOUBLE_EQ(strong[0].points, cards_[0].criteria[0].share * 80);
  EXPECT_THAT(Ids(Strengths(challenge_, cards_[1], RowTotals(cards_))), ElementsAre("tests"));
}

TEST_F(HighlightsTest, WhoIsAloneHasTheRowsThatEarnTheMost) {
  cards_.pop_back();
  EXPECT_THAT(Ids(Strengths(challenge_, cards_[0], RowTotals(cards_))),
              ElementsAre("tests", "speed"));
}

TEST_F(HighlightsTest, RowsInWhichAllAreTheSameSeparateNobody) {
  const auto rows = SeparatingRows(challenge_, cards_);
  EXPECT_THAT(Ids(rows), ElementsAre("speed", "tests"));
  EXPECT_EQ(rows[0].best, 0U);
  EXPECT_EQ(rows[0].worst, 1U);
  EXPECT_EQ(rows[1].best, 1U);
  EXPECT_DOUBLE_EQ(rows[0].points, cards_[0].criteria[0].share * 80);
}

TEST_F(HighlightsTest, ARowThatOneAloneHasSeparatesNobody) {
  Add("c", {{"size", 0.5}});
  cards_.erase(cards_.begin());
  for (Scorecard& card : cards_) {
    card.criteria[0].score.reset();
  }
  cards_[0].criteria[0].score = 100;
  for (const SeparatingRow& row : SeparatingRows(challenge_, cards_)) {
    EXPECT_NE(row.criterion->id, "speed");
  }
}

TEST_F(HighlightsTest, EachDimensionIsTakenFromItsBestAndSaysWhy) {
  const auto best = BestOfEach(challenge_, cards_);
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0].dimension->id, "quality");
  EXPECT_EQ(best[0].best, 0U);
  EXPECT_THAT(best[0].as_good, IsEmpty());
  EXPECT_EQ(best[0].because->id, "speed");
  EXPECT_EQ(best[1].best, 1U);
}

TEST_F(HighlightsTest, InsideBothUncertaintiesTheyAreAsGood) {
  cards_[0].dimensions[1].uncertainty = 8;  // 90 and 100: ten apart.
  cards_[1].dimensions[1].uncertainty = 5;
  EXPECT_THAT(BestOfEach(challenge_, cards_)[1].as_good, IsEmpty());
  cards_[1].dimensions[1].uncertainty = 6;
  EXPECT_THAT(BestOfEach(challenge_, cards_)[1].as_good, ElementsAre(0U));
}

TEST_F(HighlightsTest, WithoutScoresNothingStandsOut) {
  for (Scorecard& card : cards_) {
    for (CriterionScore& row : card.criteria) {
      row.score.reset();
      row.points_lost = 0;
    }
    for (DimensionScore& dimension : card.dimensions) {
      dimension.score.reset();
    }
  }
  EXPECT_THAT(Weaknesses(challenge_, cards_[0]), IsEmpty());
  EXPECT_THAT(Strengths(challenge_, cards_[0], RowTotals(cards_)), IsEmpty());
  EXPECT_THAT(SeparatingRows(challenge_, cards_), IsEmpty());
  EXPECT_THAT(BestOfEach(challenge_, cards_), IsEmpty());
  EXPECT_THAT(BestOfEach(challenge_, {}), IsEmpty());
}

}  // namespace
}  // namespace assay
