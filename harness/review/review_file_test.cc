// SPDX-License-Identifier: Apache-2.0
#include "review/review_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "spec/temporary_repository.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

const std::string kDigest(64, 'a');

std::string GoodReview() {
  return "schema: 1\nreviewer:\n  id: ada\n  person: Ada\ndate: 2026-11-23\nchallenge: adder\n"
         "submission: right\ndigest: " +
         kDigest +
         "\nmarks:\n  - criterion: prose\n    mark: 3\n    reason: Clear.\n    evidence:\n"
         "      - {file: add.cc, line: 1, quote: right}\n"
         "comparisons:\n  - {criterion: prose, against: wrong, prefers: this, reason: Clearer.}\n";
}

class ReviewFileTest : public ::testing::Test {
 protected:
  /// Faults of the review with `from` replaced, without the file's name.
  std::vector<std::string> FaultsOf(const std::string& from, const std::string& to) {
    files_.Write("r.yaml", GoodReview());
    files_.Replace("r.yaml", from, to);
    const auto review = ReadReview(files_.root() / "r.yaml");
    std::vector<std::string> faults;
    if (!review) {
      for (const Error& error : review.error()) {
        faults.push_back(ToString(error).substr((files_.root() / "r.yaml").string().size()));
      }
    }
    return faults;
  }

  TemporaryRepository files_;
};

TEST_F(ReviewFileTest, ReadsWhatItRenders) {
  files_.Write("r.yaml", GoodReview());
  const auto review = ReadReview(files_.root() / "r.yaml");
  ASSERT_TRUE(review.has_value());
  EXPECT_EQ(NameOf(review->reviewer), "Ada");
  EXPECT_EQ(review->marks[0].mark, 3);
  EXPECT_EQ(review->comparisons[0].prefers, Preference::kThis);
  files_.Write("again.yaml", RenderReview(*review));
  const auto again = ReadReview(files_.root() / "again.yaml");
  ASSERT_TRUE(again.has_value()) << ToString(again.error().front());
  EXPECT_EQ(RenderReview(*again), RenderReview(*review));
}

TEST_F(ReviewFileTest, RendersAnyTextSoThatItIsRead) {
  files_.Write("r.yaml", GoodReview());
  Review review = ReadReview(files_.root() / "r.yaml").value();
  review.marks[0].reason = "\"x\": [1] # no comment\n\\t\t- ⟦U+202E⟧ 'y'";
  review.marks[0].evidence[0].quote = "{ *p = \"a\\n\"; }";
  files_.Write("again.yaml", RenderReview(review));
  const auto again = ReadReview(files_.root() / "again.yaml");
  ASSERT_TRUE(again.has_value()) << ToString(again.error().front());
  EXPECT_EQ(again->marks[0].reason, review.marks[0].reason);
  EXPECT_EQ(again->marks[0].evidence[0].quote, review.marks[0].evidence[0].quote);
}

TEST_F(ReviewFileTest, FaultsNameTheLineAndTheRemedy) {
  EXPECT_THAT(FaultsOf("mark: 3", "mark: 5"),
              ElementsAre(":11: marks[0].mark is 5, which is out of range; write a whole number "
                          "from 0 to 4"));
  EXPECT_THAT(FaultsOf("mark: 3", "mark:"),
              ElementsAre(":11: marks[0].mark is empty, not a whole number; write a whole number"));
  EXPECT_THAT(FaultsOf("prefers: this", "prefers: first"),
              ElementsAre(":16: comparisons[0].prefers \"first\" is unknown; choose one of this, "
                          "other, equal"));
  EXPECT_THAT(FaultsOf("2026-11-23", "yesterday"),
              ElementsAre(":5: date \"yesterday\" is no date; write it as 2026-11-23"));
  EXPECT_THAT(FaultsOf(kDigest, "abc"),
              ElementsAre(":8: digest is no SHA-256; leave it as the dossier's form has it"));
  EXPECT_THAT(FaultsOf("schema: 1", "schema: 2"), ::testing::SizeIs(1));
  EXPECT_THAT(FaultsOf("      - {file: add.cc, line: 1, quote: right}", "      []"),
              ElementsAre(":14: marks[0].evidence is an empty list; list at least one"));
}

TEST_F(ReviewFileTest, AReviewerIsAPersonOrAModelWithItsVersion) {
  EXPECT_THAT(FaultsOf("person: Ada", "model: GLM-5"),
              ElementsAre(":3: reviewer.version is missing; add it"));
  EXPECT_THAT(FaultsOf("person: Ada", "model: GLM-5\n  version: 2026-02"), ElementsAre());
  EXPECT_THAT(FaultsOf("  person: Ada\n", ""),
              ElementsAre(":3: reviewer names neither a person nor a model, or both; write "
                          "\"person: NAME\", or \"model: NAME\" and \"version: VERSION\""));
}

}  // namespace
}  // namespace assay
