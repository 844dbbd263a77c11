// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_SUBMISSION_DRAFT_H_
#define ASSAY_CLI_SUBMISSION_DRAFT_H_

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/temporary.h"
#include "cli/submission_stub.h"
#include "spec/repository.h"

namespace assay {

/// One rename.
struct Move {
  std::filesystem::path from;
  std::filesystem::path to;
};

/// Makes all of `moves`, or none: what was moved is moved back when one fails. Replaces nothing: a
/// `to` that is there is an error of kind kConfiguration.
[[nodiscard]] Status MoveAll(const std::vector<Move>& moves);

/// Makes `folder` and those above it. An error of kind kConfiguration names it.
[[nodiscard]] Status MakeFolders(const std::filesystem::path& folder);

/// An error of kind kConfiguration where one of the folders between `root` and `path` is a symbolic
/// link: what lies behind it is not the repository's to write or to remove.
[[nodiscard]] Status CheckNoLinkOnTheWay(const std::filesystem::path& root,
                                         const std::filesystem::path& path);

/// New submissions of one model, written below `.assay/` and moved to `submissions/` when they are
/// whole: a reader, or a crash at any time, sees all of them or none. The destructor removes what
/// was not published. The caller holds the lock of the repository.
class SubmissionDraft {
 public:
  /// Errors: `model` is no id, or its folder is a link.
  [[nodiscard]] static Result<SubmissionDraft> Begin(const std::filesystem::path& root,
                                                     const std::string& model);

  /// Whether the cell is there already: a submission is never overwritten.
  [[nodiscard]] Result<bool> IsTaken(const std::string& challenge) const;

  /// Where the files of a submission lie until Publish.
  [[nodiscard]] std::filesystem::path Folder(const std::string& challenge) const;

  [[nodiscard]] Status Add(const std::string& challenge, const FileContents& files);

  /// Moves everything into place. `model_source` goes into model.yaml where the model has none.
  /// Returns what was made, relative to the root, sorted.
  [[nodiscard]] Result<std::vector<std::string>> Publish(std::string_view model_source);

 private:
  SubmissionDraft(std::filesystem::path root, std::string model, TemporaryDirectory folder)
      : root_(std::move(root)), model_(std::move(model)), folder_(std::move(folder)) {}

  std::filesystem::path root_;
  std::string model_;
  TemporaryDirectory folder_;
  std::set<std::string> challenges_;
};

/// The error of a cell that IsTaken.
[[nodiscard]] Error TakenError(const CellId& cell);

/// ` --root DIR` where a command was given that, so that the commands that it prints work.
[[nodiscard]] std::string RootArgument(const std::filesystem::path& root_option);

}  // namespace assay

#endif  // ASSAY_CLI_SUBMISSION_DRAFT_H_
