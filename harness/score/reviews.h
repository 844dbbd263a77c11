// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_REVIEWS_H_
#define ASSAY_SCORE_REVIEWS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What reviewers said of the submissions to one challenge, as scores and reports see it
/// (reports/reviews/; review/review_store.h reads it).

/// The highest mark of the written scale; the lowest is 0.
inline constexpr int kHighestMark = 4;

/// Below these a review is shown and carries no weight.
inline constexpr int kFewestReviewers = 3;
inline constexpr double kLeastAlpha = 0.67;

/// Whether a review counts.
enum class ReviewStanding {
  kCounts,
  kStale,   ///< The submission changed after it was read.
  kOwnWork  ///< The reviewer wrote the submission.
};
[[nodiscard]] std::string_view ToString(ReviewStanding standing);

struct ReviewMark {
  std::string criterion;
  int mark = 0;
  std::string reason;               ///< Hostile text.
  std::vector<std::string> places;  ///< `kv_cache.cc:12`. Hostile text.
  bool operator==(const ReviewMark&) const = default;
};

/// The submission read first, beside the one read second.
enum class Preference { kThis, kOther, kEqual };

struct ReviewComparison {
  std::string criterion;
  std::string against;  ///< The model read second.
  Preference prefers = Preference::kEqual;
  bool operator==(const ReviewComparison&) const = default;
};

/// One reviewer on one submission.
struct ReviewRecord {
  std::string reviewer;  ///< Id.
  std::string who;       ///< `Ada Lovelace`, `GLM-5 2026-02`. Hostile text.
  std::string date;      ///< `2026-11-23`.
  std::string model;     ///< Whose submission.
  ReviewStanding standing = ReviewStanding::kCounts;
  std::vector<ReviewMark> marks;
  std::vector<ReviewComparison> comparisons;
  bool operator==(const ReviewRecord&) const = default;
};
using Reviews = std::vector<ReviewRecord>;

/// What the reviews that count say of one criterion of one submission.
struct ReviewSummary {
  int reviewers = 0;  ///< Of this submission; at least 1.
  double median = 0;
  double least = 0;
  double most = 0;
  /// Krippendorff's alpha (ordinal) of the criterion over all submissions to the challenge.
  std::optional<double> alpha;
  /// Why it carries no weight; empty when it does.
  std::string not_scored;
  bool operator==(const ReviewSummary&) const = default;
};

/// Nothing when no review counts.
[[nodiscard]] std::optional<ReviewSummary> Summarise(const Reviews& reviews,
                                                     std::string_view criterion,
                                                     std::string_view model);

/// `2 to 4, 3 reviewers, alpha 0.81`, and why it is not scored.
[[nodiscard]] std::string DescribeSpread(const ReviewSummary& summary);

/// How often a reviewer prefers the same of two, whichever was read first. A pair that was read in
/// one order alone counts as none.
struct OrderConsistency {
  int consistent = 0;
  int pairs = 0;
  bool operator==(const OrderConsistency&) const = default;
};
[[nodiscard]] OrderConsistency ConsistencyOf(const Reviews& reviews, std::string_view reviewer);

/// What `second` prefers, read first, as one who read the other first would say it.
[[nodiscard]] Preference TurnedOver(Preference prefers);

}  // namespace assay

#endif  // ASSAY_SCORE_REVIEWS_H_
