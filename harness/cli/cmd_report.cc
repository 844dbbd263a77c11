// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/reports.h"
#include "cli/select_cells.h"
#include "exec/inputs.h"
#include "exec/report_files.h"
#include "exec/repository_lock.h"
#include "report/report.h"

namespace assay {
namespace {

// Cells whose submission changed after it was graded, or is gone: their evidence is of the past.
Result<std::vector<std::string>> OutdatedCells(const ReportInputs& inputs) {
  std::vector<std::string> outdated;
  for (const Evidence& evidence : inputs.cells) {
    const CellId cell{evidence.model, evidence.challenge};
    const SubmissionSpec* const submission = FindSubmission(inputs.repository, cell);
    if (submission == nullptr) {
      outdated.push_back(ToString(cell));
      continue;
    }
    ASSAY_ASSIGN_OR_RETURN(const FileDigests now, ReadSubmissionInputs(inputs.root, *submission));
    if (Sha256(ToText(now)) != evidence.digests.submission) {
      outdated.push_back(ToString(cell));
    }
  }
  return outdated;
}

int Check(const ReportInputs& inputs, const RenderedFiles& files, OutputFormat format,
          Console& console) {
  const auto difference = CompareReports(inputs.root, files);
  const auto outdated = OutdatedCells(inputs);
  if (!difference || !outdated) {
    return Fail(console, format, inputs.root, {difference ? outdated.error() : difference.error()});
  }
  const bool same = *difference == ReportDifference{} && outdated->empty();
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"missing", difference->missing},
                         {"changed", difference->changed},
                         {"stale", difference->stale},
                         {"outdated", *outdated}});
  } else if (same) {
    fmt::print(console.out, "reports/ is what its evidence gives: {} files\n", files.size());
  }
  if (format == OutputFormat::kText) {
    const auto print = [&console](const std::vector<std::string>& paths, std::string_view says) {
      for (const std::string& path : paths) {
        fmt::print(console.err, "assay: reports/{}: {}\n", path, says);
      }
    };
    print(difference->missing, "is missing; run assay report");
    print(difference->changed, "differs from what evidence gives; run assay report");
    print(difference->stale, "comes from no evidence; run assay report to remove it");
    for (const std::string& cell : *outdated) {
      fmt::print(console.err, "assay: {}: {}; run assay grade {}\n",
                 EvidencePath("", ParseCell(cell)).string(),
                 "is of a submission that changed or is gone", cell);
    }
  }
  return static_cast<int>(same ? ExitCode::kDone : ExitCode::kGateFailed);
}

int Write(const ReportInputs& inputs, const RenderedFiles& files, OutputFormat format,
          Console& console) {
  const auto written = WriteReports(inputs.root, files);
  if (!written) {
    return Fail(console, format, inputs.root, {written.error()});
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"rendered", files.size()}, {"written", *written}});
    return static_cast<int>(ExitCode::kDone);
  }
  for (const std::string& path : *written) {
    fmt::print(console.out, "reports/{}\n", path);
  }
  fmt::print(console.out, "{} of {} files in reports/ changed\n", written->size(), files.size());
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

int RunReport(const ReportOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  std::optional<RepositoryLock> held;
  if (options.mode == ReportMode::kWrite) {
    // Before evidence is read: what another process writes now belongs in these reports.
    auto lock = LockRepository(place->root, options.common, console);
    if (!lock) {
      return ExitCodeAfterInterrupt(Fail(console, format, place->root, {lock.error()}));
    }
    held = *std::move(lock);
  }
  const auto inputs = ReadReportInputs(*place);
  if (!inputs) {
    return Fail(console, format, place->root, inputs.error());
  }
  const RenderedFiles files = RenderAll(inputs->cells, inputs->challenges);
  return options.mode == ReportMode::kCheck ? Check(*inputs, files, format, console)
                                            : Write(*inputs, files, format, console);
}

}  // namespace assay
