// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/report/words.h"

namespace assay::gpu {
namespace {

std::string KeyOf(const Site& site) {
  return fmt::format("{}\n{}\n{}\n{}", site.file, site.line, site.instruction,
                     site.file.empty() ? site.ptx_line : 0);
}

// A leak is told apart by its allocation: it has no place. A race is one in either order.
std::string KeyOf(const Finding& finding) {
  const bool swapped = finding.kind == FindingKind::kWriteAfterRead;
  const FindingKind kind = swapped ? FindingKind::kReadAfterWrite : finding.kind;
  std::string site = KeyOf(finding.site);
  std::string other = finding.other ? KeyOf(*finding.other) : "";
  if (other < site) {
    std::swap(site, other);
  }
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", ToString(finding.checker),
                     ToString(kind), ToString(finding.severity), finding.kernel,
                     finding.other_kernel, site, other, finding.note,
                     finding.kernel.empty() ? finding.address : 0);
}

void AddLaunch(KernelSummary& summary, const LaunchReport& report) {
  ++summary.launches;
  summary.shapes_differ = summary.shapes_differ || report.grid != summary.first.grid ||
                          report.block != summary.first.block;
  summary.counters += report.counters;
  summary.modelled_time_ns += report.modelled_time_ns;
  if (summary.launches == 1 || report.modelled_time_ns > summary.longest_ns) {
    summary.longest_ns = report.modelled_time_ns;
    summary.modelled_limiter = report.modelled_limiter;
  }
  for (const LineCounters& line : report.lines) {
    LineCounters& sum = summary.lines[{line.file, line.line}];
    sum.file = line.file;
    sum.line = line.line;
    sum.warp_instructions += line.warp_instructions;
    sum.thread_instructions += line.thread_instructions;
    sum.memory += line.memory;
    sum.branches += line.branches;
    sum.divergent_branches += line.divergent_branches;
  }
}

LaunchReport WithoutParts(const LaunchReport& report) {
  LaunchReport first = report;
  first.lines.clear();
  first.findings.clear();
  return first;
}

}  // namespace

void RunSummary::Add(const LaunchReport& report) {
  if (!report.kernel.empty()) {
    ++launches_;
    const auto [at, is_new] = kernel_of_.try_emplace(report.kernel, kernels_.size());
    if (is_new) {
      kernels_.push_back({.first = WithoutParts(report),
                          .launches = 0,
                          .shapes_differ = false,
                          .counters = {},
                          .modelled_time_ns = 0,
                          .longest_ns = 0,
                          .modelled_limiter = {},
                          .lines = {}});
    }
    AddLaunch(kernels_[at->second], report);
  }
  for (const Finding& finding : report.findings) {
    AddFinding(finding);
  }
  if (report.error != 0) {
    const auto [at, is_new] = error_of_.try_emplace(
        fmt::format("{}\n{}\n{}", report.error, report.kernel, report.error_detail),
        errors_.size());
    if (is_new) {
      errors_.push_back(
          {.launch = report.launch,
           .kernel = report.kernel,
           .error = report.error,
           .detail = report.error_detail,
           .count = 0,
           .is_explained = std::ranges::any_of(report.findings, [](const Finding& finding) {
             return finding.severity == Severity::kError;
           })});
    }
    ++errors_[at->second].count;
  }
}

void RunSummary::AddFinding(const Finding& finding) {
  const auto [at, is_new] = finding_of_.try_emplace(KeyOf(finding), findings_.size());
  if (is_new) {
    findings_.push_back(finding);
  } else {
    findings_[at->second].count += finding.count;
  }
}

FindingCounts RunSummary::finding_counts() const {
  FindingCounts counts;
  for (const RunError& error : errors_) {
    counts.errors += error.is_explained ? 0 : 1;
  }
  for (const Finding& finding : findings_) {
    switch (finding.severity) {
      case Severity::kError:
        ++counts.errors;
        break;
      case Severity::kWarning:
        ++counts.warnings;
        break;
      case Severity::kInfo:
        ++counts.infos;
        break;
    }
  }
  return counts;
}

}  // namespace assay::gpu
