// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_PR_ROOTS_H_
#define ASSAY_CLI_PR_ROOTS_H_

#include <string>
#include <vector>

#include "base/temporary.h"
#include "cli/commands.h"
#include "exec/git.h"

namespace assay {

/// A change in git: two commits, and how the second's history differs from the first's.
struct GitChange {
  std::string base_commit;
  std::string head_commit;
  GitTree base;        ///< All that is in the base.
  GitChanges changes;  ///< From where the two histories left each other to the head.
};
[[nodiscard]] Result<GitChange> ReadGitChange(const GitReader& git, const PrOptions& options);

/// Every path that the change touches, relative to the repository's root.
[[nodiscard]] std::vector<std::string> PathsOf(const GitChange& change);

/// Throw-away roots in which a change is graded. Each has the layout of a repository.
struct PrRoots {
  TemporaryDirectory folder;
  std::filesystem::path base;    ///< As the base is, with its evidence.
  std::filesystem::path graded;  ///< The base with what is taken of the change.
  /// The base with all of the change: what its judge would be.
  std::filesystem::path merged;
  std::vector<LeftOut> left_out;  ///< Of `graded`.
};

/// Writes them below `temporary_root`. Of the change `graded` has submissions/, and harness/,
/// challenges/ and reference/ too where `judge` is the change's; never evidence.
[[nodiscard]] Result<PrRoots> WriteRoots(const GitReader& git, const GitChange& change,
                                         JudgeOf judge,
                                         const std::filesystem::path& temporary_root);

/// Whether what is installed or built, and will grade `challenge`, is of the sources in `root`: an
/// error says which file is not, and that `whose` ("the base") has to be built.
[[nodiscard]] Status CheckJudge(const GradeServices& services, const Installation& installation,
                                const std::filesystem::path& root, const std::string& challenge,
                                const std::string& whose);

}  // namespace assay

#endif  // ASSAY_CLI_PR_ROOTS_H_
