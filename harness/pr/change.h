// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PR_CHANGE_H_
#define ASSAY_PR_CHANGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "spec/repository.h"

namespace assay {

/// How a change touches a cell that it makes be graded.
enum class CellChange {
  kNew,
  kChanged,  ///< What it hands in.
  kRemoved,
  kJudged,  ///< It hands in what it did; the harness, the challenge or the reference changed. With
            ///< the base's judge it is graded as the base is, and nothing of the change is in it.
};

/// Whose harness, challenges and rubrics grade a change.
enum class JudgeOf {
  kBase,
  kChange,  ///< To see what a change of the judge does. Worth nothing as a result.
};

/// One cell that a change makes be graded.
struct ChangedCell {
  CellId cell;
  CellChange change = CellChange::kChanged;
  /// Of what the cell is made from: `submissions/a/b/c.cc changed`, one entry a file. Hostile text.
  std::vector<std::string> changes;
  /// What it hands in now, relative to its folder: where findings can be.
  std::vector<std::string> files;
  std::optional<Evidence> before;  ///< The base's.
  std::optional<Evidence> after;   ///< Graded now; nothing where `faults` are, or it was removed.
  Errors faults;                   ///< Why it cannot be graded: its own files are at fault.
  /// Why the base's evidence is not of the base as it is; empty when it is.
  std::string before_is_stale;
};

/// A cell whose rubric or harness a change touches, and that the base's judge has no reason to
/// grade.
struct ReachedCell {
  CellId cell;
  std::string why;  ///< `challenges/kv_cache/suite.cc changed, and 2 more`. Hostile text.
};

/// What a change is and what came of grading it. Names and paths are hostile text.
struct Change {
  std::string base;  ///< As it was asked for: `main`.
  std::string head;
  std::string base_commit;
  std::string head_commit;
  JudgeOf judge = JudgeOf::kBase;
  std::vector<ChangedCell> cells;     ///< By id.
  std::vector<ReachedCell> reached;   ///< By id.
  std::vector<std::string> models;    ///< Below whose folder it changes anything.
  std::vector<std::string> outside;   ///< Paths that are in no model's folder.
  std::vector<std::string> evidence;  ///< Of those below `reports/`, which nobody believes.
  std::vector<std::string> notes;     ///< What else its reader should know.
  std::vector<std::string> refusals;  ///< Why nothing of it was graded; empty: it was.
  std::string sandbox_level;          ///< Empty when nothing was graded.
  std::string assay_version;
  std::uint64_t seed = 0;
};

}  // namespace assay

#endif  // ASSAY_PR_CHANGE_H_
