// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/sanitizer_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "emulator/report/text_format.h"
#include "emulator/report/words.h"

namespace assay::gpu {
namespace {

constexpr std::string_view kHead = "========= ";
constexpr std::string_view kBody = "=========     ";
constexpr std::size_t kMostFindings = 100;  // As compute-sanitizer's print limit.

void Line(std::string& text, std::string_view start, std::string_view rest) {
  text.append(start).append(rest).append("\n");
}

std::string_view Verb(AccessKind access) {
  switch (access) {
    case AccessKind::kWrite:
      return "write";
    case AccessKind::kAtomic:
      return "atomic";
    case AccessKind::kRead:
    case AccessKind::kNone:
      break;
  }
  return "read";
}

std::string_view Capital(AccessKind access) {
  switch (access) {
    case AccessKind::kWrite:
      return "Write";
    case AccessKind::kAtomic:
      return "Atomic";
    case AccessKind::kRead:
    case AccessKind::kNone:
      break;
  }
  return "Read";
}

std::string_view Label(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "Error";
    case Severity::kWarning:
      return "Warning";
    case Severity::kInfo:
      break;
  }
  return "Info";
}

/// `kernel(args) in file.cu:12 (ld.global.f32)`.
std::string Place(const std::string& kernel, const Site& site, KernelNames names) {
  std::string place = ShownKernel(kernel, names);
  if (!site.file.empty()) {
    place += fmt::format(" in {}:{}", Printable(site.file), site.line);
  } else if (site.ptx_line != 0) {
    place += fmt::format(" in PTX line {}", site.ptx_line);
  }
  if (!site.instruction.empty()) {
    place += fmt::format(" ({})", Printable(site.instruction));
  }
  return place;
}

std::string By(const Site& site) {
  return fmt::format("by thread {} in block {}", Triple(site.thread), Triple(site.block));
}

/// The line about an address that no instruction should have touched.
std::string AddressLine(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::kMisaligned:
      return fmt::format("Address 0x{:x} is misaligned", finding.address);
    case FindingKind::kUseAfterFree:
      return fmt::format("Address 0x{:x} is in memory that was freed", finding.address);
    case FindingKind::kUninitialized:
      return fmt::format("Address 0x{:x}", finding.address);
    default:
      return fmt::format("Address 0x{:x} is out of bounds", finding.address);
  }
}

std::string NearestLine(const NearestAllocation& nearest) {
  std::string where = "inside";
  if (nearest.distance_bytes > 0) {
    where =
        fmt::format("{} bytes after", Grouped(static_cast<std::uint64_t>(nearest.distance_bytes)));
  } else if (nearest.distance_bytes < 0) {
    where = fmt::format("{} bytes before",
                        Grouped(~static_cast<std::uint64_t>(nearest.distance_bytes) + 1));
  }
  return fmt::format("and is {} the nearest allocation at 0x{:x} of size {} bytes{}", where,
                     nearest.address, Grouped(nearest.size_bytes),
                     nearest.name.empty() ? "" : fmt::format(" ({})", Printable(nearest.name)));
}

// A leak of 4 GiB and more does not fit size_bytes.
std::uint64_t LeakedBytes(const Finding& leak) {
  return leak.nearest ? leak.nearest->size_bytes : leak.size_bytes;
}

void LeakSummary(std::string& text, const RunSummary& run) {
  std::uint64_t bytes = 0;
  std::uint64_t allocations = 0;
  for (const Finding& finding : run.findings()) {
    if (finding.kind == FindingKind::kLeak) {
      bytes += LeakedBytes(finding);
      ++allocations;
    }
  }
  if (allocations != 0) {
    Line(text, kHead,
         fmt::format("LEAK SUMMARY: {} bytes leaked in {} allocations", Grouped(bytes),
                     Grouped(allocations)));
  }
}

std::string Title(const Finding& finding) {
  const Site& site = finding.site;
  switch (finding.kind) {
    case FindingKind::kOutOfBounds:
    case FindingKind::kMisaligned:
    case FindingKind::kUseAfterFree:
    case FindingKind::kInvalidAddress:
      return fmt::format("Invalid __{}__ {} of size {} bytes", ToString(finding.space),
                         Verb(site.access), finding.size_bytes);
    case FindingKind::kUninitialized:
      return fmt::format("Uninitialized __{}__ memory read of size {} bytes",
                         ToString(finding.space), finding.size_bytes);
    case FindingKind::kInvalidFree:
      return fmt::format("Program hit an invalid free of 0x{:x}", finding.address);
    case FindingKind::kLeak:
      return fmt::format(
          "Leaked {} bytes at 0x{:x}",
          Grouped(finding.nearest ? finding.nearest->size_bytes : finding.size_bytes),
          finding.address);
    case FindingKind::kStackOverflow:
      return "Stack overflow";
    case FindingKind::kDivergentBarrier:
      return "Barrier error detected. Divergent thread(s) in block";
    case FindingKind::kInvalidMask:
    case FindingKind::kInvalidBarrier:
      return "Barrier error detected. Invalid arguments";
    case FindingKind::kInactiveSource:
      return "Barrier error detected. Shuffle from a thread that takes no part";
    case FindingKind::kDeadlock:
      return "Barrier error detected. Deadlock: no thread can go on";
    case FindingKind::kWatchdog:
      return "Kernel stopped before its end";
    case FindingKind::kTrap:
      return "Trap instruction executed";
    case FindingKind::kAssert:
      return "Device assertion failed";
    case FindingKind::kUnsupported:
      return "Instruction that the emulated GPU does not support";
    case FindingKind::kHardware:
      return "Hardware exception";
    case FindingKind::kReadAfterWrite:
    case FindingKind::kWriteAfterRead:
    case FindingKind::kWriteAfterWrite:
    case FindingKind::kAtomicMix:
      break;  // Races have a shape of their own.
  }
  return "Race reported";
}

