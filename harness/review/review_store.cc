// SPDX-License-Identifier: Apache-2.0
#include "review/review_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "review/blinder.h"
#include "review/visible.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path ReviewsFolder(const fs::path& root) { return root / "reports" / "reviews"; }

// Whether a file of a submission is ours and not the model's.
bool IsOurWord(const ModelSpec& model, const fs::path& path) {
  return model.reconstruction && path == "README.md";
}

Error At(const fs::path& where, std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = where.string(),
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

/// What lies below reports/reviews/ that is no folder.
Checked<std::vector<fs::path>> ListRecords(const fs::path& folder) {
  std::vector<fs::path> files;
  Errors errors;
  const Result<bool> is_there = IsThere(folder);
  if (!is_there) {
    return std::unexpected(Errors{is_there.error()});
  }
  if (!*is_there) {
    return files;
  }
  std::error_code failure;
  fs::recursive_directory_iterator it(folder, failure);
  for (; !failure && it != fs::recursive_directory_iterator(); it.increment(failure)) {
    const fs::file_status status = it->symlink_status(failure);
    if (fs::is_symlink(status)) {
      errors.push_back(At(it->path(), "is a symbolic link", "replace it by what it points to"));
    } else if (!fs::is_directory(status) && it->path().extension() == ".yaml") {
      files.push_back(it->path());
    }
  }
  if (failure) {
    errors.push_back(At(folder, "cannot be listed: " + failure.message(), "make it readable"));
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  std::ranges::sort(files);
  return files;
}

Status CheckPlace(const fs::path& root, const Review& review) {
  const fs::path wanted =
      ReviewPath(root, review.reviewer.id, {review.submission, review.challenge});
  if (wanted == review.file) {
    return {};
  }
  return std::unexpected(At(review.file, "says that it belongs elsewhere",
                            "move it to " + wanted.lexically_relative(root).string()));
}

ReviewRecord ToRecord(const Review& review, ReviewStanding standing) {
  ReviewRecord record{.reviewer = review.reviewer.id,
                      .who = NameOf(review.reviewer),
                      .date = review.date,
                      .model = review.submission,
                      .standing = standing,
                      .marks = {},
                      .comparisons = {}};
  for (const GivenMark& given : review.marks) {
    ReviewMark mark{
        .criterion = given.criterion, .mark = given.mark, .reason = given.reason, .places = {}};
    for (const Quotation& quotation : given.evidence) {
      mark.places.push_back(fmt::format("{}:{}", quotation.file, quotation.line));
    }
    record.marks.push_back(std::move(mark));
  }
  for (const GivenComparison& given : review.comparisons) {
    record.comparisons.push_back(
        {.criterion = given.criterion, .against = given.against, .prefers = given.prefers});
  }
  return record;
}

ReviewStanding StandingOf(const Review& review, const ReviewFindings& findings) {
  const auto found = [&](ReviewFinding::Kind kind) {
    return std::ranges::any_of(findings, [&](const ReviewFinding& finding) {
      return finding.kind == kind && finding.error.where == review.file.string();
    });
  };
  return found(ReviewFinding::Kind::kOwnWork) ? ReviewStanding::kOwnWork
         : found(ReviewFinding::Kind::kStale) ? ReviewStanding::kStale
                                              : ReviewStanding::kCounts;
}

/// What two spellings of one reviewer share. Names in other letters are taken as they are.
std::string FoldWho(const Reviewer& reviewer) {
  const std::string name = NameOf(reviewer);
  const bool is_ascii =
      std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return is_ascii ? FoldName(name) : name;
}

/// One person or model under two ids.
Errors Doubles(const std::map<std::string, std::vector<Review>>& by_reviewer) {
  std::map<std::string, std::string> ids;
  Errors errors;
  for (const auto& [id, reviews] : by_reviewer) {
    for (const Review& review : reviews) {
      const auto [first, is_new] = ids.try_emplace(FoldWho(review.reviewer), id);
      if (!is_new && first->second != id) {
        errors.push_back(At(review.file,
                            MakeVisible(fmt::format("{} reviews as \"{}\" and as \"{}\"",
                                                    NameOf(review.reviewer), first->second, id)),
                            "keep the reviews of one id: nobody counts twice"));
        break;
      }
    }
  }
  return errors;
}

}  // namespace

fs::path ReviewPath(const fs::path& root, std::string_view reviewer, const CellId& cell) {
  return ReviewsFolder(root) / std::string(reviewer) / cell.challenge / (cell.model + ".yaml");
}

Result<SubmissionToRead> ReadSubmissionToRead(const SubmissionSpec& submission,
                                              const ModelSpec& model) {
  SubmissionToRead read;
  ASSAY_ASSIGN_OR_RETURN(const auto paths, ListFiles(submission.directory));
  for (const fs::path& path : paths) {
    if (!IsOurWord(model, path)) {
      ASSAY_ASSIGN_OR_RETURN(read.files[path.string()],
                             ReadFile(submission.directory / path, kLargestSource_bytes));
    }
  }
  ASSAY_ASSIGN_OR_RETURN(read.digest, DigestTree(submission.directory, [&](const fs::path& path) {
                           return !IsOurWord(model, path);
                         }));
  return read;
}

Result<ReviewRules> ReadRules(const Repository& repository, const std::string& challenge) {
  ReviewRules rules{.rubric = FindRubric(repository, challenge), .subjects = {}};
  const Blinder blinder(repository.models);
  for (const SubmissionSpec& submission : repository.submissions) {
    const ModelSpec* const model = FindModel(repository, submission.model);
    if (submission.challenge != challenge || model == nullptr) {
      continue;
    }
    ASSAY_ASSIGN_OR_RETURN(const SubmissionToRead read, ReadSubmissionToRead(submission, *model));
    rules.subjects.push_back({.challenge = challenge,
                              .model = model->id,
                              .model_name = model->name,
                              .label = {},
                              .digest = read.digest,
                              .files = ShowFiles(read.files, blinder)});
  }
  return rules;
}

Checked<std::vector<Review>> ReadRecords(const fs::path& root) {
  const auto files = ListRecords(ReviewsFolder(root));
  if (!files) {
    return std::unexpected(files.error());
  }
  std::vector<Review> records;
  Errors errors;
  for (const fs::path& file : *files) {
    auto review = ReadReview(file);
    if (!review) {
      errors.insert(errors.end(), review.error().begin(), review.error().end());
    } else if (const Status placed = CheckPlace(root, *review); !placed) {
      errors.push_back(placed.error());
    } else {
      records.push_back(*std::move(review));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return records;
}

std::map<std::string, std::vector<Review>> ByReviewer(const std::vector<Review>& records,
                                                      const ReviewRules& rules,
                                                      const std::string& challenge) {
  std::map<std::string, std::vector<Review>> by_reviewer;
  for (Review review : records) {
    if (review.challenge == challenge && FindSubject(rules, review.submission) != nullptr) {
      std::erase_if(review.comparisons, [&](const GivenComparison& one) {
        return FindSubject(rules, one.against) == nullptr;
      });
      by_reviewer[review.reviewer.id].push_back(std::move(review));
    }
  }
  return by_reviewer;
}

Checked<Reviews> LoadReviews(const Repository& repository, const std::vector<Review>& records,
                             const std::string& challenge) {
  Reviews reviews;
  if (std::ranges::find(records, challenge, &Review::challenge) == records.end()) {
    return reviews;
  }
  const auto rules = ReadRules(repository, challenge);
  if (!rules) {
    return std::unexpected(Errors{rules.error()});
  }
  const auto by_reviewer = ByReviewer(records, *rules, challenge);
  Errors errors = Doubles(by_reviewer);
  for (const auto& [reviewer, own] : by_reviewer) {
    const ReviewFindings findings = CheckReviews(own, *rules);
    for (const ReviewFinding& finding : findings) {
      if (finding.kind == ReviewFinding::Kind::kFault) {
        errors.push_back(finding.error);
      }
    }
    for (const Review& review : own) {
      reviews.push_back(ToRecord(review, StandingOf(review, findings)));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return reviews;
}

}  // namespace assay
