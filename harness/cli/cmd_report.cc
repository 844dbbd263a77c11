// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "cli/attestations.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/picture_files.h"
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

nlohmann::json UnsoundToJson(const ReportInputs& inputs) {
  return ErrorsToJson(RelativeTo(inputs.root, FaultsOf(inputs.unsound)));
}

/// Says what evidence does not hold, and that reports do without it. How the command ends so far.
int TellUnsound(const ReportInputs& inputs, OutputFormat format, Console& console) {
  if (inputs.unsound.empty()) {
    return static_cast<int>(ExitCode::kDone);
  }
  if (format == OutputFormat::kText) {
    (void)Fail(console, format, inputs.root, FaultsOf(inputs.unsound));
    fmt::print(console.err, "assay: {} cell{} in no ranking, since the evidence does not hold\n",
               inputs.unsound.size(), inputs.unsound.size() == 1 ? " is" : "s are");
  }
  return static_cast<int>(ExitCode::kGateFailed);
}

void PrintDifference(const ReportDifference& difference, const ReportInputs& inputs,
                     Console& console) {
  const auto print = [&console](const std::vector<std::string>& paths, std::string_view says) {
    for (const std::string& path : paths) {
      fmt::print(console.err, "assay: reports/{}: {}\n", path, says);
    }
  };
  if (inputs.unsound.empty()) {
    print(difference.missing, "is missing; run assay report");
    print(difference.changed, "differs from what evidence gives; run assay report");
    print(difference.stale, "comes from no evidence; run assay report to remove it");
  } else if (const std::size_t others =
                 difference.missing.size() + difference.changed.size() + difference.stale.size();
             others > 0) {
    // Most are as they should be once the evidence is: to name them all would hide what is wrong.
    fmt::print(console.err,
               "assay: {} file{} of reports/ differ{} from what is left of the evidence; set the "
               "evidence right first, then run assay report\n",
               others, others == 1 ? "" : "s", others == 1 ? "s" : "");
  }
  print(difference.in_the_way,
        "is in the way of a report, and was not written by Assay; move it elsewhere");
}

int Check(const ReportInputs& inputs, const ReportFiles& wanted, const PictureFiles& pictures,
          const std::vector<CellAttestation>& attestations, OutputFormat format, Console& console) {
  const auto difference = CompareReports(inputs.root, wanted);
  const auto outdated = OutdatedCells(inputs);
  if (!difference || !outdated) {
    return Fail(console, format, inputs.root, {difference ? outdated.error() : difference.error()});
  }
  const bool same = difference->IsNone() && outdated->empty();
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"missing", difference->missing},
                         {"changed", difference->changed},
                         {"stale", difference->stale},
                         {"in_the_way", difference->in_the_way},
                         {"foreign", difference->foreign},
                         {"outdated", *outdated},
                         {"undrawn", pictures.undrawn},
                         {"errors", ErrorsToJson(pictures.errors)},
                         {"unsound", UnsoundToJson(inputs)},
                         {"signatures", AttestationsToJson(attestations)}});
  } else if (same) {
    fmt::print(console.out, "reports/ is what its evidence gives: {} files\n", wanted.files.size());
  }
  if (format == OutputFormat::kText) {
    PrintDifference(*difference, inputs, console);
    for (const std::string& cell : *outdated) {
      fmt::print(console.err, "assay: {}: {}; run assay grade {}\n",
                 EvidencePath("", ParseCell(cell)).string(),
                 "is of a submission that changed or is gone", cell);
    }
  }
  return static_cast<int>(same ? ExitCode::kDone : ExitCode::kGateFailed);
}

int Write(const ReportInputs& inputs, const ReportFiles& wanted, const PictureFiles& pictures,
          const std::vector<CellAttestation>& attestations, OutputFormat format, Console& console) {
  const auto changes = WriteReports(inputs.root, wanted);
  if (!changes) {
    return Fail(console, format, inputs.root, {changes.error()});
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"rendered", wanted.files.size()},
                         {"written", changes->written},
                         {"removed", changes->removed},
                         {"undrawn", pictures.undrawn},
                         {"errors", ErrorsToJson(pictures.errors)},
                         {"unsound", UnsoundToJson(inputs)},
                         {"signatures", AttestationsToJson(attestations)}});
    return static_cast<int>(ExitCode::kDone);
  }
  for (const std::string& path : changes->written) {
    fmt::print(console.out, "reports/{}\n", path);
  }
  for (const std::string& path : changes->removed) {
    fmt::print(console.out, "reports/{}: removed, comes from no evidence\n", path);
  }
  fmt::print(console.out, "{} of {} files in reports/ changed, {} removed\n",
             changes->written.size(), wanted.files.size(), changes->removed.size());
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
  const auto inputs = ReadReportInputs(*place, Unsound::kSetAside);
  if (!inputs) {
    return Fail(console, format, place->root, inputs.error());
  }
  const std::vector<CellAttestation>& attestations = inputs->attestations;
  if (const int exit_code = CheckSigned(attestations, options.gate, console); exit_code != 0) {
    if (format == OutputFormat::kJson) {
      console.out << Dump(
          {{"unsound", UnsoundToJson(*inputs)}, {"signatures", AttestationsToJson(attestations)}});
    } else {
      (void)Fail(console, format, place->root, FaultsOf(inputs->unsound));
    }
    return exit_code;
  }
  if (format == OutputFormat::kText) {
    PrintAttestations(place->root, attestations, console);
  }
  RenderedReports reports = RenderReports(*inputs);
  ReportFiles wanted{.files = std::move(reports.pages), .mark = kReportMark};
  if (options.mode == ReportMode::kCheck) {
    PictureFiles expected = ExpectedPictureFiles(place->root, reports.pictures, InstalledDraw());
    wanted.files.merge(expected.files);
    const int of_evidence = TellUnsound(*inputs, format, console);
    const int exit_code = Check(*inputs, wanted, expected, attestations, format, console);
    const int of_pictures = TellUndrawn(expected, format, place->root, console);
    return std::max({exit_code, of_evidence, of_pictures});
  }
  PictureFiles pictures = MakePictureFiles(place->root, reports.pictures, InstalledDraw());
  wanted.files.merge(pictures.files);
  const int exit_code = Write(*inputs, wanted, pictures, attestations, format, console);
  const int of_evidence = TellUnsound(*inputs, format, console);
  if (exit_code != 0 || of_evidence != 0) {
    return exit_code != 0 ? exit_code : of_evidence;
  }
  return TellUndrawn(pictures, format, place->root, console);
}

}  // namespace assay
