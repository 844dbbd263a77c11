// SPDX-License-Identifier: Apache-2.0
#include "score/reviews.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "score/agreement.h"

namespace assay {
namespace {

/// The marks of a criterion that count, by model.
std::map<std::string, std::vector<double>> MarksByModel(const Reviews& reviews,
                                                        std::string_view criterion) {
  std::map<std::string, std::vector<double>> marks;
  for (const ReviewRecord& review : reviews) {
    if (review.standing != ReviewStanding::kCounts) {
      continue;
    }
    const auto mark = std::ranges::find(review.marks, criterion, &ReviewMark::criterion);
    if (mark != review.marks.end()) {
      marks[review.model].push_back(mark->mark);
    }
  }
  return marks;
}

std::string WhyNotScored(const ReviewSummary& summary) {
  if (summary.reviewers < kFewestReviewers) {
    return fmt::format("under {} reviewers", kFewestReviewers);
  }
  if (!summary.alpha) {
    return "all marks are the same, which shows no agreement";
  }
  // Not `<`: NaN is no agreement either.
  return *summary.alpha >= kLeastAlpha ? "" : fmt::format("alpha is under {:.2f}", kLeastAlpha);
}

/// What the comparison with `model` first and `against` second came to; null where there is none.
const ReviewComparison* FindComparison(const Reviews& reviews, std::string_view reviewer,
                                       std::string_view model, const ReviewComparison& turned,
                                       std::string_view against) {
  for (const ReviewRecord& review : reviews) {
    if (review.reviewer != reviewer || review.model != model ||
        review.standing != ReviewStanding::kCounts) {
      continue;
    }
    for (const ReviewComparison& one : review.comparisons) {
      if (one.criterion == turned.criterion && one.against == against) {
        return &one;
      }
    }
  }
  return nullptr;
}

}  // namespace

std::string_view ToString(ReviewStanding standing) {
  switch (standing) {
    case ReviewStanding::kCounts:
      return "counts";
    case ReviewStanding::kStale:
      return "stale: the submission changed";
    case ReviewStanding::kOwnWork:
      return "of its own work";
  }
  return "?";
}

std::optional<ReviewSummary> Summarise(const Reviews& reviews, std::string_view criterion,
                                       std::string_view model) {
  const auto by_model = MarksByModel(reviews, criterion);
  const auto own = by_model.find(std::string(model));
  if (own == by_model.end()) {
    return std::nullopt;
  }
  std::vector<std::vector<double>> units;
  units.reserve(by_model.size());
  for (const auto& [name, marks] : by_model) {
    units.push_back(marks);
  }
  const auto [least, most] = std::ranges::minmax(own->second);
  ReviewSummary summary{.reviewers = static_cast<int>(own->second.size()),
                        .median = MedianOf(own->second),
                        .least = least,
                        .most = most,
                        .alpha = KrippendorffAlpha(units, Difference::kOrdinal),
                        .not_scored = {}};
  summary.not_scored = WhyNotScored(summary);
  return summary;
}

std::string DescribeSpread(const ReviewSummary& summary) {
  std::string text = fmt::format("{:g} to {:g}, {} reviewer{}", summary.least, summary.most,
                                 summary.reviewers, summary.reviewers == 1 ? "" : "s");
  if (summary.alpha) {
    text += fmt::format(", alpha {:.2f}", *summary.alpha);
  }
  return summary.not_scored.empty() ? text : text + "; not scored: " + summary.not_scored;
}

OrderConsistency ConsistencyOf(const Reviews& reviews, std::string_view reviewer) {
  OrderConsistency found;
  for (const ReviewRecord& review : reviews) {
    if (review.reviewer != reviewer || review.standing != ReviewStanding::kCounts) {
      continue;
    }
    for (const ReviewComparison& one : review.comparisons) {
      if (review.model >= one.against) {
        continue;  // Each pair once.
      }
      if (const ReviewComparison* const other =
              FindComparison(reviews, reviewer, one.against, one, review.model)) {
        ++found.pairs;
        found.consistent += TurnedOver(other->prefers) == one.prefers ? 1 : 0;
      }
    }
  }
  return found;
}

Preference TurnedOver(Preference prefers) {
  switch (prefers) {
    case Preference::kThis:
      return Preference::kOther;
    case Preference::kOther:
      return Preference::kThis;
    case Preference::kEqual:
      break;
  }
  return Preference::kEqual;
}

}  // namespace assay
