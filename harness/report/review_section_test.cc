// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "report/board.h"
#include "report/challenge_sections.h"
#include "report/report.h"
#include "score/synthetic.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kPage = "challenges/layernorm_backward.md";

struct ReviewSectionTest : testing::Test {
  Challenges challenges = {{"layernorm_backward", synthetic::LayerNormChallenge()}};
  std::vector<Evidence> cells = synthetic::LayerNormCells();

  void Add(const std::string& reviewer, const std::string& who, std::size_t cell, int mark) {
    challenges.begin()->second.reviews.push_back(
        {.reviewer = reviewer,
         .who = who,
         .date = "2026-11-23",
         .model = cells[cell].model,
         .marks = {{.criterion = "derivations", .mark = mark, .reason = "why", .places = {}}},
         .comparisons = {}});
  }
  [[nodiscard]] std::string Page() const { return RenderAll(cells, challenges).at(kPage); }
};

TEST_F(ReviewSectionTest, WithoutReviewsThereIsNone) {
  EXPECT_THAT(Page(), Not(HasSubstr("## Reviews")));
}

TEST_F(ReviewSectionTest, ShowsMedianRangeReviewersAlphaAndWhetherItIsScored) {
  for (const std::string reviewer : {"ada", "bo", "cy"}) {
    Add(reviewer, reviewer, 0, 4);
    Add(reviewer, reviewer, 1, reviewer == "cy" ? 2 : 1);
  }
  Add("ada", "ada", 2, 3);
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("## Reviews"));
  EXPECT_THAT(page, HasSubstr("| 4 (4 to 4) | 3 | 0.88 | yes |\n"));
  EXPECT_THAT(page, HasSubstr("| 1 (1 to 2) | 3 | 0.88 | yes |\n"));
  EXPECT_THAT(page, HasSubstr("| 3 (3 to 3) | 1 | 0.88 | no: under 3 reviewers |\n"));
}

TEST_F(ReviewSectionTest, NamesReviewersAndWhatIsLeftOut) {
  Add("ada", "Ada|`x`\n# <b>", 0, 4);
  Add("ada", "Ada", 1, 1);
  challenges.begin()->second.reviews[1].standing = ReviewStanding::kStale;
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("| ada | Ada\\|\\`x\\` \\# \\<b\\> | 2026-11-23 | 1 | " +
                              cells[1].model + " (stale: the submission changed) | — |\n"));
}

}  // namespace
}  // namespace assay
