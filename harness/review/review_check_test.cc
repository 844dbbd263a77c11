// SPDX-License-Identifier: Apache-2.0
#include "review/review_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = ReviewFinding::Kind;

/// One reviewer who read two submissions, of which `left` is better; no fault in it.
struct ReviewCheckTest : testing::Test {
  ReviewCheckTest() {
    rubric.criteria.resize(1);
    rubric.criteria[0].id = "prose";
    rubric.criteria[0].value.function = ValueFunction::kReview;
    rules.rubric = &rubric;
    const Blinder blinder({{.directory = {}, .id = "left", .name = "Left-1", .source = {}}});
    for (const std::string model : {"left", "right"}) {
      rules.subjects.push_back(
          {.challenge = "adder",
           .model = model,
           .model_name = model + "-1",
           .label = "s-" + model.substr(0, 1),
           .digest = model,
           .files = ShowFiles({{"a.cc", "// Left-1 adds.\nint x;\n"}}, blinder)});
    }
    reviews = {MakeReview("s-l", "left", 3, "s-r", Preference::kThis),
               MakeReview("s-r", "right", 1, "s-l", Preference::kOther)};
  }

  static Review MakeReview(const std::string& label, const std::string& digest, int mark,
                           const std::string& against, Preference prefers) {
    Review review;
    review.file = label + ".yaml";
    review.reviewer = {.id = "ada", .person = "Ada", .model = {}, .version = {}};
    review.challenge = "adder";
    review.submission = label;
    review.digest = digest;
    review.marks = {{.criterion = "prose",
                     .mark = mark,
                     .reason = "why",
                     .evidence = {{.file = "a.cc", .line = 2, .quote = "int x;", .at_line = 12}},
                     .at_line = 9}};
    review.comparisons = {{.criterion = "prose",
                           .against = against,
                           .prefers = prefers,
                           .reason = "why",
                           .at_line = 20}};
    return review;
  }

  [[nodiscard]] std::vector<std::string> Faults() const { return Findings(Kind::kFault); }
  [[nodiscard]] std::vector<std::string> Findings(Kind kind) const {
    std::vector<std::string> texts;
    for (const ReviewFinding& finding : CheckReviews(reviews, rules)) {
      if (finding.kind == kind) {
        texts.push_back(ToString(finding.error));
      }
    }
    return texts;
  }

  Rubric rubric;
  ReviewRules rules;
  std::vector<Review> reviews;
};

TEST_F(ReviewCheckTest, GoodReviewsHaveNoFindings) {
  EXPECT_THAT(CheckReviews(reviews, rules), IsEmpty());
}

TEST_F(ReviewCheckTest, AChangedSubmissionMakesItStaleAndItsQuotesSayNothing) {
  reviews[0].digest = "before";
  reviews[0].marks[0].evidence[0].quote = "gone";
  EXPECT_THAT(Findings(Kind::kStale), ElementsAre(HasSubstr("s-l.yaml: is stale")));
  EXPECT_THAT(Faults(), IsEmpty());
}

TEST_F(ReviewCheckTest, QuotesStandWhereTheyAreSaidToBe) {
  Quotation& quotation = reviews[0].marks[0].evidence[0];
  quotation.line = 1;
  EXPECT_THAT(Faults(), ElementsAre("s-l.yaml:12: line 1 of a.cc does not hold \"int x;\"; line 2 "
                                    "does; correct the number"));
  quotation.quote = "NAME adds.";  // As the dossier shows it.
  EXPECT_THAT(Faults(), IsEmpty());
  quotation.quote = "Left-1 adds.";
  EXPECT_THAT(Faults(), IsEmpty());
  quotation.quote = "nowhere";
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("quote a part of one line")));
  quotation.line = 99;
  EXPECT_THAT(Faults(), ::testing::SizeIs(1));
  quotation.file = "b.cc";
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("the submission has no file \"b.cc\"")));
}

TEST_F(ReviewCheckTest, EveryCriterionIsMarkedOnce) {
  reviews[0].marks.push_back(reviews[0].marks[0]);
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("s-l.yaml:9: \"prose\" is marked twice")));
  reviews[0].marks.clear();
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("\"prose\" is not marked")));
  reviews[1].marks[0].criterion = "verse";
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("not marked"),
                                    HasSubstr("no criterion of kind review \"verse\""),
                                    HasSubstr("not marked")));
}

TEST_F(ReviewCheckTest, APairIsComparedInBothOrders) {
  reviews[1].comparisons.clear();
  EXPECT_THAT(Faults(),
              ElementsAre("s-l.yaml:20: s-l is compared against s-r in this order alone; add the "
                          "comparison against s-l to the review of s-r"));
  reviews[0].comparisons.clear();
  EXPECT_THAT(Faults(), IsEmpty());
  EXPECT_THAT(Findings(Kind::kFlag), ElementsAre(HasSubstr("does not compare against s-r"),
                                                 HasSubstr("does not compare against s-l")));
}

TEST_F(ReviewCheckTest, AnAnswerThatTurnsWithTheOrderIsFlaggedOnce) {
  reviews[1].comparisons[0].prefers = Preference::kEqual;
  EXPECT_THAT(Findings(Kind::kFlag), ElementsAre(HasSubstr("depends on which is read first")));
  EXPECT_THAT(Faults(), IsEmpty());
}

TEST_F(ReviewCheckTest, APreferenceAgainstTheMarksIsFlagged) {
  reviews[0].marks[0].mark = 0;
  EXPECT_THAT(Findings(Kind::kFlag),
              ElementsAre(HasSubstr("has the lower mark"), HasSubstr("has the lower mark")));
}

TEST_F(ReviewCheckTest, NobodyJudgesTheirOwnWork) {
  for (const Reviewer& reviewer :
       {Reviewer{.id = "left", .person = "x", .model = {}, .version = {}},
        Reviewer{.id = "r", .person = {}, .model = "LEFT 1", .version = "v"},
        Reviewer{.id = "r", .person = {}, .model = "Left", .version = "1"}}) {
    reviews[0].reviewer = reviewer;
    reviews[1].reviewer = reviewer;
    EXPECT_THAT(Findings(Kind::kOwnWork), ElementsAre(HasSubstr("s-l.yaml"))) << NameOf(reviewer);
  }
}

TEST_F(ReviewCheckTest, SubmissionsThatAreNoneAreNamed) {
  reviews[0].submission = "s-x";
  reviews[1].comparisons[0].against = "s-r";
  EXPECT_THAT(Faults(), ElementsAre(HasSubstr("\"s-x\" is no submission to adder"),
                                    HasSubstr("a submission is compared with itself")));
}

}  // namespace
}  // namespace assay
