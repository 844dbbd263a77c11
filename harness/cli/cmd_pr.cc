// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/pr_cells.h"
#include "cli/pr_roots.h"
#include "cli/reports.h"
#include "exec/git.h"
#include "exec/repository_lock.h"
#include "pr/assess.h"
#include "pr/paths.h"
#include "pr/result_set.h"
#include "report/plain_text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPathsNamed = 5;

/// A change that is ready to be graded.
struct PreparedChange {
  Workplace place;
  PrRoots roots;
  FoundChange found;
};

Result<PreparedChange> Prepare(const PrOptions& options, const GradeServices& services,
                               const Workplace& place) {
  ASSAY_ASSIGN_OR_RETURN(const GitReader git, GitReader::Open(place.root));
  ASSAY_ASSIGN_OR_RETURN(const GitChange change, ReadGitChange(git, options));
  ASSAY_ASSIGN_OR_RETURN(PrRoots roots,
                         WriteRoots(git, change, options.judge, TemporaryRoot(place.root)));
  ASSAY_ASSIGN_OR_RETURN(FoundChange found,
                         FindCells(change, roots, options, services, place.installation));
  found.change.assay_version = ASSAY_VERSION;
  if (options.reach == ChangeReach::kOneModel) {
    found.change.refusals =
        RefusalsFor(found.change.models, found.change.outside, options.only_model);
  }
  if (options.head == "HEAD") {
    ASSAY_ASSIGN_OR_RETURN(std::vector<std::string> paths, git.UncommittedPaths());
    std::erase_if(paths, [](const std::string& path) { return !path.starts_with("submissions/"); });
    if (!paths.empty()) {
      found.change.notes.push_back(fmt::format(
          "Not committed, and so not graded: {}{}", paths.front(),
          paths.size() > 1 ? fmt::format(", and {} more", paths.size() - 1) : std::string()));
    }
  }
  return PreparedChange{.place = place, .roots = std::move(roots), .found = std::move(found)};
}

Status CheckJudges(const PreparedChange& ready, const GradeServices& services) {
  const Change& change = ready.found.change;
  const std::string whose = change.judge == JudgeOf::kBase
                                ? fmt::format("the base ({})", change.base)
                                : fmt::format("the change ({})", change.head);
  const Installation installation = InstallationFor(ready.place.installation, ready.roots.graded);
  std::set<std::string> checked;
  for (const std::string& word : CellsToGrade(change)) {
    const std::string challenge = word.substr(word.find('/') + 1);
    if (checked.insert(challenge).second) {
      ASSAY_RETURN_IF_ERROR(
          CheckJudge(services, installation, ready.roots.graded, challenge, whose));
    }
  }
  return {};
}

// What is known of the machine is kept in the clone: the throw-away root forgets it.
GradeServices KeepingChecksIn(const fs::path& root, GradeServices services) {
  services.check_baselines = [root, check = std::move(services.check_baselines)](
                                 BaselineCheckSettings settings, const auto&... rest) {
    settings.root = root;
    return check(settings, rest...);
  };
  return services;
}

/// What came of grading, but for the evidence that it left in the throw-away root.
struct GradeRun {
  int exit_code = static_cast<int>(ExitCode::kDone);
  nlohmann::json errors = nlohmann::json::array();  ///< Where a program reads; a person has them.
};

// Grades in the throw-away root, as `assay grade` would there. What it prints as results is of
// that root, and nobody's to read.
GradeRun GradeCells(const PrOptions& options, const GradeServices& services,
                    const PreparedChange& ready, Console& console) {
  const std::vector<std::string> cells = CellsToGrade(ready.found.change);
  if (cells.empty() || !ready.found.change.refusals.empty()) {
    return {};
  }
  std::ostringstream results;
  Console quiet{.out = results,
                .err = console.err,
                .error_stream = console.error_stream,
                .columns = console.columns};
  const OutputFormat format = options.common.format;
  const GradeOptions grade{.common = {.root = ready.roots.graded, .format = format},
                           .cells = cells,
                           .reuse = Reuse::kNever,
                           .seed = options.seed,
                           .sandbox = options.sandbox,
                           .required_sandbox = options.required_sandbox,
                           .progress = options.progress};
  const auto judges = CheckJudges(ready, services);
  GradeRun run;
  run.exit_code = judges ? RunGrade(grade, KeepingChecksIn(ready.place.root, services), quiet)
                         : Fail(quiet, format, ready.place.root, {judges.error()});
  if (format == OutputFormat::kJson) {
    run.errors = nlohmann::json::parse(results.str()).at("errors");
  }
  return run;
}

void TakeEvidence(const std::vector<Evidence>& cells, Change& change) {
  for (ChangedCell& cell : change.cells) {
    const auto found = std::ranges::find_if(cells, [&](const Evidence& evidence) {
      return evidence.model == cell.cell.model && evidence.challenge == cell.cell.challenge;
    });
    if (found != cells.end()) {
      cell.after = *found;
      change.sandbox_level = found->environment.sandbox_level;
      change.seed = found->environment.seed;
    }
  }
}

// Whether every cell that can be graded was. A machine on which the baseline does not compile
// grades none.
bool IsGraded(const Change& change) {
  return !change.refusals.empty() || std::ranges::all_of(change.cells, [](const ChangedCell& cell) {
    return cell.after || cell.change == CellChange::kRemoved || !cell.faults.empty();
  });
}

