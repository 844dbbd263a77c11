// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "cli/attestations.h"
#include "cli/cell_reason.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/progress_display.h"
#include "cli/reports.h"
#include "cli/seed.h"
#include "cli/select_cells.h"
#include "exec/attestation.h"
#include "exec/build_stamp.h"
#include "exec/evidence_store.h"
#include "exec/input_changes.h"
#include "exec/report_files.h"
#include "exec/repository_lock.h"
#include "exec/shard.h"
#include "process/interrupt.h"
#include "report/report.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// All that a run of `grade` has found out before it grades.
struct Preparation {
  Workplace place;
  fs::path out;  ///< Below it evidence is written: the repository, or --out.
  Repository repository;
  SandboxLevel level = SandboxLevel::kFull;
  std::uint64_t seed = 0;
  std::vector<PlannedCell> plan;
  Obstacle obstacle = Obstacle::kNothing;  ///< What keeps the sandbox from level full.
};

Status CheckAllBuilt(const GradeServices& services, const Installation& installation,
                     const std::vector<CellId>& cells) {
  std::set<std::string> challenges;
  for (const CellId& cell : cells) {
    if (challenges.insert(cell.challenge).second) {
      ASSAY_RETURN_IF_ERROR(services.check_built(installation, cell.challenge));
    }
  }
  return {};
}

// Before minutes are spent on the cells of `plan` that are to be graded.
Status CheckCanGrade(const GradeServices& services, const fs::path& root,
                     const std::vector<PlannedCell>& plan, InputReader& reader) {
  std::set<std::string> challenges;
  for (const PlannedCell& cell : plan) {
    if (cell.reason.empty()) {
      continue;
    }
    ASSAY_RETURN_IF_ERROR(CheckEvidenceWritable(root, IdOf(cell)));
    if (challenges.insert(cell.submission.challenge).second) {
      ASSAY_RETURN_IF_ERROR(services.check_stamp(reader, cell.submission.challenge));
    }
  }
  return {};
}

Checked<Preparation> Prepare(const GradeOptions& options, const GradeServices& services,
                             const Workplace& place, const fs::path& out, Console& console) {
  const auto fail = [](Error error) { return std::unexpected(Errors{std::move(error)}); };
  LoadedRepository loaded = LoadRepository(place.root, place.installation.sources);
  auto cells = SelectCells(loaded, options.cells);
  if (!cells) {
    return std::unexpected(cells.error());
  }
  Preparation ready{.place = place,
                    .out = out,
                    .repository = std::move(loaded.repository),
                    .seed = options.seed.value_or(FreshSeed()),
                    .plan = {}};
  InputReader reader(services.input_places(place.installation));
  if (options.shard) {
    auto loads = LoadsOf(ready.repository, *cells, reader);
    if (!loads) {
      return fail(std::move(loads).error());
    }
    cells = CellsOfShard(*std::move(loads), *options.shard);
  }
  if (auto built = CheckAllBuilt(services, place.installation, *cells); !built) {
    return fail(std::move(built).error());
  }
  const SandboxCapabilities capabilities = services.detect_capabilities();
  const auto level = ChooseLevel(capabilities, options.sandbox, options.required_sandbox);
  if (!level) {
    return fail(level.error());
  }
  if (options.attesting == Attesting::kOn && *level == SandboxLevel::kNone) {
    return fail({.kind = ErrorKind::kSandbox,
                 .where = {},
                 .cause = "--attest at sandbox level none: a submission could read the key",
                 .remedy = "grade in a sandbox; assay doctor says what this machine lacks"});
  }
  ready.level = *level;
  ready.obstacle = capabilities.obstacle;
  if (ready.level != SandboxLevel::kFull) {
    fmt::print(console.err, "assay: the sandbox is at level {}, not full{}{}\n",
               ToString(ready.level),
               capabilities.next_level.empty() ? "" : "; for more: ", capabilities.next_level);
  }
  const auto environment = services.describe_environment(ready.level, ready.seed);
  if (!environment) {
    return fail(environment.error());
  }
  auto plan = PlanCells(ready.repository, *cells, reader, *environment, options.reuse, options.seed,
                        out == place.root ? fs::path() : out);
  if (!plan) {
    return fail(plan.error());
  }
  if (auto trusted = DistrustUnsigned(options.attesting, place.root, out, *plan); !trusted) {
    return fail(std::move(trusted).error());
  }
  if (auto can = CheckCanGrade(services, out, *plan, reader); !can) {
    return fail(std::move(can).error());
  }
  ready.plan = std::move(*plan);
  return ready;
}

