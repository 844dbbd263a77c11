// SPDX-License-Identifier: Apache-2.0
#include "grade/statements.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

ChallengeSpec ChallengeWith(std::vector<std::string> questions) {
  ChallengeSpec challenge;
  for (auto& id : questions) {
    challenge.questions.push_back({.id = std::move(id), .text = "", .unit = "", .group = ""});
  }
  challenge.claims = {{.id = "saved", .text = "", .metric = "tensors_saved"},
                      {.id = "other", .text = "", .metric = "unmeasured"}};
  return challenge;
}

RunResults::Question Number(double value) {
  return {.value = value, .relative_tolerance = 0.05, .text = ""};
}

std::vector<AnswerEvidence> Answered(const std::string& answer,
                                     const RunResults::Question& question) {
  SubmissionSpec submission;
  submission.answers = {{"q", answer}};
  return CheckAnswers(ChallengeWith({"q"}), submission, {{"q", question}}).value();
}

TEST(StatementsTest, NumbersAreRightWithinTheirTolerance) {
  EXPECT_TRUE(Answered("104.9", Number(100))[0].right);
  EXPECT_FALSE(Answered("105.1", Number(100))[0].right);
  EXPECT_TRUE(Answered("1e2", Number(100))[0].right);
  EXPECT_FALSE(Answered("nan", Number(100))[0].right);
  EXPECT_FALSE(Answered("100 or so", Number(100))[0].right);
  EXPECT_FALSE(Answered("", Number(100))[0].right);
}

TEST(StatementsTest, TextsAreRightButForCaseAndSpace) {
  const RunResults::Question memory{.value = 0, .relative_tolerance = 0, .text = "memory"};
  EXPECT_TRUE(Answered(" Memory ", memory)[0].right);
  EXPECT_FALSE(Answered("compute", memory)[0].right);
  EXPECT_EQ(Answered("compute", memory)[0].expected, "memory");
}

TEST(StatementsTest, NoAnswerIsWrongAndStillListed) {
  const auto rows =
      CheckAnswers(ChallengeWith({"a", "b"}), {}, {{"a", Number(1)}, {"b", Number(2)}}).value();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_FALSE(rows[0].right || rows[1].right);
  EXPECT_EQ(rows[1].expected, "2");
}

TEST(StatementsTest, AQuestionWithoutARightAnswerIsOurFault) {
  const auto rows = CheckAnswers(ChallengeWith({"a"}), {}, {});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().kind, ErrorKind::kJudge);
}

TEST(StatementsTest, ClaimsHoldAgainstWhatWasMeasured) {
  SubmissionSpec submission;
  submission.claims = {{"saved", 3}, {"other", 1}};
  const auto rows = CheckClaims(ChallengeWith({}), submission, {{"tensors_saved", 3}});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].holds);
  EXPECT_FALSE(rows[1].measured.has_value());
  EXPECT_FALSE(rows[1].holds);
  EXPECT_FALSE(CheckClaims(ChallengeWith({}), submission, {{"tensors_saved", 12}})[0].holds);
}

}  // namespace
}  // namespace assay
