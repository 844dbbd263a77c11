// SPDX-License-Identifier: Apache-2.0
#include "published/study_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "published/small_study.h"
#include "published/study_store.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StudyCheckTest : public ::testing::Test {
 protected:
  StudyCheckTest() { files_.Write(kSmallStudyPath, kSmallStudy); }

  /// What does not hold when `from` is replaced, without the file's name.
  std::vector<std::string> FaultsOf(std::string_view from, std::string_view to) {
    files_.Write(kSmallStudyPath, kSmallStudy);
    files_.Replace(kSmallStudyPath, from, to);
    return Faults();
  }
  std::vector<std::string> Faults() {
    const LoadedStudies loaded = LoadStudies(LoadRepository(files_.root()).repository);
    EXPECT_THAT(loaded.unreadable, IsEmpty());
    std::vector<std::string> faults;
    for (const Error& error : loaded.unfit) {
      faults.push_back(ToString(error).substr((files_.root() / kSmallStudyPath).string().size()));
    }
    return faults;
  }

  TemporaryRepository files_;
};

TEST_F(StudyCheckTest, AStudyThatHoldsHasNoFaults) { EXPECT_THAT(Faults(), IsEmpty()); }

TEST_F(StudyCheckTest, CriteriaAndDimensionsAreOfTheRubric) {
  EXPECT_THAT(FaultsOf("measured_by: [sums]", "measured_by: [sum]"),
              ElementsAre(":22: adder has no criterion \"sum\"; did you mean \"sums\"?"));
  EXPECT_THAT(FaultsOf("adder/sums", "adder/line"),
              ElementsAre(":46: adder has no criterion \"line\"; did you mean \"lines\"?"));
  EXPECT_THAT(FaultsOf("adder/sums", "sums"),
              ElementsAre(":46: \"sums\" does not say of which challenge it is; write "
                          "challenge/criterion"));
  EXPECT_THAT(FaultsOf("correctness: {", "beauty: {"),
              ElementsAre(":39: adder has no dimension \"beauty\"; choose one of correctness, "
                          "quality"));
}

TEST_F(StudyCheckTest, ModelsAndChallengesAreKnown) {
  EXPECT_THAT(FaultsOf("names: [Wrong]}", "names: [Wrong]}\n  - {model: third, names: [T]}"),
              ElementsAre(":11: there is no model \"third\"; choose one of right, wrong"));
  EXPECT_THAT(
      FaultsOf("names: [Adding Up]}", "names: [Adding Up]}\n  - {challenge: ader, names: [A]}"),
      ElementsAre(":13: there is no challenge \"ader\"; did you mean \"adder\"?"));
  EXPECT_THAT(FaultsOf("- {model: right, note: Better", "- {model: wright, note: Better"),
              ElementsAre(":26: model \"wright\" is not among the study's models; did you mean "
                          "\"right\"?"));
  EXPECT_THAT(FaultsOf("{challenge: adder, algorithm", "{challenge: ader, algorithm"),
              ElementsAre(":62: challenge \"ader\" is not among the study's challenges; did you "
                          "mean \"adder\"?"));
}

TEST_F(StudyCheckTest, PassagesAreQuotedWordForWord) {
  EXPECT_THAT(
      FaultsOf("says: is ahead", "says: is behind"),
      ElementsAre(":70: \"is behind\" stands nowhere in the study; quote it word for word"));
  // What we say of the study is not the study.
  EXPECT_THAT(FaultsOf("says: is ahead", "says: counted otherwise"), ::testing::SizeIs(1));
}

TEST_F(StudyCheckTest, SentencesAreMeasuredByCriteriaOfTheRubric) {
  EXPECT_THAT(
      FaultsOf("note: Better, measured_by: [adder/lines]", "note: Better, measured_by: [line]"),
      ElementsAre(":26: \"line\" does not say of which challenge it is; write "
                  "challenge/criterion"));
  EXPECT_THAT(
      FaultsOf("Sums decide, measured_by: [adder/lines]", "Sums decide, measured_by: [adder/line]"),
      ElementsAre(":27: adder has no criterion \"line\"; did you mean \"lines\"?"));
  EXPECT_THAT(FaultsOf("It adds, measured_by: [lines]", "It adds, measured_by: [line]"), SizeIs(1));
  EXPECT_THAT(FaultsOf("Adds., measured_by: [lines]", "Adds., measured_by: [line]"), SizeIs(1));
  EXPECT_THAT(FaultsOf("text: Wrong, measured_by: [lines]", "text: Wrong, measured_by: [line]"),
              SizeIs(1));
}

TEST_F(StudyCheckTest, ADisagreementIsOnARowThatIsThere) {
  // Without a row it is on the winner of the challenge, of which one is there.
  EXPECT_THAT(FaultsOf("row: Lines, cause", "cause"),
              ElementsAre(::testing::HasSubstr("\"disagreement on , adder, right vs wrong\" is "
                                               "there twice")));
  EXPECT_THAT(FaultsOf("row: Lines, cause", "row: Line, cause"),
              ElementsAre(":72: there is no row \"Line\" of adder in right vs wrong; copy pair, "
                          "challenge and row from the matchup"));
  EXPECT_THAT(FaultsOf("pair: [right, wrong]", "pair: [wrong, right]"), ::testing::SizeIs(1));
  EXPECT_THAT(FaultsOf("{row: Charm,", "{row: Lines,"),
              ElementsAre(":24: \"right vs wrong, adder, Lines\" is there twice; keep one of the "
                          "two"));
}

TEST_F(StudyCheckTest, ALinkIsNoStudyAndAnUnreadableOneIsLeftOut) {
  std::filesystem::create_symlink("small.yaml", files_.root() / "reports/published/more.yaml");
  files_.Write("reports/published/empty.yaml", "schema: 1\n");
  const LoadedStudies loaded = LoadStudies(LoadRepository(files_.root()).repository);
  EXPECT_EQ(loaded.studies.size(), 1U);
  EXPECT_THAT(loaded.unreadable,
              ::testing::Contains(::testing::ResultOf([](const Error& e) { return e.cause; },
                                                      "is a symbolic link")));
  EXPECT_THAT(loaded.unreadable, ::testing::Contains(::testing::ResultOf(
                                     [](const Error& e) { return e.cause; }, "study is missing")));
}

TEST(PublishedStudiesTest, TheStudyOfThisRepositoryHolds) {
  const LoadedRepository loaded = LoadRepository(ASSAY_CHECKOUT);
  const LoadedStudies studies = LoadStudies(loaded.repository);
  for (const Errors& faults : {studies.unreadable, studies.unfit}) {
    for (const Error& fault : faults) {
      ADD_FAILURE() << ToString(fault);
    }
  }
  ASSERT_EQ(studies.studies.size(), 1U);
  const PublishedStudy& study = studies.studies.front();
  std::vector<std::size_t> rows;
  for (const PublishedMatchup& matchup : study.matchups) {
    std::size_t of_matchup = 0;
    for (const PublishedContest& contest : matchup.contests) {
      of_matchup += contest.rows.size();
    }
    rows.push_back(of_matchup);
  }
  EXPECT_THAT(rows, ElementsAre(27, 32, 36));
  EXPECT_GE(study.contradictions.size(), 12U);
  EXPECT_EQ(study.files.size(), 9U);
}

}  // namespace
}  // namespace assay