// Whether this machine can grade the cells of the plan that are to be graded: has room, and
// compiles what compiled elsewhere. That it does not must never look like a submission's fault.
Errors CheckMachine(const GradeOptions& options, const GradeServices& services,
                    const Preparation& ready, Console& console) {
  std::vector<const SubmissionSpec*> submissions;
  for (const PlannedCell& cell : ready.plan) {
    if (!cell.reason.empty()) {
      submissions.push_back(&cell.submission);
    }
  }
  if (submissions.empty()) {
    return {};
  }
  if (auto room = CheckRoomToGrade(StateDirectory(ready.out), services.free_bytes); !room) {
    return {std::move(room).error()};
  }
  const BaselineCheckSettings settings{
      .root = ready.out, .installation = ready.place.installation, .level = ready.level};
  const auto say = [&](const std::string& challenge) {
    if (options.progress == ProgressStyle::kShown) {
      fmt::print(console.err, "checking this machine: compiling the baseline of {}\n", challenge);
    }
  };
  Errors errors;
  for (const auto& check :
       services.check_baselines(settings, BaselinesFor(ready.repository, submissions), say)) {
    if (!check) {
      errors.push_back(check.error());
    }
  }
  return errors;
}

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

std::string_view ToString(CellOutcome::Action action) {
  switch (action) {
    case CellOutcome::Action::kReused:
      return "reused";
    case CellOutcome::Action::kGraded:
      return "graded";
    case CellOutcome::Action::kFailed:
      break;
  }
  return "failed";
}

// The errors of a run: what stopped it, or the cells that failed by our fault.
Errors ErrorsOf(const RunSummary& summary) {
  Errors errors;
  if (summary.stopped) {
    errors.push_back(*summary.stopped);
  }
  for (const CellOutcome& outcome : summary.outcomes) {
    if (outcome.error) {
      Error error = *outcome.error;
      error.cause = fmt::format("{} failed by our fault: {}", ToString(outcome.cell), error.cause);
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

// Why cells that were graded are not accepted.
using Reasons = std::map<CellId, std::string>;

std::string DetailOf(const PlannedCell& cell, const Reasons& reasons) {
  const auto at = reasons.find(IdOf(cell));
  return at != reasons.end() ? at->second : cell.evidence ? ReasonOf(*cell.evidence) : "";
}

nlohmann::json CellsToJson(const Preparation& ready, const RunSummary& summary,
                           const Reasons& reasons) {
  nlohmann::json cells = nlohmann::json::array();
  for (std::size_t i = 0; i < summary.outcomes.size(); ++i) {
    const CellOutcome& outcome = summary.outcomes[i];
    cells.push_back({{"model", outcome.cell.model},
                     {"challenge", outcome.cell.challenge},
                     {"action", ToString(outcome.action)},
                     {"reason", ready.plan[i].reason},
                     {"changes", ready.plan[i].changes},
                     {"verdict", ToString(outcome.verdict)},
                     {"detail", DetailOf(ready.plan[i], reasons)},
                     {"seconds", outcome.seconds}});
  }
  return cells;
}

/// The evidence that the run wrote, below `folder` as a person knows it.
std::vector<std::string> EvidenceWritten(const RunSummary& summary, const fs::path& folder) {
  std::vector<std::string> written;
  for (const CellOutcome& outcome : summary.outcomes) {
    if (outcome.evidence_written) {
      written.push_back(EvidencePath(folder, outcome.cell).string());
    }
  }
  return written;
}

void PrintEvidenceWritten(const RunSummary& summary, OutputFormat format, Console& console,
                          const fs::path& folder = {}) {
  for (const std::string& file : EvidenceWritten(summary, folder)) {
    if (format == OutputFormat::kText) {
      fmt::print(console.out, "wrote {}\n", file);
    }
  }
}

// Evidence went to --out: reports are of a repository, and wait for `assay merge`.
int ConcludeOut(const Preparation& ready, const RunSummary& summary, const Reasons& reasons,
                const GradeOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const Errors errors = ErrorsOf(summary);
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"sandbox_level", ToString(ready.level)},
                         {"sandbox_obstacle", ToString(ready.obstacle)},
                         {"seed", ready.seed},
                         {"cells", CellsToJson(ready, summary, reasons)},
                         {"written", EvidenceWritten(summary, options.out)},
                         {"removed", nlohmann::json::array()},
                         {"errors", ErrorsToJson(RelativeTo(ready.place.root, errors))}});
    return errors.empty() ? 0 : static_cast<int>(ExitCodeOf(errors.front().kind));
  }
  PrintEvidenceWritten(summary, format, console, options.out);
  fmt::print(console.out, "assay merge {} takes it into a repository's reports\n",
             options.out.string());
  return Fail(console, format, ready.place.root, errors);
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

