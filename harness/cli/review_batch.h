// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_REVIEW_BATCH_H_
#define ASSAY_CLI_REVIEW_BATCH_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "review/review_check.h"
#include "spec/checked.h"
#include "spec/repository.h"

namespace assay {

/// Reviews, forms or records, with what is found in them.
struct ReviewBatch {
  struct Group {
    ReviewRules rules;            ///< With the labels of this reviewer.
    std::vector<Review> reviews;  ///< Of one reviewer and one challenge.
  };
  std::vector<Group> groups;
  ReviewFindings findings;
};

/// Holds `reviews` against `repository`. `key` is that of ReadReviewKey.
[[nodiscard]] Result<ReviewBatch> CheckBatch(const Repository& repository, const std::string& key,
                                             const std::vector<Review>& reviews);

/// `files`, and the other reviews that stand beside them, whose comparisons theirs belong to: those
/// are left out where they cannot be read.
[[nodiscard]] Checked<std::vector<Review>> ReadReviewsBeside(
    const std::vector<std::filesystem::path>& files);

/// `review` as it goes to reports/reviews/: models and files by their own names.
[[nodiscard]] Review Unblinded(Review review, const ReviewRules& rules);

[[nodiscard]] std::string_view ToString(ReviewFinding::Kind kind);

/// Whether a review with such a finding holds.
[[nodiscard]] bool IsInTheWay(const ReviewFinding& finding);

}  // namespace assay

#endif  // ASSAY_CLI_REVIEW_BATCH_H_
