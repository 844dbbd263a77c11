// SPDX-License-Identifier: Apache-2.0
#include "exec/executor.h"

#include <chrono>
#include <utility>

#include "base/text.h"
#include "exec/input_changes.h"
#include "grade/grade_cell.h"
#include "process/interrupt.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Evidence of the judge's failure, so that no older result passes for one of the cell as it is.
Evidence JudgeErrorEvidence(const PlannedCell& cell, const Error& error) {
  Evidence evidence;
  evidence.challenge = cell.submission.challenge;
  evidence.model = cell.submission.model;
  evidence.model_name = cell.model.name;
  evidence.reconstruction = cell.model.reconstruction;
  evidence.verdict = Verdict::kJudgeError;
  evidence.verdict_detail = ToString(error);
  evidence.digests = ToDigests(cell.inputs);
  evidence.environment = cell.environment;
  return evidence;
}

// Grades once. Evidence that blames the judge becomes an error, and keeps what was measured.
struct Attempt {
  std::optional<Evidence> evidence;
  std::optional<Error> error;
};

Attempt GradeOnce(const PlannedCell& cell, const Grader& grade, ProgressSink& progress) {
  Result<Evidence> evidence = grade(cell, progress);
  if (!evidence) {
    return {.evidence = std::nullopt, .error = std::move(evidence).error()};
  }
  if (evidence->verdict == Verdict::kJudgeError) {
    Error error{.kind = ErrorKind::kJudge,
                .where = ToString(IdOf(cell)),
                .cause = evidence->verdict_detail,
                .remedy = "grade the cell again; if it fails again, run assay doctor"};
    return {.evidence = std::move(*evidence), .error = std::move(error)};
  }
  return {.evidence = std::move(*evidence), .error = std::nullopt};
}

// What model.yaml says is measured by nothing: a change of it is taken over into evidence that
// holds. Whether there was one.
Result<bool> SaveUnderModel(const fs::path& root, const PlannedCell& cell, const Keeper& keep) {
  if (cell.evidence->model_name == cell.model.name &&
      cell.evidence->reconstruction == cell.model.reconstruction) {
    return false;
  }
  Evidence evidence = *cell.evidence;
  evidence.model_name = cell.model.name;
  evidence.reconstruction = cell.model.reconstruction;
  ASSAY_RETURN_IF_ERROR(SaveInputs(root, cell.inputs));
  ASSAY_RETURN_IF_ERROR(keep(root, evidence));
  return true;
}

// Carries out one cell of a plan. An error ends the run.
Result<CellOutcome> RunCell(const fs::path& root, const PlannedCell& cell, const Grader& grade,
                            RunObserver& observer, const Keeper& keep) {
  CellOutcome outcome{.cell = IdOf(cell), .error = std::nullopt};
  if (cell.reason.empty() && cell.evidence) {
    outcome.action = CellOutcome::Action::kReused;
    outcome.verdict = cell.evidence->verdict;
    ASSAY_ASSIGN_OR_RETURN(outcome.evidence_written, SaveUnderModel(root, cell, keep));
    return outcome;
  }
  const auto start = std::chrono::steady_clock::now();
  Attempt attempt = GradeOnce(cell, grade, observer);
  if (attempt.error) {
    // Ctrl-C reaches our suites too: that they died then is not the judge's failure.
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
  }
  if (attempt.error && attempt.error->kind == ErrorKind::kJudge) {
    observer.CellRetried(*attempt.error);
    attempt = GradeOnce(cell, grade, observer);
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
  }
  if (attempt.error && attempt.error->kind != ErrorKind::kJudge) {
    return std::unexpected(std::move(*attempt.error));
  }
  if (attempt.error) {
    outcome.error = attempt.error;
    if (!attempt.evidence) {
      attempt.evidence = JudgeErrorEvidence(cell, *attempt.error);
    }
  } else {
    outcome.action = CellOutcome::Action::kGraded;
    outcome.verdict = attempt.evidence->verdict;
  }
  const bool keep_old = attempt.error && cell.evidence;
  if (!keep_old) {
    ASSAY_RETURN_IF_ERROR(SaveInputs(root, cell.inputs));
    ASSAY_RETURN_IF_ERROR(keep(root, *attempt.evidence));
    outcome.evidence_written = true;
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

// Fills evidence, changes and reason of a cell whose other members are there, by what lies below
// `root`.
void DecideReuse(const fs::path& root, Reuse reuse, std::optional<std::uint64_t> seed,
                 PlannedCell& cell) {
  cell.changes.clear();
  auto evidence = LoadEvidence(root, IdOf(cell));
  if (!evidence) {
    cell.reason = "its evidence cannot be read: " + EscapeCodeBlock(evidence.error().cause);
    return;
  }
  if (!*evidence) {
    cell.reason = "it was never graded";
    return;
  }
  cell.changes = ChangesSince(root, **evidence, cell.inputs);
  if (auto why = WhyStale(**evidence, cell.changes, cell.environment, seed)) {
    cell.reason = std::move(*why);
    return;
  }
  cell.evidence = std::move(**evidence);
  cell.reason = reuse == Reuse::kNever ? "it was asked for" : "";
}

}  // namespace

CellId IdOf(const PlannedCell& cell) {
  return {.model = cell.submission.model, .challenge = cell.submission.challenge};
}

Result<std::vector<PlannedCell>> PlanCells(const Repository& repository,
                                           const std::vector<CellId>& cells, InputReader& reader,
                                           const Environment& now, Reuse reuse,
                                           std::optional<std::uint64_t> seed, const fs::path& out) {
  std::vector<PlannedCell> plan;
  for (const CellId& id : cells) {
    PlannedCell cell;
    cell.submission = *FindSubmission(repository, id);
    cell.model = *FindModel(repository, id.model);
    cell.environment = EnvironmentFor(cell.submission, now);
    ASSAY_ASSIGN_OR_RETURN(cell.inputs, reader.Read(repository.root, cell.submission));
    if (!out.empty()) {
      DecideReuse(out, reuse, seed, cell);
    }
    if (!cell.evidence) {
      DecideReuse(repository.root, reuse, seed, cell);
    }
    plan.push_back(std::move(cell));
  }
  return plan;
}

RunSummary RunPlan(const fs::path& root, const std::vector<PlannedCell>& plan, const Grader& grade,
                   RunObserver& observer, const Keeper& keep) {
  RunSummary summary;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    observer.CellStarted(i, plan[i]);
    auto outcome = RunCell(root, plan[i], grade, observer, keep);
    if (!outcome) {
      summary.stopped = std::move(outcome).error();
      break;
    }
    observer.CellEnded(*outcome);
    summary.outcomes.push_back(std::move(*outcome));
  }
  return summary;
}

}  // namespace assay