Result<std::vector<std::string>> WriteResults(const fs::path& out, const Change& change,
                                              const Assessment& assessment) {
  const std::array<std::pair<std::string, std::string>, 6> files = {
      {{"comment.md", CommentMarkdown(change, assessment)},
       {"summary.md", SummaryMarkdown(change, assessment)},
       {"junit.xml", JUnitXml(assessment)},
       {"results.sarif", SarifJson(change, assessment)},
       {"results.jsonl", ResultsJsonl(change, assessment)},
       {"annotations.txt", AnnotationLines(assessment)}}};
  std::vector<std::string> written;
  for (const auto& [name, content] : files) {
    ASSAY_RETURN_IF_ERROR(WriteFileAtomically(out / name, content));
    written.push_back((out / name).string());
  }
  return written;
}

nlohmann::json ToJson(const Change& change, const Assessment& assessment,
                      const std::vector<std::string>& written, const nlohmann::json& errors) {
  nlohmann::json cells = nlohmann::json::array();
  for (const std::string& line : SplitLines(ResultsJsonl(change, assessment))) {
    cells.push_back(nlohmann::json::parse(line));
  }
  return {{"verdict_line", VerdictLine(assessment)},
          {"gate_holds", assessment.gate_holds},
          {"refusals", change.refusals},
          {"graded", assessment.graded},
          {"accepted", assessment.accepted},
          {"judge_errors", assessment.judge_errors},
          {"base_commit", change.base_commit},
          {"head_commit", change.head_commit},
          {"cells", std::move(cells)},
          {"outside", change.outside},
          {"notes", change.notes},
          {"written", written},
          {"errors", errors}};
}

std::string ToText(const Change& change, const Assessment& assessment,
                   const std::vector<std::string>& written) {
  std::string text = change.refusals.empty() ? VerdictLine(assessment) + "\n" : "refused\n";
  for (const std::string& refusal : change.refusals) {
    text += fmt::format("  {}\n", PlainLine(refusal));
  }
  for (const AssessedCell& cell : assessment.cells) {
    text +=
        fmt::format("  {}: {}{}\n", ToString(cell.cell->cell),
                    cell.cell->change == CellChange::kRemoved ? "removed"
                    : cell.after                              ? ToString(*cell.after)
                                                              : std::string_view("not graded"),
                    cell.gate_failure.empty() ? "" : ", and fails the gate: " + cell.gate_failure);
    for (const Error& fault : cell.cell->faults) {
      text += fmt::format("    {}\n", PlainLine(ToString(fault)));
    }
  }
  if (!change.reached.empty()) {
    text += fmt::format("not graded: {} more cells, whose judge the change touches ({})\n",
                        change.reached.size(), PlainLine(change.reached.front().why));
  }
  for (std::size_t i = 0; i < std::min(kPathsNamed, change.outside.size()); ++i) {
    text += fmt::format("in no model's folder: {}\n", PlainLine(change.outside[i]));
  }
  for (const std::string& note : change.notes) {
    text += PlainLine(note) + "\n";
  }
  text += assessment.gate_holds ? "the gate holds\n" : "the gate fails\n";
  for (const std::string& file : written) {
    text += fmt::format("wrote {}\n", file);
  }
  return text;
}

// A program has what went wrong from here alone; a person was told when it did.
int EndWithoutResults(const GradeRun& run, int exit_code, OutputFormat format, Console& console) {
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"errors", run.errors}});
  }
  return exit_code;
}

// Scores, writes and prints what came of it.
int Conclude(const PrOptions& options, const GradeRun& run, PreparedChange& ready,
             Console& console) {
  const OutputFormat format = options.common.format;
  const Workplace graded{
      .root = ready.roots.graded,
      .installation = InstallationFor(ready.place.installation, ready.roots.graded)};
  auto inputs = ReadReportInputs(graded);
  if (!inputs) {
    return Fail(console, format, ready.roots.graded, inputs.error());
  }
  Change& change = ready.found.change;
  TakeEvidence(inputs->cells, change);
  if (!IsGraded(change)) {
    return EndWithoutResults(run, static_cast<int>(ExitCode::kJudgeError), format, console);
  }
  const Assessment assessment =
      Assess(change, inputs->challenges, ready.found.before, inputs->cells, options.gate);
  const fs::path out = options.out.empty() ? StateDirectory(ready.place.root) / "pr" : options.out;
  const auto written = WriteResults(out, change, assessment);
  if (!written) {
    return Fail(console, format, ready.place.root, {written.error()});
  }
  console.out << (format == OutputFormat::kJson
                      ? Dump(ToJson(change, assessment, *written, run.errors))
                      : ToText(change, assessment, *written));
  if (assessment.judge_errors > 0) {
    return static_cast<int>(ExitCode::kJudgeError);
  }
  return static_cast<int>(assessment.gate_holds ? ExitCode::kDone : ExitCode::kGateFailed);
}

int GradeChange(const Workplace& place, const PrOptions& options, const GradeServices& services,
                Console& console) {
  const OutputFormat format = options.common.format;
  auto ready = Prepare(options, services, place);
  if (!ready) {
    return ExitCodeAfterInterrupt(Fail(console, format, place.root, {ready.error()}));
  }
  const GradeRun run = GradeCells(options, services, *ready, console);
  // That a cell failed by our fault is in its evidence, and a result; all else is none.
  if (run.exit_code != static_cast<int>(ExitCode::kDone) &&
      run.exit_code != static_cast<int>(ExitCode::kJudgeError)) {
    return EndWithoutResults(run, run.exit_code, format, console);
  }
  return ExitCodeAfterInterrupt(Conclude(options, run, *ready, console));
}

}  // namespace

int RunPr(const PrOptions& options, const GradeServices& services, Console& console) {
  return InLockedWorkplace(options.common, console, [&](const Workplace& place) {
    return GradeChange(place, options, services, console);
  });
}

}  // namespace assay
