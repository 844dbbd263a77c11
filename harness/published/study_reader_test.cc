// SPDX-License-Identifier: Apache-2.0
#include "published/study_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "published/small_study.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

class StudyReaderTest : public ::testing::Test {
 protected:
  /// Faults of the study with `from` replaced, without the file's name.
  std::vector<std::string> FaultsOf(std::string_view from, std::string_view to) {
    files_.Write(kSmallStudyPath, kSmallStudy);
    files_.Replace(kSmallStudyPath, from, to);
    const auto file = files_.root() / kSmallStudyPath;
    const auto study = ReadStudy(file);
    std::vector<std::string> faults;
    if (!study) {
      for (const Error& error : study.error()) {
        faults.push_back(ToString(error).substr(file.string().size()));
      }
    }
    return faults;
  }

  TemporaryRepository files_;
};

TEST_F(StudyReaderTest, ReadsTextsEdgesAndFigures) {
  files_.Write(kSmallStudyPath, kSmallStudy);
  const auto study = ReadStudy(files_.root() / kSmallStudyPath);
  ASSERT_TRUE(study.has_value()) << ToString(study.error().front());
  const PublishedMatchup* const matchup = FindMatchup(*study, "right", "wrong");
  ASSERT_NE(matchup, nullptr);
  EXPECT_EQ(matchup->winner, RowEdge::kA);
  EXPECT_EQ(matchup->points.b, 0.5);
  const PublishedContest* const contest = FindContest(*matchup, "adder");
  ASSERT_NE(contest, nullptr);
  EXPECT_EQ(contest->winner, RowEdge::kSplit);
  EXPECT_EQ(contest->rows[0].a, "≤32");
  EXPECT_EQ(contest->rows[0].edge, RowEdge::kA);
  EXPECT_EQ(contest->rows[1].edge, RowEdge::kTie);
  EXPECT_EQ(contest->rows[2].mapping.unmeasured, "a matter of taste");
  // The order of a round is its own: b is ahead in it.
  EXPECT_EQ(study->rounds[0].challenges[0].winner, RowEdge::kB);
  EXPECT_EQ(study->rounds[0].challenges[0].dimensions[0].scores.a, 40);
  EXPECT_EQ(study->ranking[0].best.text, "Adding (88)");
  EXPECT_THAT(study->texts, Contains("88, 89"));
  EXPECT_EQ(NameIn(study->models, "right"), "Right");
  EXPECT_EQ(NameIn(study->models, "other"), "other");
  const Disagreement* const why = FindDisagreement(*study, *matchup, "adder", "Lines");
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(why->cause, DisagreementCause::kMetric);
  EXPECT_EQ(why->instead, "The lines of another file; nobody has it.");
}

TEST_F(StudyReaderTest, ARowSaysWhatMeasuresItOrWhyNothingDoes) {
  EXPECT_THAT(
      FaultsOf(", measured_by: [sums]}", "}"),
      ElementsAre(":22: matchups[0].challenges[0].rows[0] says neither what measures it nor "
                  "why nothing does; write \"measured_by: [criterion]\" or \"unmeasured: "
                  "why\""));
  EXPECT_THAT(FaultsOf("measured_by: [lines, sums]", "measured_by: []"), ::testing::SizeIs(1));
  EXPECT_THAT(FaultsOf("unmeasured: a matter", "measured_by: [sums], unmeasured: a matter"),
              ElementsAre(":24: matchups[0].challenges[0].rows[2] says both what measures it and "
                          "why nothing does; write \"measured_by: [criterion]\" or \"unmeasured: "
                          "why\""));
  EXPECT_THAT(FaultsOf(", unmeasured: nobody knows how", ""), ::testing::SizeIs(1));
}

TEST_F(StudyReaderTest, ADisagreementHasACause) {
  EXPECT_THAT(FaultsOf("cause: metric, ", ""),
              ElementsAre(":72: disagreements[0].cause is missing; add it"));
  EXPECT_THAT(FaultsOf("cause: metric", "cause: luck"),
              ElementsAre(":72: disagreements[0].cause \"luck\" is unknown; choose one of metric, "
                          "reconstruction, study, unmeasured"));
  EXPECT_THAT(FaultsOf("text: Lines are counted otherwise.", "text: \"\""), ::testing::SizeIs(1));
  EXPECT_THAT(FaultsOf("pair: [right, wrong]", "pair: [right]"),
              ElementsAre(":72: disagreements[0].pair holds 1 models, not 2; write the two of the "
                          "matchup in its order"));
}

TEST_F(StudyReaderTest, AMetricAtFaultSaysWhatWouldHaveToBeMeasured) {
  EXPECT_THAT(FaultsOf(", instead: The lines of another file; nobody has it.", ""),
              ElementsAre(":72: disagreements[0] has the cause metric and does not say what would "
                          "have to be measured; write \"instead: what would have to be measured, "
                          "and why it is not\" beside the cause metric, and only there"));
  EXPECT_THAT(FaultsOf("cause: metric", "cause: study"), ::testing::SizeIs(1));
  // Without a cause nothing is asked of one.
  EXPECT_THAT(FaultsOf("cause: metric, text: Lines are counted otherwise., instead: The lines of "
                       "another file; nobody has it.",
                       "text: Lines are counted otherwise."),
              ElementsAre(":72: disagreements[0].cause is missing; add it"));
}

TEST_F(StudyReaderTest, AnEdgeIsOneOfTheTwoOrNeither) {
  EXPECT_THAT(
      FaultsOf("edge: right", "edge: split"),
      ElementsAre(":22: matchups[0].challenges[0].rows[0].edge \"split\" is unknown; choose "
                  "one of right, wrong, tie"));
  EXPECT_THAT(FaultsOf("winner: split", "winner: tie"),
              ElementsAre(":19: matchups[0].challenges[0].winner \"tie\" is unknown; choose one of "
                          "right, wrong, split"));
}

TEST_F(StudyReaderTest, FiguresAreOfBothModelsAndOnTheScale) {
  EXPECT_THAT(FaultsOf("correctness: {wrong: 40, right: 95}", "correctness: {wrong: 400, r: 95}"),
              ElementsAre(":39: rounds[0].challenges[0].dimensions.correctness.wrong is 400, which "
                          "is out of range; write a number from 0 to 100",
                          ":39: rounds[0].challenges[0].dimensions.correctness.right is missing; "
                          "add it",
                          ::testing::HasSubstr("unknown key \"rounds[0].challenges[0].dimensions."
                                               "correctness.r\"")));
  EXPECT_THAT(FaultsOf("points: [0.5, 0.5]", "points: [3]"), ::testing::SizeIs(1));
}

TEST_F(StudyReaderTest, TheFileIsNamedAfterItsStudy) {
  EXPECT_THAT(FaultsOf("id: small", "id: large"),
              ElementsAre(": holds the study \"large\"; name it large.yaml"));
  EXPECT_THAT(
      FaultsOf("sha256: a", "sha256: x"),
      ElementsAre(":7: study.sources[0].sha256 is no SHA-256; write what sha256sum prints"));
}

}  // namespace
}  // namespace assay
