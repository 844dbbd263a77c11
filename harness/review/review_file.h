// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REVIEW_REVIEW_FILE_H_
#define ASSAY_REVIEW_REVIEW_FILE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "score/reviews.h"
#include "spec/checked.h"

namespace assay {

/// Who read. A person has a name; a model a name and a version.
struct Reviewer {
  std::string id;  ///< Of the folder below reports/reviews/.
  std::string person;
  std::string model;
  std::string version;
  bool operator==(const Reviewer&) const = default;
};
/// `Ada Lovelace`, `GLM-5 2026-02`. Hostile text.
[[nodiscard]] std::string NameOf(const Reviewer& reviewer);

/// What a mark rests on.
struct Quotation {
  std::string file;   ///< Of the submission, as the dossier calls it.
  int line = 0;       ///< Counted from 1.
  std::string quote;  ///< Stands in that line.
  int at_line = 0;    ///< Of the review.
  bool operator==(const Quotation&) const = default;
};

struct GivenMark {
  std::string criterion;
  int mark = 0;
  std::string reason;
  std::vector<Quotation> evidence;  ///< At least one.
  int at_line = 0;
  bool operator==(const GivenMark&) const = default;
};

struct GivenComparison {
  std::string criterion;
  std::string against;  ///< The submission read second.
  Preference prefers = Preference::kEqual;
  std::string reason;
  int at_line = 0;
  bool operator==(const GivenComparison&) const = default;
};

/// `reports/reviews/<reviewer>/<challenge>/<model>.yaml`, or a filled-in form of a dossier. In the
/// first submissions are called by their models' ids, in the second by what stands for them there.
struct Review {
  std::filesystem::path file;
  Reviewer reviewer;
  std::string date;  ///< `2026-11-23`.
  std::string challenge;
  std::string submission;
  std::string digest;  ///< SHA-256 of what was read (DigestOfSubmission).
  std::vector<GivenMark> marks;
  std::vector<GivenComparison> comparisons;
  bool operator==(const Review&) const = default;
};

/// Every fault of the file with its line: what is missing or left empty, marks off the scale.
[[nodiscard]] Checked<Review> ReadReview(const std::filesystem::path& file);

/// As ReadReview reads it.
[[nodiscard]] std::string RenderReview(const Review& review);

/// `text` as a scalar of YAML in double quotes.
[[nodiscard]] std::string QuoteYaml(std::string_view text);

}  // namespace assay

#endif  // ASSAY_REVIEW_REVIEW_FILE_H_
