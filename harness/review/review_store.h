// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REVIEW_REVIEW_STORE_H_
#define ASSAY_REVIEW_REVIEW_STORE_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "review/review_check.h"
#include "score/reviews.h"
#include "spec/checked.h"
#include "spec/repository.h"

namespace assay {

/// `<root>/reports/reviews/<reviewer>/<challenge>/<model>.yaml`.
[[nodiscard]] std::filesystem::path ReviewPath(const std::filesystem::path& root,
                                               std::string_view reviewer, const CellId& cell);

/// What a reviewer reads of a submission: every file below its folder but, of a reconstruction, the
/// README.md in it, which is this project's word on what was planted. Links are not followed.
struct SubmissionToRead {
  std::map<std::string, std::string> files;  ///< Contents by path.
  std::string digest;                        ///< SHA-256 of them (DigestTree).
};
[[nodiscard]] Result<SubmissionToRead> ReadSubmissionToRead(const SubmissionSpec& submission,
                                                            const ModelSpec& model);

/// What reviews of one challenge are held against, without labels. The rubric is `repository`'s.
[[nodiscard]] Result<ReviewRules> ReadRules(const Repository& repository,
                                            const std::string& challenge);

/// Every record below `<root>/reports/reviews/`, sorted by path. Faults: what ReadReview finds, a
/// link, and a file whose place says another reviewer, challenge or model than it does itself.
[[nodiscard]] Checked<std::vector<Review>> ReadRecords(const std::filesystem::path& root);

/// The records of one challenge as scores see them, without those of submissions that are gone. An
/// error is a record at fault, which was edited after it was checked, and one who reviews under two
/// ids, who would count twice.
[[nodiscard]] Checked<Reviews> LoadReviews(const Repository& repository,
                                           const std::vector<Review>& records,
                                           const std::string& challenge);

/// Those of `records`, by reviewer, that are of `challenge` and of submissions that are there,
/// less their comparisons with others: what CheckReviews takes together.
[[nodiscard]] std::map<std::string, std::vector<Review>> ByReviewer(
    const std::vector<Review>& records, const ReviewRules& rules, const std::string& challenge);

}  // namespace assay

#endif  // ASSAY_REVIEW_REVIEW_STORE_H_
