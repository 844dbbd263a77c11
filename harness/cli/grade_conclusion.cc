// SPDX-License-Identifier: Apache-2.0
#include "cli/grade_conclusion.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/cell_reason.h"
#include "cli/change_log.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/picture_files.h"
#include "cli/reports.h"
#include "cli/select_cells.h"
#include "exec/evidence_store.h"
#include "exec/input_changes.h"
#include "exec/report_files.h"
#include "report/report.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

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

/// What a run is to a program, as long as no report was written.
nlohmann::json RunToJson(const Preparation& ready, const RunSummary& summary,
                         const Reasons& reasons, const Errors& errors) {
  return {{"sandbox_level", ToString(ready.level)},
          {"sandbox_obstacle", ToString(ready.obstacle)},
          {"seed", ready.seed},
          {"cells", CellsToJson(ready, summary, reasons)},
          {"written", nlohmann::json::array()},
          {"removed", nlohmann::json::array()},
          {"errors", ErrorsToJson(RelativeTo(ready.place.root, errors))}};
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

void PrintChangesLogged(Console& console) {
  fmt::print(console.out, "wrote reports/{}: published numbers changed\n", kChangesPage);
}

/// Logs what evidence changed since `before`, as it is now.
Result<ChangesLogged> LogChangesSince(const Preparation& ready,
                                      const std::vector<Evidence>& before) {
  ASSAY_ASSIGN_OR_RETURN(const StoredEvidence now, LoadAllEvidence(ready.place.root));
  ASSAY_ASSIGN_OR_RETURN(const Challenges views, ReadViews(ready.repository));
  return LogChanges(ready.place.root, before, now.cells, views);
}

}  // namespace

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

int ConcludeWithoutReports(const Preparation& ready, const std::vector<Evidence>& before,
                           const RunSummary& summary, const Reasons& reasons, Errors errors,
                           OutputFormat format, Console& console) {
  Result<ChangesLogged> logged = ChangesLogged::kNo;
  if (std::ranges::any_of(summary.outcomes, &CellOutcome::evidence_written)) {
    logged = LogChangesSince(ready, before);
  }
  if (!logged && std::ranges::find(errors, logged.error()) == errors.end()) {
    errors.push_back(logged.error());
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump(RunToJson(ready, summary, reasons, errors));
    return errors.empty() ? 0 : static_cast<int>(ExitCodeOf(errors.front().kind));
  }
  PrintEvidenceWritten(summary, format, console);
  if (logged == ChangesLogged::kYes) {
    PrintChangesLogged(console);
  }
  return Fail(console, format, ready.place.root, errors);
}

int Conclude(const Preparation& ready, const std::vector<Evidence>& before,
             const RunSummary& summary, const Reasons& reasons, OutputFormat format,
             Console& console) {
  Errors errors = ErrorsOf(summary);
  auto inputs = ReadReportInputs(ready.place);
  if (!inputs) {
    // Evidence of other cells is at fault: what was graded is kept, and reports wait.
    errors.insert(errors.end(), inputs.error().begin(), inputs.error().end());
    return ConcludeWithoutReports(ready, before, summary, reasons, std::move(errors), format,
                                  console);
  }
  if (auto removed = RemoveUnusedInputs(ready.place.root, inputs->cells); !removed) {
    errors.push_back(std::move(removed).error());
  }
  const auto logged = LogChanges(ready.place.root, before, inputs->cells, inputs->challenges);
  if (!logged) {
    errors.push_back(logged.error());
  } else if (*logged == ChangesLogged::kYes && inputs->others.empty()) {
    inputs->others.push_back(ChangesPageEntry());  // Its first entry.
  }
  RenderedReports reports = RenderReports(*inputs);
  PictureFiles pictures = MakePictureFiles(ready.place.root, reports.pictures, InstalledDraw());
  errors.insert(errors.end(), pictures.errors.begin(), pictures.errors.end());
  reports.pages.merge(pictures.files);
  const auto changes =
      WriteReports(ready.place.root, {.files = std::move(reports.pages), .mark = kReportMark});
  if (!changes) {
    errors.push_back(changes.error());
  }
  const ReportChanges changed = changes.value_or(ReportChanges{});
  if (format == OutputFormat::kJson) {
    nlohmann::json document = RunToJson(ready, summary, reasons, errors);
    document["scoreboard"] =
        nlohmann::json::parse(ScoreboardJson(inputs->cells, inputs->challenges));
    document["written"] = changed.written;
    document["removed"] = changed.removed;
    console.out << Dump(document);
    return errors.empty() ? 0 : static_cast<int>(ExitCodeOf(errors.front().kind));
  }
  console.out << "\n" << RenderScoreboardText(inputs->cells, inputs->challenges) << "\n";
  PrintEvidenceWritten(summary, format, console);
  if (logged == ChangesLogged::kYes) {
    PrintChangesLogged(console);
  }
  for (const std::string& file : changed.written) {
    fmt::print(console.out, "wrote reports/{}\n", file);
  }
  for (const std::string& file : changed.removed) {
    fmt::print(console.out, "removed reports/{}, which comes from no evidence\n", file);
  }
  return Fail(console, format, ready.place.root, errors);
}

int ConcludeOut(const Preparation& ready, const RunSummary& summary, const Reasons& reasons,
                const GradeOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const Errors errors = ErrorsOf(summary);
  if (format == OutputFormat::kJson) {
    nlohmann::json document = RunToJson(ready, summary, reasons, errors);
    document["written"] = EvidenceWritten(summary, options.out);
    console.out << Dump(document);
    return errors.empty() ? 0 : static_cast<int>(ExitCodeOf(errors.front().kind));
  }
  PrintEvidenceWritten(summary, format, console, options.out);
  fmt::print(console.out, "assay merge {} takes it into a repository's reports\n",
             options.out.string());
  return Fail(console, format, ready.place.root, errors);
}

}  // namespace assay