bool IsRace(FindingKind kind) {
  return kind == FindingKind::kReadAfterWrite || kind == FindingKind::kWriteAfterRead ||
         kind == FindingKind::kWriteAfterWrite || kind == FindingKind::kAtomicMix;
}

bool HasAddress(FindingKind kind) {
  return kind == FindingKind::kOutOfBounds || kind == FindingKind::kMisaligned ||
         kind == FindingKind::kUseAfterFree || kind == FindingKind::kInvalidAddress ||
         kind == FindingKind::kUninitialized;
}

// The earlier access first, as racecheck has it; without it where its place is not known.
std::string Race(const Finding& finding, KernelNames names) {
  const std::string now = fmt::format(
      "{} access at {} [{} hazard{}]", Capital(finding.site.access),
      Place(finding.other && IsShortened(finding.kernel, names) ? "the same" : finding.kernel,
            finding.site, names),
      Grouped(finding.count), finding.count == 1 ? "" : "s");
  std::string text;
  if (finding.other) {
    Line(text, kHead,
         fmt::format("{}: Race reported between {} access at {}", Label(finding.severity),
                     Capital(finding.other->access), Place(finding.kernel, *finding.other, names)));
    Line(text, kBody, By(*finding.other));
    Line(text, kBody, "and " + now);
  } else {
    Line(text, kHead,
         fmt::format("{}: Race reported with one of many blocks and {}", Label(finding.severity),
                     now));
  }
  Line(text, kBody, By(finding.site));
  Line(text, kBody,
       fmt::format("on __{}__ address 0x{:x}, {} bytes", ToString(finding.space), finding.address,
                   finding.size_bytes));
  return text;
}

// Pieces of work on two streams, of which no thread is known.
std::string StreamRace(const Finding& finding, KernelNames names) {
  std::string text;
  Line(text, kHead,
       fmt::format("{}: Race reported between two streams: {} access at {}",
                   Label(finding.severity), Capital(finding.other->access),
                   Place(finding.other_kernel, *finding.other, names)));
  Line(text, kBody, fmt::format("on {}", finding.other_stream));
  Line(text, kBody,
       fmt::format("and {} access at {} [{} hazard{}]", Capital(finding.site.access),
                   Place(finding.kernel, finding.site, names), Grouped(finding.count),
                   finding.count == 1 ? "" : "s"));
  Line(text, kBody, fmt::format("on {}", finding.stream));
  Line(text, kBody,
       fmt::format("on __{}__ address 0x{:x}, {} bytes", ToString(finding.space), finding.address,
                   Grouped(finding.size_bytes)));
  return text;
}

// A note may have several lines: who waits where in a deadlock.
void Notes(std::string& text, std::string_view note) {
  while (!note.empty()) {
    const std::size_t end = note.find('\n');
    Line(text, kBody, Printable(note.substr(0, end)));
    note = end == std::string_view::npos ? "" : note.substr(end + 1);
  }
}

std::string Plain(const Finding& finding, KernelNames names) {
  std::string text;
  const std::string label =
      finding.severity == Severity::kError ? "" : fmt::format("{}: ", Label(finding.severity));
  Line(text, kHead, label + Title(finding));
  if (!finding.kernel.empty()) {
    Line(text, kBody, "at " + Place(finding.kernel, finding.site, names));
    Line(text, kBody, By(finding.site));
  }
  if (HasAddress(finding.kind)) {
    Line(text, kBody, AddressLine(finding));
    if (finding.nearest) {
      Line(text, kBody, NearestLine(*finding.nearest));
    }
  }
  return text;
}

void ErrorLines(std::string& text, const RunError& error, KernelNames names) {
  const std::string where = error.kernel.empty() ? ""
                                                 : fmt::format(" in launch {} of {}", error.launch,
                                                               ShownKernel(error.kernel, names));
  Line(text, kHead,
       fmt::format("Program hit error {}{}{}", error.error, where,
                   error.count > 1 ? fmt::format(" and {} more", Grouped(error.count - 1)) : ""));
  Notes(text, error.detail);
  Line(text, "=========", "");
}

}  // namespace

std::string SanitizerText(const Finding& finding, KernelNames names) {
  const bool race = IsRace(finding.kind);
  const bool of_streams = race && finding.other && !finding.stream.empty();
  std::string text = of_streams ? StreamRace(finding, names)
                     : race     ? Race(finding, names)
                                : Plain(finding, names);
  Notes(text, finding.note);
  if (!race && finding.count > 1) {
    Line(text, kBody, fmt::format("{} times in all; the first is shown", Grouped(finding.count)));
  }
  return text;
}

std::string SanitizerText(const RunSummary& run, KernelNames names) {
  std::string text;
  const std::size_t shown = std::min(run.findings().size(), kMostFindings);
  for (const Finding& finding : std::span(run.findings()).first(shown)) {
    text += SanitizerText(finding, names);
    Line(text, "=========", "");
  }
  if (shown < run.findings().size()) {
    Line(
        text, kHead,
        fmt::format("{} more are not shown; JSON has all", Grouped(run.findings().size() - shown)));
  }
  for (const RunError& error : run.errors()) {
    ErrorLines(text, error, names);
  }
  LeakSummary(text, run);
  const FindingCounts counts = run.finding_counts();
  const auto number = [](std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string summary = "ERROR SUMMARY: " + number(counts.errors, "error");
  if (counts.warnings != 0) {
    summary += ", " + number(counts.warnings, "warning");
  }
  if (counts.infos != 0) {
    summary += ", " + number(counts.infos, "remark");
  }
  Line(text, kHead, summary);
  return text;
}

}  // namespace assay::gpu
