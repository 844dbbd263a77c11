// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "evidence/derived.h"
#include "report/challenge_sections.h"
#include "report/words.h"
#include "score/format.h"
#include "score/launch_summary.h"

namespace assay {
namespace {

/// Columns that say what a row is about.
constexpr std::size_t kCallAndKernel = 2;

constexpr std::size_t kMostLaunchesListed = 24;
constexpr std::size_t kMostFindingsListed = 40;

Markdown Count(double value) { return Markdown::Text(FormatNumber(ValueFormat::kCount, value)); }
Markdown Bytes(double value) { return Markdown::Text(FormatNumber(ValueFormat::kBytes, value)); }

/// The first of them, and how many more there are.
Markdown ListOf(const std::vector<std::string>& lines) {
  Markdown list;
  const std::size_t listed = std::min(kMostFindingsListed, lines.size());
  for (std::size_t i = 0; i < listed; ++i) {
    list += "- " + LineText(lines[i]) + "\n";
  }
  if (listed < lines.size()) {
    list += "- and " + Number(static_cast<long long>(lines.size() - listed)) + " more\n";
  }
  return list;
}

Markdown LaunchTable(const std::vector<LaunchEvidence>& launches) {
  MarkdownTable table({{.title = "Call"},
                       {.title = "Kernel"},
                       {.title = "Blocks x threads", .align = Align::kRight},
                       {.title = "Registers", .align = Align::kRight},
                       {.title = "Shared", .align = Align::kRight},
                       {.title = "Local", .align = Align::kRight},
                       {.title = "Occupancy", .align = Align::kRight},
                       {.title = "Reads", .align = Align::kRight},
                       {.title = "Writes", .align = Align::kRight},
                       {.title = "Distinct", .align = Align::kRight},
                       {.title = "DRAM", .align = Align::kRight},
                       {.title = "Sectors a load", .align = Align::kRight},
                       {.title = "Modelled time", .align = Align::kRight}},
                      kCallAndKernel);
  for (std::size_t i = 0; i < std::min(kMostLaunchesListed, launches.size()); ++i) {
    const LaunchEvidence& launch = launches[i];
    const LaunchSummary summary = Summarise(launch);
    table.AddRow(
        {CellText(launch.label), CellText(launch.kernel),
         Count(summary.blocks) + " x " + Count(summary.threads_per_block),
         summary.registers_per_thread ? Count(*summary.registers_per_thread) : Markdown("—"),
         Bytes(summary.shared_bytes_per_block), Bytes(summary.local_bytes_per_thread),
         Markdown::Text(FormatNumber(ValueFormat::kPercent, summary.occupancy)),
         Bytes(summary.requested_read_bytes), Bytes(summary.requested_write_bytes),
         Bytes(summary.compulsory_bytes), Bytes(summary.dram_bytes),
         Count(summary.sectors_per_load),
         Markdown::Text(FormatNumber(ValueFormat::kSeconds, summary.modelled_time_s))});
  }
  return table.Render();
}

/// How many launches were kept, and on which GPU.
std::string Headline(const Evidence& cell) {
  const std::size_t launches = cell.suite.launches.size();
  return fmt::format("{}: {} kernel {} on an emulated {}", cell.model_name, launches,
                     launches == 1 ? "launch" : "launches", cell.suite.launches.front().gpu);
}

Markdown CountersOf(const Evidence& cell) {
  const std::vector<LaunchEvidence>& launches = cell.suite.launches;
  if (launches.empty()) {
    return {};
  }
  Markdown body = LaunchTable(launches);
  if (launches.size() > kMostLaunchesListed) {
    body += Markdown::Text(fmt::format("{} more are in the evidence.",
                                       launches.size() - kMostLaunchesListed)) +
            "\n";
  }
  return "\n" + Markdown::Details(Headline(cell), body);
}

Markdown ListUnder(const Evidence& cell, const Markdown& title,
                   const std::vector<std::string>& lines) {
  return lines.empty() ? Markdown()
                       : "\n" + Markdown::Bold(Markdown::Text(cell.model_name)) + title + "\n\n" +
                             ListOf(lines);
}

std::vector<std::string> LinesOf(const std::vector<DeviceFinding>& findings) {
  std::vector<std::string> lines;
  lines.reserve(findings.size());
  for (const DeviceFinding& finding : findings) {
    lines.push_back(ToString(finding));
  }
  return lines;
}

}  // namespace

Markdown GpuSection(const ChallengeBoard& challenge) {
  Markdown findings;
  Markdown counters;
  for (const Evidence* cell : challenge.cells) {
    findings += ListUnder(
        *cell, ", found by the emulated GPU's checkers:", LinesOf(cell->suite.device_findings));
    findings += ListUnder(
        *cell, " needs what the emulated GPU lacks, which is our fault:", cell->suite.device_lacks);
    counters += CountersOf(*cell);
  }
  if (counters.empty() && findings.empty()) {
    return {};
  }
  return "Kernels ran on an emulated GPU: bytes and instructions are counted, *reads* and *writes* "
         "as "
         "instructions ask for them, *distinct* as if caches were perfect, *DRAM* behind a "
         "modelled "
         "L2. Modelled times are a roofline model's and never measured.\n" +
         findings + counters;
}

std::string EmulatedGpusOf(const Board& board) {
  std::set<std::string> gpus;
  for (const ChallengeBoard& challenge : board.challenges) {
    for (const Evidence* cell : challenge.cells) {
      for (const LaunchEvidence& launch : cell->suite.launches) {
        gpus.insert(launch.gpu);
      }
    }
  }
  return fmt::format("{}", fmt::join(gpus, ", "));
}

}  // namespace assay
