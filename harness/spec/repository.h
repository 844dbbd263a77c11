// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_REPOSITORY_H_
#define ASSAY_SPEC_REPOSITORY_H_

#include <compare>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "spec/challenge_spec.h"
#include "spec/model_spec.h"
#include "spec/rubric.h"
#include "spec/submission_spec.h"

namespace assay {

/// One submission of one model: the unit of grading. Written `model/challenge`.
struct CellId {
  std::string model;
  std::string challenge;
  auto operator<=>(const CellId&) const = default;
};
[[nodiscard]] std::string ToString(const CellId& cell);

/// All that is readable in a repository. Every list is sorted by id, so that what is made from it
/// does not depend on the file system.
struct Repository {
  std::filesystem::path root;     ///< Holds submissions/ and reports/.
  std::filesystem::path sources;  ///< Holds challenges/ and reference/; in a checkout, the root.
  std::vector<ChallengeSpec> challenges;
  std::vector<Rubric> rubrics;
  std::vector<ModelSpec> models;
  std::vector<SubmissionSpec> submissions;  ///< By model, then challenge.
};

/// What could be read, and everything that is wrong. A file at fault is left out of `repository`;
/// the rest of it still stands.
struct LoadedRepository {
  Repository repository;
  Errors faults;  ///< `where` is relative to the root, or to the sources.
};

/// Whether `folder` is a checkout of Assay, or a repository of submissions: it holds `challenges/`
/// or `submissions/`.
[[nodiscard]] bool IsRoot(const std::filesystem::path& folder);

/// The nearest folder at or above `start` that IsRoot.
[[nodiscard]] Result<std::filesystem::path> FindRoot(const std::filesystem::path& start);

/// The submissions of `root` to the challenges of `sources`.
[[nodiscard]] LoadedRepository LoadRepository(const std::filesystem::path& root,
                                              const std::filesystem::path& sources);
/// Of a checkout, which is both.
[[nodiscard]] LoadedRepository LoadRepository(const std::filesystem::path& root);

/// Every fault of every file, in the order of their places.
[[nodiscard]] Errors CheckRepository(const std::filesystem::path& root);

/// Null when there is none of that id.
[[nodiscard]] const ChallengeSpec* FindChallenge(const Repository& repository, std::string_view id);
[[nodiscard]] const Rubric* FindRubric(const Repository& repository, std::string_view challenge);
[[nodiscard]] const ModelSpec* FindModel(const Repository& repository, std::string_view id);
[[nodiscard]] const SubmissionSpec* FindSubmission(const Repository& repository,
                                                   const CellId& cell);

/// `<root>/reports/evidence/<challenge>/<model>.json`.
[[nodiscard]] std::filesystem::path EvidencePath(const std::filesystem::path& root,
                                                 const CellId& cell);

}  // namespace assay

#endif  // ASSAY_SPEC_REPOSITORY_H_
