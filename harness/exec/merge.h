// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_MERGE_H_
#define ASSAY_EXEC_MERGE_H_

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "exec/attestation.h"
#include "exec/inputs.h"
#include "spec/checked.h"
#include "spec/repository.h"

namespace assay {

/// Whether evidence that nobody signed whose key counts is taken.
enum class Unsigned { kTaken, kRefused };

/// What becomes of one cell of the folders.
struct MergedCell {
  enum class Action {
    kTaken,    ///< New, or in place of older evidence.
    kSame,     ///< The repository holds these very bytes.
    kLeftOut,  ///< A failure of the judge, where evidence that holds is there.
  };
  CellId cell;
  std::filesystem::path folder;  ///< The first that holds it.
  Action action = Action::kTaken;
  Verdict verdict = Verdict::kJudgeError;
  Attestation attestation;
};

/// What merging writes: nothing was written yet, and nothing stands in the way of any of it.
struct MergePlan {
  std::vector<MergedCell> cells;              ///< By cell.
  std::map<std::string, std::string> files;   ///< Path relative to the root, and content.
  std::vector<std::string> stale_signatures;  ///< Of evidence that unsigned evidence replaces.
};

/// Reads what `assay grade --out` wrote into each of `folders`, whole: any file below
/// `reports/evidence/` that is not evidence, its signature or a list of inputs is an error, and so
/// is evidence that
///   - does not follow from its own cases and samples, or contradicts other evidence of its judge;
///   - was made from other inputs than this repository and its installation hold;
///   - is there twice and differs;
///   - has a signature that does not hold, or has none where `is_unsigned` says so.
/// Folders are hostile: links and special files are refused, sizes and counts are bounded. All
/// faults are returned. Other files of a folder are not read.
[[nodiscard]] Checked<MergePlan> PlanMerge(const Repository& repository, InputReader& reader,
                                           const std::vector<std::filesystem::path>& folders,
                                           Unsigned is_unsigned);

/// Writes a plan: first every file under a name of its own, then all are renamed into place. An
/// error before that leaves the repository as it was; a run that is killed leaves files that are
/// whole, and the next one finishes. The caller holds the RepositoryLock.
[[nodiscard]] Status CarryOut(const std::filesystem::path& root, const MergePlan& plan);

}  // namespace assay

#endif  // ASSAY_EXEC_MERGE_H_
