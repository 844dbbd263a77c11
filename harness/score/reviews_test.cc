// SPDX-License-Identifier: Apache-2.0
#include "score/reviews.h"

#include <gtest/gtest.h>

#include <string>

#include "score/explain.h"
#include "score/format.h"
#include "score/scorecard.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using synthetic::MakeCell;
using synthetic::MakeChallenge;
using synthetic::MakeCriterion;
using State = CriterionValue::State;

ReviewRecord MakeReview(const std::string& reviewer, const std::string& model, int mark) {
  return {.reviewer = reviewer,
          .who = reviewer,
          .date = "2026-11-23",
          .model = model,
          .marks = {{.criterion = "prose", .mark = mark, .reason = "why", .places = {"a.cc:3"}}},
          .comparisons = {}};
}

/// Three reviewers who agree on the models a, b and c.
struct ReviewsTest : testing::Test {
  ChallengeView challenge =
      MakeChallenge({MakeCriterion("prose", "d", "review", {{0, 0}, {4, 100}}),
                     MakeCriterion("cases", "d", "metric(x)")});
  Evidence cell = MakeCell("a");

  ReviewsTest() {
    challenge.rubric.criteria[0].kind = CriterionKind::kReview;
    challenge.rubric.criteria[0].unit = {.form = ValueUnit::Form::kOf, .of = 4};
    for (const std::string reviewer : {"ada", "bo", "cy"}) {
      challenge.reviews.push_back(MakeReview(reviewer, "a", 3));
      challenge.reviews.push_back(MakeReview(reviewer, "b", 1));
      challenge.reviews.push_back(MakeReview(reviewer, "c", 4));
    }
    cell.suite.cases = {synthetic::MakeCase("A", {}, Verdict::kAccepted)};
    cell.suite.metrics = {{"x", 1}};
  }

  [[nodiscard]] CriterionValue Value() const {
    return Evaluate(challenge.rubric.criteria[0], challenge, cell);
  }
  [[nodiscard]] std::string Printed() const {
    return FormatValue(challenge.rubric.criteria[0], Value());
  }
};

TEST_F(ReviewsTest, ValueIsTheMedianWithRangeAlphaAndReviewers) {
  challenge.reviews[0].marks[0].mark = 2;
  EXPECT_EQ(Value().state, State::kMeasured);
  EXPECT_EQ(Value().value, 3);
  EXPECT_EQ(Printed(), "3 of 4 (2 to 3, 3 reviewers, alpha 0.96)");
  const Scorecard card = ScoreCell(challenge, cell);
  EXPECT_EQ(FindCriterionScore(card, "prose")->score, 75);
  EXPECT_EQ(card.overall, 87.5);
  EXPECT_EQ(card.coverage, 1);
}

TEST_F(ReviewsTest, UnderThreeReviewersItIsShownAndNotScored) {
  std::erase_if(challenge.reviews, [](const ReviewRecord& one) { return one.reviewer == "cy"; });
  EXPECT_EQ(Value().state, State::kNotMeasured);
  EXPECT_EQ(Printed(), "3 of 4 (3 to 3, 2 reviewers, alpha 1.00; not scored: under 3 reviewers)");
  const Scorecard card = ScoreCell(challenge, cell);
  EXPECT_EQ(FindCriterionScore(card, "prose")->score, std::nullopt);
  EXPECT_EQ(card.overall, 100);
  EXPECT_EQ(card.coverage, 0.5);
}

TEST_F(ReviewsTest, ReviewersWhoDisagreeCarryNoWeight) {
  challenge.reviews[0].marks[0].mark = 0;
  challenge.reviews[4].marks[0].mark = 4;
  challenge.reviews[8].marks[0].mark = 0;
  EXPECT_EQ(Value().state, State::kNotMeasured);
  EXPECT_NE(Printed().find("not scored: alpha is under 0.67"), std::string::npos) << Printed();
}

TEST_F(ReviewsTest, MarksThatNeverDifferShowNoAgreement) {
  for (ReviewRecord& review : challenge.reviews) {
    review.marks[0].mark = 3;
  }
  EXPECT_NE(Printed().find("not scored: all marks are the same"), std::string::npos) << Printed();
}

TEST_F(ReviewsTest, StaleReviewsAndThoseOfOnesOwnWorkDoNotCount) {
  challenge.reviews[0].standing = ReviewStanding::kStale;
  EXPECT_EQ(Summarise(challenge.reviews, "prose", "a")->reviewers, 2);
  challenge.reviews[3].standing = ReviewStanding::kOwnWork;
  EXPECT_EQ(Summarise(challenge.reviews, "prose", "a")->reviewers, 1);
  challenge.reviews[6].standing = ReviewStanding::kStale;
  EXPECT_EQ(Summarise(challenge.reviews, "prose", "a"), std::nullopt);
  EXPECT_EQ(Printed(), "—");
}

TEST_F(ReviewsTest, ARejectedSubmissionEarnsNothingByItsProse) {
  cell.verdict = Verdict::kRejected;
  EXPECT_EQ(Value().state, State::kFailed);
}

TEST_F(ReviewsTest, ExplainNamesEachReviewerWithMarkPlaceAndReason) {
  challenge.reviews[0].standing = ReviewStanding::kStale;
  const auto lines = Explain(challenge, cell, ScoreCell(challenge, cell)).criteria[0].lines;
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].says, "3 of 4 (a.cc:3) [stale: the submission changed]: why");
  EXPECT_EQ(lines[1], (EvidenceLine{.thing = "review of bo", .says = "3 of 4 (a.cc:3): why"}));
}

TEST_F(ReviewsTest, OrderIsConsistentWhereBothOrdersPreferTheSame) {
  Reviews& reviews = challenge.reviews;
  reviews[0].comparisons = {{.criterion = "prose", .against = "b", .prefers = Preference::kThis},
                            {.criterion = "prose", .against = "c", .prefers = Preference::kThis}};
  reviews[1].comparisons = {{.criterion = "prose", .against = "a", .prefers = Preference::kOther}};
  EXPECT_EQ(ConsistencyOf(reviews, "ada"), (OrderConsistency{.consistent = 1, .pairs = 1}));
  reviews[2].comparisons = {{.criterion = "prose", .against = "a", .prefers = Preference::kThis}};
  EXPECT_EQ(ConsistencyOf(reviews, "ada"), (OrderConsistency{.consistent = 1, .pairs = 2}));
  EXPECT_EQ(ConsistencyOf(reviews, "bo"), OrderConsistency{});
}

}  // namespace
}  // namespace assay
