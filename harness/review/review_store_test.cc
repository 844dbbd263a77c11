// SPDX-License-Identifier: Apache-2.0
#include "review/review_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// `adder` with a row of kind review, and a review of each of its two submissions.
class ReviewStoreTest : public ::testing::Test {
 protected:
  ReviewStoreTest() {
    files_.Replace("challenges/adder/rubric.yaml", "penalties:",
                   "  - id: prose\n    title: Prose\n    dimension: quality\n    kind: review\n"
                   "    value: review\n    edge: higher\n    weight: 1\n"
                   "    score: [[0, 0], [4, 100]]\n    scale: [a, b, c, d, e]\npenalties:");
    for (const std::string model : {"right", "wrong"}) {
      WriteRecord("ada", "Ada", model);
    }
  }

  [[nodiscard]] Repository Load() const {
    const LoadedRepository loaded = LoadRepository(files_.root());
    EXPECT_TRUE(loaded.faults.empty()) << ToString(loaded.faults.front());
    return loaded.repository;
  }

  void WriteRecord(const std::string& reviewer, const std::string& person,
                   const std::string& model) const {
    const Repository repository = Load();
    const SubmissionSpec& submission = *FindSubmission(repository, {model, "adder"});
    Review review;
    review.reviewer = {.id = reviewer, .person = person, .model = {}, .version = {}};
    review.date = "2026-11-23";
    review.challenge = "adder";
    review.submission = model;
    review.digest = ReadSubmissionToRead(submission, *FindModel(repository, model)).value().digest;
    review.marks = {{.criterion = "prose",
                     .mark = 2,
                     .reason = "why",
                     .evidence = {{.file = "add.cc", .line = 1, .quote = "//"}}}};
    files_.Write("reports/reviews/" + reviewer + "/adder/" + model + ".yaml", RenderReview(review));
  }

  [[nodiscard]] Checked<Reviews> Reviewed() const {
    const auto records = ReadRecords(files_.root());
    if (!records) {
      return std::unexpected(records.error());
    }
    return LoadReviews(Load(), *records, "adder");
  }

  TemporaryRepository files_;
};

TEST_F(ReviewStoreTest, RecordsBecomeWhatScoresSee) {
  const auto reviews = Reviewed();
  ASSERT_TRUE(reviews.has_value()) << ToString(reviews.error().front());
  ASSERT_EQ(reviews->size(), 2U);
  EXPECT_EQ((*reviews)[0].model, "right");
  EXPECT_EQ((*reviews)[0].who, "Ada");
  EXPECT_EQ((*reviews)[0].standing, ReviewStanding::kCounts);
  EXPECT_THAT((*reviews)[0].marks[0].places, ElementsAre("add.cc:1"));
}

TEST_F(ReviewStoreTest, AReviewOfWhatChangedSinceIsStale) {
  files_.Write("submissions/right/adder/add.h", "// new\n");
  EXPECT_EQ(Reviewed().value()[0].standing, ReviewStanding::kStale);
  EXPECT_EQ(Reviewed().value()[1].standing, ReviewStanding::kCounts);
}

TEST_F(ReviewStoreTest, AReviewOfASubmissionThatIsGoneIsLeftOut) {
  fs::remove_all(files_.root() / "submissions/right");
  const auto reviews = Reviewed();
  ASSERT_TRUE(reviews.has_value()) << ToString(reviews.error().front());
  EXPECT_EQ(reviews->size(), 1U);
}

TEST_F(ReviewStoreTest, ARecordThatWasEditedIsAnError) {
  files_.Replace("reports/reviews/ada/adder/right.yaml", "quote: \"//\"", "quote: \"no\"");
  ASSERT_FALSE(Reviewed().has_value());
  EXPECT_THAT(ToString(Reviewed().error().front()), HasSubstr("does not hold \"no\""));
}

TEST_F(ReviewStoreTest, ARecordStandsWhereItSaysThatItBelongs) {
  fs::rename(files_.root() / "reports/reviews/ada/adder/right.yaml",
             files_.root() / "reports/reviews/ada/adder/other.yaml");
  ASSERT_FALSE(Reviewed().has_value());
  EXPECT_THAT(ToString(Reviewed().error().front()),
              HasSubstr("move it to reports/reviews/ada/adder/right.yaml"));
}

TEST_F(ReviewStoreTest, NobodyCountsTwice) {
  WriteRecord("ada-2", "ADA", "right");
  ASSERT_FALSE(Reviewed().has_value());
  EXPECT_THAT(ToString(Reviewed().error().front()),
              HasSubstr("ADA reviews as \"ada\" and as \"ada-2\""));
}

TEST_F(ReviewStoreTest, LinksAreNotFollowed) {
  files_.Write("elsewhere/secret.txt", "secret\n");
  fs::create_symlink(files_.root() / "elsewhere", files_.root() / "reports/reviews/bo");
  ASSERT_FALSE(Reviewed().has_value());
  EXPECT_THAT(ToString(Reviewed().error().front()), HasSubstr("is a symbolic link"));
  // In a submission: one that came there after the repository was checked.
  const Repository repository = Load();
  fs::create_symlink(files_.root() / "elsewhere/secret.txt",
                     files_.root() / "submissions/right/adder/link.h");
  const auto read = ReadSubmissionToRead(*FindSubmission(repository, {"right", "adder"}),
                                         *FindModel(repository, "right"));
  EXPECT_FALSE(read.value().files.contains("link.h"));
}

TEST_F(ReviewStoreTest, ReadmeOfAReconstructionIsNotTheModels) {
  files_.Write("submissions/right/adder/README.md", "What was planted here.\n");
  Repository repository = Load();
  const SubmissionSpec& submission = *FindSubmission(repository, {"right", "adder"});
  ModelSpec model = *FindModel(repository, "right");
  EXPECT_TRUE(ReadSubmissionToRead(submission, model).value().files.contains("README.md"));
  model.reconstruction = true;
  EXPECT_FALSE(ReadSubmissionToRead(submission, model).value().files.contains("README.md"));
}

}  // namespace
}  // namespace assay
