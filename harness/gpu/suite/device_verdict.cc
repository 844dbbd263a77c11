// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/device_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/add_once.h"
#include "base/text.h"
#include "client/results.h"
#include "emulator/report/cuda_error.h"
#include "emulator/report/sanitizer_text.h"
#include "emulator/report/text_format.h"
#include "emulator/report/words.h"

namespace assay::gpu {
namespace {

bool IsLack(const Finding& finding) { return finding.kind == FindingKind::kUnsupported; }

std::string LaunchError(const LaunchReport& report) {
  return fmt::format("{}: CUDA error {}: {}", Printable(report.kernel), report.error,
                     Printable(report.error_detail));
}

/// ` at softmax.cu:71`, or nothing: where the folder was when it was compiled says nothing.
std::string PlaceOf(const Site& site) {
  const std::string_view name = std::string_view(site.file).substr(site.file.rfind('/') + 1);
  return name.empty() ? "" : fmt::format(" at {}:{}", Printable(name), site.line);
}

void JudgeFindings(const LaunchReport& report, DeviceVerdict& verdict) {
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::kError || IsLack(finding) ||
        finding.kind == FindingKind::kWatchdog) {
      continue;
    }
    if (!verdict.failure) {
      verdict.failure = HostFailure{Verdict::kRuntimeError, FindingLine(finding)};
    }
    AddOnce(verdict.findings, Summary(finding));
  }
}

void JudgeError(const LaunchReport& report, DeviceVerdict& verdict) {
  if (report.error == 0) {
    return;
  }
  verdict.is_broken = true;
  if (report.error == cuda_error::kNotSupported) {
    const auto why = std::ranges::find_if(report.findings, IsLack);
    AddOnce(verdict.lacks, why == report.findings.end() ? LaunchError(report) : FindingLine(*why));
    return;
  }
  if (!verdict.failure) {
    verdict.failure = HostFailure{
        report.error == cuda_error::kLaunchTimeout ? Verdict::kTimeLimit : Verdict::kRuntimeError,
        LaunchError(report)};
  }
}

std::string_view NameOf(remote::Call call) {
  switch (call) {
    case remote::Call::kModuleText:
    case remote::Call::kLoadModule:
      return "module";
    case remote::Call::kAllocate:
      return "allocation";
    case remote::Call::kFree:
      return "free";
    case remote::Call::kCopyToDevice:
    case remote::Call::kCopyFromDevice:
    case remote::Call::kCopyOnDevice:
      return "copy";
    case remote::Call::kFill:
      return "fill";
    case remote::Call::kLaunch:
      return "launch";
    default:
      return "call";
  }
}

void JudgeRefusal(const remote::Refusal& refusal, DeviceVerdict& verdict) {
  std::string line =
      fmt::format("{}: {}", NameOf(refusal.call), Printable(OneLine(refusal.detail)));
  const bool is_module = refusal.call == remote::Call::kLoadModule;
  const bool is_launch = refusal.call == remote::Call::kLaunch;
  // A module of nvcc's is valid, so one that is said not to be is beyond us.
  if (is_module &&
      (refusal.error == cuda_error::kNotSupported || refusal.error == cuda_error::kInvalidPtx)) {
    AddOnce(verdict.lacks, std::move(line));
    return;
  }
  if (refusal.error == cuda_error::kNotSupported) {
    // Of a launch that ran, its report says more.
    if (is_launch && verdict.lacks.empty()) {
      AddOnce(verdict.lacks, std::move(line));
    } else if (!is_launch) {
      AddOnce(verdict.told_lacks, OneLine(refusal.detail));
    }
    return;
  }
  verdict.had_memory = verdict.had_memory && refusal.error != cuda_error::kMemoryAllocation;
  AddOnce(verdict.refusals, std::move(line));
}

}  // namespace

DeviceFinding Summary(const Finding& finding) {
  std::string line(ToString(finding.kind));
  std::ranges::replace(line, '_', ' ');
  if (finding.size_bytes != 0) {
    line += fmt::format(" of {} bytes", finding.size_bytes);
  }
  if (finding.space != MemorySpace::kNone) {
    line += fmt::format(" of {} memory", ToString(finding.space));
  }
  line += PlaceOf(finding.site);
  if (!finding.kernel.empty()) {
    line += " in " + Printable(finding.kernel);
  }
  if (finding.other && PlaceOf(*finding.other) != PlaceOf(finding.site)) {
    line += fmt::format(", after an access{}", PlaceOf(*finding.other));
  }
  return {.checker = std::string(ToString(finding.checker)), .text = OneLine(line)};
}

std::string FindingLine(const Finding& finding) {
  std::string line = fmt::format("{}:", ToString(finding.checker));
  for (const std::string& text : SplitLines(SanitizerText(finding))) {
    std::string_view rest = text;
    rest.remove_prefix(std::min(rest.find_first_not_of('='), rest.size()));
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (!rest.empty()) {
      line.append(" ").append(rest);
    }
  }
  return OneLine(line);
}

DeviceVerdict JudgeRecord(const remote::DeviceRecord& record) {
  DeviceVerdict verdict;
  for (const LaunchReport& report : record.reports) {
    JudgeFindings(report, verdict);
    JudgeError(report, verdict);
  }
  for (const remote::Refusal& refusal : record.refusals) {
    JudgeRefusal(refusal, verdict);
  }
  if (record.reports_left_out > 0 && !verdict.failure) {
    verdict.failure = HostFailure{Verdict::kOutputLimit,
                                  fmt::format("{} launches more than the {} that one call may have",
                                              record.reports_left_out, record.reports.size())};
  }
  if (!verdict.lacks.empty() && !verdict.failure) {
    verdict.failure = HostFailure{Verdict::kSkipped,
                                  "the emulated GPU lacks what it needs: " + verdict.lacks.front()};
  }
  return verdict;
}

}  // namespace assay::gpu