// Renders all reports and prints the scoreboard, the files written and `errors`.
int Conclude(const Preparation& ready, const RunSummary& summary, const Reasons& reasons,
             OutputFormat format, Console& console) {
  Errors errors = ErrorsOf(summary);
  const auto inputs = ReadReportInputs(ready.place);
  if (!inputs) {
    // Evidence of other cells is at fault: what was graded is kept, and reports wait.
    errors.insert(errors.end(), inputs.error().begin(), inputs.error().end());
    PrintEvidenceWritten(summary, format, console);
    return Fail(console, format, ready.place.root, errors);
  }
  const auto attestations = ReadAttestations(ready.place.root, inputs->cells);
  const Errors refused =
      attestations ? RefusedSignatures(*attestations) : Errors{attestations.error()};
  if (!refused.empty()) {
    errors.insert(errors.end(), refused.begin(), refused.end());
    PrintEvidenceWritten(summary, format, console);
    return Fail(console, format, ready.place.root, errors);
  }
  if (auto removed = RemoveUnusedInputs(ready.place.root, inputs->cells); !removed) {
    errors.push_back(std::move(removed).error());
  }
  const auto changes =
      WriteReports(ready.place.root,
                   {.files = RenderAll(inputs->cells, inputs->challenges), .mark = kReportMark});
  if (!changes) {
    errors.push_back(changes.error());
  }
  const ReportChanges changed = changes.value_or(ReportChanges{});
  if (format == OutputFormat::kJson) {
    console.out << Dump(
        {{"sandbox_level", ToString(ready.level)},
         {"sandbox_obstacle", ToString(ready.obstacle)},
         {"seed", ready.seed},
         {"cells", CellsToJson(ready, summary, reasons)},
         {"scoreboard", nlohmann::json::parse(ScoreboardJson(inputs->cells, inputs->challenges))},
         {"written", changed.written},
         {"removed", changed.removed},
         {"errors", ErrorsToJson(RelativeTo(ready.place.root, errors))}});
    return errors.empty() ? 0 : static_cast<int>(ExitCodeOf(errors.front().kind));
  }
  console.out << "\n" << RenderScoreboardText(inputs->cells, inputs->challenges) << "\n";
  PrintEvidenceWritten(summary, format, console);
  for (const std::string& file : changed.written) {
    fmt::print(console.out, "wrote reports/{}\n", file);
  }
  for (const std::string& file : changed.removed) {
    fmt::print(console.out, "removed reports/{}, which comes from no evidence\n", file);
  }
  return Fail(console, format, ready.place.root, errors);
}

}  // namespace

GradeServices RealGradeServices() {
  return {.detect_capabilities = &DetectCapabilities,
          .describe_environment = &DescribeEnvironment,
          .check_built = &CheckBuilt,
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
  const auto out = OutOf(options, *place);
  if (!out) {
    return Fail(console, format, place->root, {out.error()});
  }
  std::optional<Attester> attester;
  if (options.attesting == Attesting::kOn) {
    auto made = Attester::FromEnvironment(place->root);
    if (!made) {
      return ExitCodeAfterInterrupt(Fail(console, format, place->root, {made.error()}));
    }
    attester = *std::move(made);
  }
  const auto lock = LockRepository(*out, options.common, console);
  if (!lock) {
    return ExitCodeAfterInterrupt(Fail(console, format, place->root, {lock.error()}));
  }
  const auto ready = Prepare(options, services, *place, *out, console);
  if (!ready) {
    return ExitCodeAfterInterrupt(Fail(console, format, place->root, ready.error()));
  }
  if (const Errors errors = CheckMachine(options, services, *ready, console); !errors.empty()) {
    return ExitCodeAfterInterrupt(Fail(console, format, place->root, errors));
  }
  RunSummary summary;
  Reasons reasons;
  {
    ProgressDisplay display(console, options.progress, ready->plan);
    const Grader grade = [&](const PlannedCell& cell, ProgressSink& sink) -> Result<Evidence> {
      ASSAY_ASSIGN_OR_RETURN(Evidence evidence,
                             services.grade_cell(RequestFor(*ready, cell), sink));
      display.SetReason(ReasonOf(evidence));
      reasons[IdOf(cell)] = ReasonOf(evidence);
      ASSAY_RETURN_IF_ERROR(CheckUnchanged(services, *ready, cell));
      return evidence;
    };
    const Keeper keep = [&](const fs::path& root, const Evidence& evidence) -> Status {
      ASSAY_RETURN_IF_ERROR(SaveEvidence(root, evidence));
      return attester ? attester->Sign(root, evidence) : Status();
    };
    summary = RunPlan(*out, ready->plan, grade, display, keep);
  }
  if (InterruptSignal() != 0) {
    // Whoever pressed Ctrl-C wants the prompt back; the next run renders what was graded.
    return ExitCodeAfterInterrupt(Fail(console, format, place->root, ErrorsOf(summary)));
  }
  const int exit_code = options.out.empty()
                            ? Conclude(*ready, summary, reasons, format, console)
                            : ConcludeOut(*ready, summary, reasons, options, console);
  const bool all_accepted = std::ranges::all_of(
      summary.outcomes, [](const CellOutcome& o) { return o.verdict == Verdict::kAccepted; });
  if (exit_code == 0 && options.gate == AcceptanceGate::kEveryCell && !all_accepted) {
    return static_cast<int>(ExitCode::kGateFailed);
  }
  return exit_code;
}

}  // namespace assay
