// SPDX-License-Identifier: Apache-2.0
#include "cli/review_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "review/dossier.h"
#include "review/review_store.h"
#include "spec/nearest.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

ReviewFinding NoSuchChallenge(const Review& review, const Repository& repository) {
  return {.kind = ReviewFinding::Kind::kFault,
          .error = {.kind = ErrorKind::kConfiguration,
                    .where = review.file.string(),
                    .cause = fmt::format("there is no challenge \"{}\"", review.challenge),
                    .remedy = SuggestOneOf(review.challenge,
                                           NamesOf(repository.challenges, &ChallengeSpec::id))}};
}

/// The other reviews in the folders of `files`.
std::set<fs::path> Neighbours(const std::set<fs::path>& files) {
  std::set<fs::path> neighbours;
  for (const fs::path& file : files) {
    std::error_code failure;
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    fs::directory_iterator it(folder, failure);
    for (; !failure && it != fs::directory_iterator(); it.increment(failure)) {
      const fs::path beside = (file.parent_path() / it->path().filename()).lexically_normal();
      if (beside.extension() == ".yaml" && !files.contains(beside)) {
        neighbours.insert(beside);
      }
    }
  }
  return neighbours;
}

}  // namespace

Result<ReviewBatch> CheckBatch(const Repository& repository, const std::string& key,
                               const std::vector<Review>& reviews) {
  ReviewBatch batch;
  std::map<std::pair<std::string, std::string>, std::vector<Review>> groups;
  for (const Review& review : reviews) {
    if (FindRubric(repository, review.challenge) == nullptr) {
      batch.findings.push_back(NoSuchChallenge(review, repository));
    } else {
      groups[{review.challenge, review.reviewer.id}].push_back(review);
    }
  }
  for (auto& [of, own] : groups) {
    const auto& [challenge, reviewer] = of;
    ASSAY_ASSIGN_OR_RETURN(ReviewRules rules, ReadRules(repository, challenge));
    for (ReviewSubject& subject : rules.subjects) {
      subject.label = key.empty() ? "" : LabelOf(key, reviewer, challenge, subject.model);
    }
    std::ranges::move(CheckReviews(own, rules), std::back_inserter(batch.findings));
    batch.groups.push_back({.rules = std::move(rules), .reviews = std::move(own)});
  }
  return batch;
}

Checked<std::vector<Review>> ReadReviewsBeside(const std::vector<fs::path>& files) {
  std::set<fs::path> given;
  std::ranges::transform(files, std::inserter(given, given.end()),
                         [](const fs::path& file) { return file.lexically_normal(); });
  std::vector<Review> reviews;
  Errors errors;
  for (const fs::path& file : given) {
    auto review = ReadReview(file);
    if (review) {
      reviews.push_back(*std::move(review));
    } else {
      errors.insert(errors.end(), review.error().begin(), review.error().end());
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  for (const fs::path& file : Neighbours(given)) {
    if (auto review = ReadReview(file)) {
      reviews.push_back(*std::move(review));
    }
  }
  return reviews;
}

Review Unblinded(Review review, const ReviewRules& rules) {
  const ReviewSubject* const subject = FindSubject(rules, review.submission);
  if (subject == nullptr) {
    return review;
  }
  review.submission = subject->model;
  for (GivenMark& mark : review.marks) {
    for (Quotation& quotation : mark.evidence) {
      if (const ShownFile* const file = FindShownFile(subject->files, quotation.file)) {
        quotation.file = file->path;
      }
    }
  }
  for (GivenComparison& one : review.comparisons) {
    if (const ReviewSubject* const against = FindSubject(rules, one.against)) {
      one.against = against->model;
    }
  }
  return review;
}

std::string_view ToString(ReviewFinding::Kind kind) {
  switch (kind) {
    case ReviewFinding::Kind::kFault:
      return "fault";
    case ReviewFinding::Kind::kStale:
      return "stale";
    case ReviewFinding::Kind::kOwnWork:
      return "own_work";
    case ReviewFinding::Kind::kFlag:
      return "flag";
  }
  return "?";
}

bool IsInTheWay(const ReviewFinding& finding) { return finding.kind != ReviewFinding::Kind::kFlag; }

}  // namespace assay
