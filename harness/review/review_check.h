// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REVIEW_REVIEW_CHECK_H_
#define ASSAY_REVIEW_REVIEW_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "review/review_file.h"
#include "review/shown_file.h"
#include "spec/rubric.h"

namespace assay {

/// A submission that a review may be of.
struct ReviewSubject {
  std::string challenge;
  std::string model;       ///< Id.
  std::string model_name;  ///< As reports print it.
  std::string label;       ///< What stands for it in the reviewer's dossier; may be empty.
  std::string digest;      ///< Of what is there now.
  std::vector<ShownFile> files;
};

/// What is wrong with a review.
struct ReviewFinding {
  enum class Kind {
    kFault,    ///< It must be mended: it cannot be taken in.
    kStale,    ///< The submission changed after it was read.
    kOwnWork,  ///< The reviewer wrote the submission.
    kFlag,     ///< Worth a look; it counts as it is.
  };
  Kind kind = Kind::kFault;
  Error error;
};
using ReviewFindings = std::vector<ReviewFinding>;

/// What a set of reviews is held against: those of one reviewer of one challenge belong together,
/// since each pair is compared in two of them.
struct ReviewRules {
  const Rubric* rubric = nullptr;
  std::vector<ReviewSubject> subjects;  ///< All submissions to the challenge.
};

/// By its label or its model's id; null when there is none.
[[nodiscard]] const ReviewSubject* FindSubject(const ReviewRules& rules, std::string_view name);

/// Whether the reviewer is the model that wrote the submission, however the two are spelt.
[[nodiscard]] bool IsOwnWork(const Reviewer& reviewer, const ReviewSubject& subject);

/// Findings on `reviews`, all of one reviewer and one challenge, in their order.
[[nodiscard]] ReviewFindings CheckReviews(const std::vector<Review>& reviews,
                                          const ReviewRules& rules);

}  // namespace assay

#endif  // ASSAY_REVIEW_REVIEW_CHECK_H_
