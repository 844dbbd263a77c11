// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "build/cuda_toolkit.h"
#include "cli/attestations.h"
#include "cli/cell_reason.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/grade_conclusion.h"
#include "cli/grade_preparation.h"
#include "cli/progress_display.h"
#include "exec/attestation.h"
#include "exec/build_stamp.h"
#include "exec/evidence_store.h"
#include "exec/input_changes.h"
#include "exec/repository_lock.h"
#include "process/interrupt.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

CellRequest RequestFor(const Preparation& ready, const PlannedCell& cell) {
  return {.challenge = *FindChallenge(ready.repository, cell.submission.challenge),
          .submission = cell.submission,
          .model = cell.model,
          .digests = ToDigests(cell.inputs),
          .installation = ready.place.installation,
          .level = ready.level,
          .seed = ready.seed,
          .depth = GradeDepth::kFull,
          .temporary_root = TemporaryRoot(ready.out)};
}

// Grading takes minutes: what was edited, or built, meanwhile is not what the evidence names.
Status CheckUnchanged(const GradeServices& services, const Preparation& ready,
                      const PlannedCell& cell) {
  InputReader reader(services.input_places(ready.place.installation));
  ASSAY_ASSIGN_OR_RETURN(const CellInputs now, reader.Read(ready.place.root, cell.submission));
  if (const auto changes = ChangesBetween(cell.inputs, now); !changes.empty()) {
    return std::unexpected(Error{
        .kind = ErrorKind::kConfiguration,
        .where = ToString(IdOf(cell)),
        .cause = fmt::format("{} while it was graded, so nothing was kept of it", Summary(changes)),
        .remedy = "run the same command again"});
  }
  return services.check_stamp(reader, cell.submission.challenge);
}

bool LacksNvccFor(const Installation& installation, std::string_view challenge) {
  std::error_code ignored;
  return InstalledCuda().nvcc.empty() && !fs::exists(installation.Suite(challenge), ignored);
}

// Where evidence goes: a folder that is made if it is not there.
Result<fs::path> OutOf(const GradeOptions& options, const Workplace& place) {
  if (options.out.empty()) {
    return place.root;
  }
  std::error_code failure;
  fs::create_directories(options.out, failure);
  fs::path out = failure ? fs::path() : fs::canonical(options.out, failure);
  if (failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = options.out.string(),
                                 .cause = "--out cannot be made: " + failure.message(),
                                 .remedy = "name a folder that you may write"});
  }
  return out;
}

// None where evidence is not signed.
Result<std::optional<Attester>> AttesterOf(const GradeOptions& options, const Workplace& place) {
  if (options.attesting != Attesting::kOn) {
    return std::optional<Attester>();
  }
  return Attester::FromEnvironment(place.root);
}

struct CellsRun {
  RunSummary summary;
  Reasons reasons;
};

// Grades what is planned, and keeps the evidence of each cell when it is done.
CellsRun RunCells(const GradeOptions& options, const GradeServices& services,
                  const Preparation& ready, const fs::path& out,
                  const std::optional<Attester>& attester, Console& console) {
  CellsRun run;
  ProgressDisplay display(console, options.progress, ready.plan);
  const Grader grade = [&](const PlannedCell& cell, ProgressSink& sink) -> Result<Evidence> {
    ASSAY_ASSIGN_OR_RETURN(Evidence evidence, services.grade_cell(RequestFor(ready, cell), sink));
    display.SetReason(ReasonOf(evidence));
    run.reasons[IdOf(cell)] = ReasonOf(evidence);
    ASSAY_RETURN_IF_ERROR(CheckUnchanged(services, ready, cell));
    return evidence;
  };
  const Keeper keep = [&](const fs::path& root, const Evidence& evidence) -> Status {
    ASSAY_RETURN_IF_ERROR(SaveEvidence(root, evidence));
    return attester ? attester->Sign(root, evidence) : Status();
  };
  run.summary = RunPlan(out, ready.plan, grade, display, keep);
  return run;
}

}  // namespace

GradeServices RealGradeServices() {
  return {.detect_capabilities = &DetectCapabilities,
          .describe_environment = &DescribeEnvironment,
          .check_built = &CheckBuilt,
          .lacks_nvcc_for = &LacksNvccFor,
          .input_places = &InputPlacesOf,
          .check_stamp = &CheckBuildStamp,
          .free_bytes = &FreeBytesAt,
          .check_baselines = &CheckBaselines,
          .grade_cell = &GradeCell};
}

int RunGrade(const GradeOptions& options, const GradeServices& services, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  const auto failed = [&](const Errors& errors) {
    return ExitCodeAfterInterrupt(Fail(console, format, place->root, errors));
  };
  const auto out = OutOf(options, *place);
  if (!out) {
    return Fail(console, format, place->root, {out.error()});
  }
  const auto attester = AttesterOf(options, *place);
  if (!attester) {
    return failed({attester.error()});
  }
  const auto lock = LockRepository(*out, options.common, console);
  if (!lock) {
    return failed({lock.error()});
  }
  const auto ready = Prepare(options, services, *place, *out, console);
  if (!ready) {
    return failed(ready.error());
  }
  if (const Errors errors = CheckMachine(options, services, *ready, console); !errors.empty()) {
    return failed(errors);
  }
  // What reports publish until now: evidence at fault is the conclusion's to tell. With --out no
  // report is written.
  auto published = options.out.empty() ? LoadAllEvidence(*out) : StoredEvidence();
  if (!published) {
    return failed({published.error()});
  }
  const std::vector<Evidence> before = std::move(published->cells);
  const CellsRun run = RunCells(options, services, *ready, *out, *attester, console);
  if (InterruptSignal() != 0) {
    // Whoever pressed Ctrl-C wants the prompt back; the next run renders what was graded.
    return ExitCodeAfterInterrupt(
        options.out.empty() ? ConcludeWithoutReports(*ready, before, run.summary, run.reasons,
                                                     ErrorsOf(run.summary), format, console)
                            : ConcludeOut(*ready, run.summary, run.reasons, options, console));
  }
  const int exit_code = options.out.empty()
                            ? Conclude(*ready, before, run.summary, run.reasons, format, console)
                            : ConcludeOut(*ready, run.summary, run.reasons, options, console);
  const bool all_accepted = std::ranges::all_of(
      run.summary.outcomes, [](const CellOutcome& o) { return o.verdict == Verdict::kAccepted; });
  if (exit_code == 0 && options.gate == AcceptanceGate::kEveryCell && !all_accepted) {
    return static_cast<int>(ExitCode::kGateFailed);
  }
  return exit_code;
}

}  // namespace assay
