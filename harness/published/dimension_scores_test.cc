// SPDX-License-Identifier: Apache-2.0
#include "published/dimension_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "published/calibration_scores_page.h"
#include "published/study_store.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PublishedRound Round(int number, std::string a, std::string b, ScorePair scores) {
  PublishedRound round;
  round.round = number;
  round.a = std::move(a);
  round.b = std::move(b);
  PublishedScorecard card;
  card.challenge = "sums";
  card.dimensions = {{.dimension = "quality", .scores = scores, .line = 1}};
  round.challenges = {card};
  return round;
}

/// Model a scores 100 in `quality`, b scores 40; c has no cell.
class DimensionScoresTest : public ::testing::Test {
 protected:
  DimensionScoresTest() {
    challenges_ = {{"sums", synthetic::MakeChallenge({synthetic::MakeCriterion(
                                "size", "quality", "metric(size)", {{0, 0}, {10, 100}})})}};
    cells_ = {synthetic::MakeCell("a"), synthetic::MakeCell("b")};
    cells_[0].suite.metrics = {{"size", 10}};
    cells_[1].suite.metrics = {{"size", 4}};
    study_.models = {
        {.id = "a", .names = {"A"}}, {.id = "b", .names = {"B"}}, {.id = "c", .names = {"C"}}};
    study_.challenges = {{.id = "sums", .names = {"Adding"}}};
    study_.rounds = {Round(1, "b", "a", {.a = 50, .b = 90}),
                     Round(2, "a", "c", {.a = 70, .b = 60})};
  }

  Challenges challenges_;
  std::vector<Evidence> cells_;
  PublishedStudy study_;
};

TEST_F(DimensionScoresTest, EachRoundAddsAScoreOfItsModels) {
  const auto all = CompareDimensions(study_, MakeBoard(cells_, challenges_));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].model, "b");
  EXPECT_THAT(all[0].published, ElementsAre(50));
  EXPECT_EQ(all[0].measured, 40);
  EXPECT_EQ(all[1].model, "a");
  EXPECT_THAT(all[1].published, ElementsAre(90, 70));
  EXPECT_EQ(all[1].measured, 100);
  EXPECT_EQ(all[2].model, "c");
  EXPECT_EQ(all[2].measured, std::nullopt);
}

TEST_F(DimensionScoresTest, EveryPublishedScoreOfWhatIsMeasuredIsAPair) {
  const ScoreAgreement agreement =
      AgreementWithMeasured(CompareDimensions(study_, MakeBoard(cells_, challenges_)));
  EXPECT_EQ(agreement.scores, 3);
  // 40 - 50, 100 - 90 and 100 - 70.
  EXPECT_DOUBLE_EQ(agreement.bias, 10);
  // Of three pairs two are in the same order, one is a tie of what is measured.
  EXPECT_DOUBLE_EQ(*agreement.kendall, 2 / std::sqrt(3.0 * 2.0));
}

TEST_F(DimensionScoresTest, TheStudyAgreesWithItselfWhereTwoRoundsScored) {
  const auto all = CompareDimensions(study_, MakeBoard(cells_, challenges_));
  const ScoreAgreement agreement = AgreementOfRounds(all);
  EXPECT_EQ(agreement.scores, 1);
  EXPECT_DOUBLE_EQ(agreement.bias, -20);
  EXPECT_EQ(agreement.pearson, std::nullopt);
}

TEST_F(DimensionScoresTest, PagePrintsBothScoresAndHowFarTheyAgree) {
  const std::string page = CalibrationScores(study_, MakeBoard(cells_, challenges_)).text();
  EXPECT_THAT(page, HasSubstr("| quality | 90, 70 → 100.0 | 50 → 40.0 | 60 → — |"));
  EXPECT_THAT(page, HasSubstr("| **Measured and published** | 3 |"));
  EXPECT_THAT(page,
              HasSubstr("| **The study's last round and its first** | 1 | — | — | — | -20.0 |"));
}

TEST_F(DimensionScoresTest, AStudyWithoutRoundsHasNoSuchTable) {
  study_.rounds.clear();
  EXPECT_THAT(CalibrationScores(study_, MakeBoard(cells_, challenges_)).text(), IsEmpty());
}

/// What an audit by hand found in the study: one submission, scored twice in 22 dimensions.
TEST(PublishedScoresTest, TheStudyAgreesWithItselfLittle) {
  const LoadedStudies loaded = LoadStudies(LoadRepository(ASSAY_CHECKOUT).repository);
  ASSERT_EQ(loaded.studies.size(), 1U);
  const ScoreAgreement agreement =
      AgreementOfRounds(CompareDimensions(loaded.studies.front(), MakeBoard({}, {})));
  EXPECT_EQ(agreement.scores, 22);
  EXPECT_NEAR(*agreement.pearson, 0.48, 0.005);
}

}  // namespace
}  // namespace assay
