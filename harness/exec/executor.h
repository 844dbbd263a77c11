// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_EXECUTOR_H_
#define ASSAY_EXEC_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "exec/evidence_store.h"
#include "exec/inputs.h"
#include "grade/progress.h"
#include "spec/repository.h"

namespace assay {

/// Whether evidence that still holds is used again.
enum class Reuse { kWhenItHolds, kNever };

/// What to do with one cell.
struct PlannedCell {
  SubmissionSpec submission;
  ModelSpec model;
  CellInputs inputs;                 ///< What grading would be made from.
  Environment environment;           ///< That grading would have.
  std::optional<Evidence> evidence;  ///< What is there and holds; kept when grading fails.
  std::vector<std::string> changes;  ///< Since evidence that is there was made, one entry a file.
  std::string reason;                ///< Why it is graded; empty: the evidence is used again.
};
[[nodiscard]] CellId IdOf(const PlannedCell& cell);

/// Decides for each of `cells`, which are all in `repository`. `now` is the environment that
/// grading would have (its seed does not count); with `seed`, evidence of another seed does not
/// hold. Evidence that cannot be read does not hold either. Where the run will write below `out`
/// and not in the repository, evidence that holds may lie there too: an earlier run was killed.
/// Reads files only; nine unchanged cells take well under a second.
[[nodiscard]] Result<std::vector<PlannedCell>> PlanCells(const Repository& repository,
                                                         const std::vector<CellId>& cells,
                                                         InputReader& reader,
                                                         const Environment& now, Reuse reuse,
                                                         std::optional<std::uint64_t> seed,
                                                         const std::filesystem::path& out = {});

/// What became of one cell.
struct CellOutcome {
  enum class Action { kReused, kGraded, kFailed };
  CellId cell;
  Action action = Action::kFailed;
  Verdict verdict = Verdict::kJudgeError;
  std::optional<Error> error;  ///< Of kind kJudge: why grading failed twice.
  /// Graded, or reused under what model.yaml now says; not a failure that left older evidence.
  bool evidence_written = false;
  double seconds = 0;
};

/// Hears what a run does, on the thread that runs it.
class RunObserver : public ProgressSink {
 public:
  virtual void CellStarted(std::size_t index, const PlannedCell& cell) = 0;
  /// Grading failed by our fault and begins once more.
  virtual void CellRetried(const Error& error) = 0;
  virtual void CellEnded(const CellOutcome& outcome) = 0;
};

/// Grades one cell (grade/grade_cell.h does; tests bring others).
using Grader = std::function<Result<Evidence>(const PlannedCell&, ProgressSink&)>;

/// Keeps evidence below a root (SaveEvidence does; `grade --attest` signs it too).
using Keeper = std::function<Status(const std::filesystem::path& root, const Evidence&)>;

struct RunSummary {
  std::vector<CellOutcome> outcomes;  ///< Of the cells that ended, in the order of the plan.
  /// Why the run ended early: an interruption, a full disk, no compiler, no sandbox.
  std::optional<Error> stopped;
};

/// Carries out a plan, one cell after the other: times of cells that run side by side would
/// measure each other. The evidence of a cell is on disk when CellEnded is called, whole, and so is
/// what it was made from; a run that is killed loses nothing but the cell it was at.
///
/// An error of kind kJudge, and evidence whose verdict is judge_error, is tried once more. If that
/// fails too, the cell's evidence says judge_error, unless evidence that holds is there, and the
/// run goes on. Any other error ends the run. The caller holds the RepositoryLock of `root`, below
/// which evidence is written: the repository, or the `out` of PlanCells.
[[nodiscard]] RunSummary RunPlan(const std::filesystem::path& root,
                                 const std::vector<PlannedCell>& plan, const Grader& grade,
                                 RunObserver& observer, const Keeper& keep = SaveEvidence);

}  // namespace assay

#endif  // ASSAY_EXEC_EXECUTOR_H_
