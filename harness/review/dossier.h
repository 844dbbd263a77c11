// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REVIEW_DOSSIER_H_
#define ASSAY_REVIEW_DOSSIER_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "review/shown_file.h"
#include "spec/challenge_spec.h"
#include "spec/rubric.h"

namespace assay {

/// A submission that is to be read, by what stands for its model.
struct DossierSubmission {
  std::string label;  ///< LabelOf.
  std::string digest;
  std::vector<ShownFile> files;
};

struct DossierChallenge {
  const ChallengeSpec* spec = nullptr;
  const Rubric* rubric = nullptr;
  std::string prompt;            ///< What models were asked, blinded.
  std::string interface_header;  ///< … and the interface that they implement.
  std::vector<DossierSubmission> submissions;
};

/// What stands for a model before this reviewer: `s-` and 12 hexadecimal digits. Without `key` it
/// says nothing of the model, and two reviewers do not share it.
[[nodiscard]] std::string LabelOf(std::string_view key, std::string_view reviewer,
                                  std::string_view challenge, std::string_view model);

/// The criteria of kind review, in the order of the rubric.
[[nodiscard]] std::vector<const Criterion*> ReviewCriteria(const Rubric& rubric);

/// Both orders of each pair, mixed: (read first, read second).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> BothOrders(
    const std::vector<std::string>& labels);

/// `text` numbered line by line in a fence of markdown that it cannot close: no line of it begins
/// one, and the fence is longer than any run of backticks in it.
[[nodiscard]] std::string FencedLines(const std::vector<std::string>& lines);

/// The files of a dossier by path relative to it. Below `<challenge>/`: `TASK.md`, which has the
/// scales and the order of reading; `<label>.md`, a submission; `<label>.yaml`, the form.
[[nodiscard]] std::map<std::string, std::string> DossierFiles(
    const std::string& reviewer, const std::vector<DossierChallenge>& challenges);

}  // namespace assay

#endif  // ASSAY_REVIEW_DOSSIER_H_
