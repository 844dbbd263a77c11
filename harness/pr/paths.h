// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PR_PATHS_H_
#define ASSAY_PR_PATHS_H_

#include <string>
#include <string_view>
#include <vector>

#include "spec/repository.h"

namespace assay {

/// What a path of a repository is to grading.
enum class PathKind {
  kSubmission,  ///< `submissions/<model>/<challenge>/…`
  kModel,       ///< `submissions/<model>/…` besides: model.yaml.
  kJudge,       ///< Below `harness/`, `challenges/` or `reference/`.
  kEvidence,    ///< Below `reports/`.
  kOther,
};

struct ChangedPath {
  PathKind kind = PathKind::kOther;
  CellId cell;  ///< Of a submission; of kModel the model alone.
};

/// `path` is relative to the repository's root. Ids that are none make it kOther.
[[nodiscard]] ChangedPath Classify(std::string_view path);

/// Why a change may not touch what it touches, when it may touch one model alone: `only_model`, or
/// where that is empty any one. Nothing when it may.
[[nodiscard]] std::vector<std::string> RefusalsFor(const std::vector<std::string>& models,
                                                   const std::vector<std::string>& outside,
                                                   const std::string& only_model);

}  // namespace assay

#endif  // ASSAY_PR_PATHS_H_
