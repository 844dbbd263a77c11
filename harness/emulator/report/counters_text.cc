// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/counters_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "emulator/report/text_format.h"

namespace assay::gpu {
namespace {

constexpr std::size_t kMostOpcodes = 10;

using Output = std::back_insert_iterator<std::string>;

std::string Percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

struct AccessRow {
  std::string_view name;
  const AccessCounters& counters;
};

void Heading(Output out, const KernelSummary& kernel, KernelNames names) {
  const LaunchReport& first = kernel.first;
  fmt::format_to(out, "{}\n", ShownKernel(first.kernel, names));
  fmt::format_to(out, "  launches       {}, {}grid {}, block {}\n", Grouped(kernel.launches),
                 kernel.shapes_differ ? "of several shapes, the first with " : "",
                 Triple(first.grid), Triple(first.block));
}

void Time(Output out, const KernelSummary& kernel, std::string_view gpu_name) {
  fmt::format_to(out, "  modelled time  {}{} on {}, by {}; a roofline model, not a measurement\n",
                 Duration(kernel.modelled_time_ns), kernel.launches > 1 ? " in all" : "", gpu_name,
                 Printable(kernel.modelled_limiter));
}

void Resources(Output out, const LaunchReport& first) {
  const KernelResources& resources = first.resources;
  fmt::format_to(out, "  occupancy      {:.1f} % in theory, limited by {}\n",
                 100 * first.theoretical_occupancy, Printable(first.occupancy_limiter));
  fmt::format_to(
      out, "  resources      registers a thread {}; shared bytes a block {} static, {} dynamic",
      resources.registers_per_thread ? std::to_string(*resources.registers_per_thread)
                                     : "unknown (no machine code)",
      Grouped(resources.static_shared_bytes), Grouped(first.dynamic_shared_bytes));
  if (resources.local_bytes != 0) {
    fmt::format_to(out, "; local bytes a thread {}", Grouped(resources.local_bytes));
  }
  fmt::format_to(out, "\n");
}

void GlobalMemory(Output out, const LaunchCounters& counters) {
  const std::array rows = {AccessRow{"global load", counters.global_load},
                           AccessRow{"global store", counters.global_store},
                           AccessRow{"global atomic", counters.global_atomic},
                           AccessRow{"global reduction", counters.global_reduction},
                           AccessRow{"local load", counters.local_load},
                           AccessRow{"local store", counters.local_store}};
  if (std::ranges::all_of(rows, [](const AccessRow& row) { return row.counters.requests == 0; })) {
    return;
  }
  fmt::format_to(out, "  {:<18} {:>12} {:>17} {:>14} {:>10} {:>7}\n", "memory", "requests",
                 "1 requested bytes", "2 sectors", "a request", "ideal");
  for (const AccessRow& row : rows) {
    const AccessCounters& access = row.counters;
    if (access.requests != 0) {
      fmt::format_to(out, "    {:<16} {:>12} {:>17} {:>14} {:>10} {:>7}\n", row.name,
                     Grouped(access.requests), Grouped(access.bytes), Grouped(access.sectors),
                     Ratio(access.sectors, access.requests),
                     Ratio(access.ideal_sectors, access.requests));
    }
  }
  if (counters.vector16_load_bytes != 0) {
    fmt::format_to(out, "    {:<16} {:>12} {:>17}\n", "16-byte loads", "",
                   Grouped(counters.vector16_load_bytes));
  }
}

void Dram(Output out, const LaunchCounters& counters) {
  if (counters.compulsory_read_bytes + counters.compulsory_write_bytes + counters.dram_read_bytes +
          counters.dram_write_bytes ==
      0) {
    return;
  }
  fmt::format_to(out, "  {:<18} {:>12} {:>17} {:>14}\n", "DRAM bytes", "", "3 compulsory",
                 "4 modelled");
  fmt::format_to(out, "    {:<16} {:>12} {:>17} {:>14}\n", "read", "",
                 Grouped(counters.compulsory_read_bytes), Grouped(counters.dram_read_bytes));
  fmt::format_to(out, "    {:<16} {:>12} {:>17} {:>14}\n", "write", "",
                 Grouped(counters.compulsory_write_bytes), Grouped(counters.dram_write_bytes));
}

void SharedMemory(Output out, const LaunchCounters& counters) {
  const std::array rows = {AccessRow{"shared load", counters.shared_load},
                           AccessRow{"shared store", counters.shared_store},
                           AccessRow{"shared atomic", counters.shared_atomic}};
  if (std::ranges::all_of(rows, [](const AccessRow& row) { return row.counters.requests == 0; })) {
    return;
  }
  fmt::format_to(out, "  {:<18} {:>12} {:>17} {:>14} {:>10} {:>7} {:>15}\n", "shared memory",
                 "requests", "requested bytes", "wavefronts", "a request", "ideal",
                 "bank conflicts");
  for (const AccessRow& row : rows) {
    const AccessCounters& access = row.counters;
    if (access.requests != 0) {
      fmt::format_to(
          out, "    {:<16} {:>12} {:>17} {:>14} {:>10} {:>7} {:>15}\n", row.name,
          Grouped(access.requests), Grouped(access.bytes), Grouped(access.wavefronts),
          Ratio(access.wavefronts, access.requests),
          Ratio(access.ideal_wavefronts, access.requests),
          Grouped(access.wavefronts - std::min(access.wavefronts, access.ideal_wavefronts)));
    }
  }
}

void Control(Output out, const LaunchCounters& counters) {
  fmt::format_to(out, "  instructions   {} of warps, {} of threads ({} of 32 lanes)\n",
                 Grouped(counters.warp_instructions), Grouped(counters.thread_instructions),
                 Ratio(counters.thread_instructions, counters.warp_instructions));
  fmt::format_to(out,
                 "  branches       {}, {} divergent ({}); barriers {}; shuffles and votes {}\n",
                 Grouped(counters.branches), Grouped(counters.divergent_branches),
                 Percent(counters.divergent_branches, counters.branches),
                 Grouped(counters.barriers), Grouped(counters.shuffles));
}

void Flops(Output out, const LaunchCounters& counters) {
  constexpr std::array kNames = {"f64", "f32", "f16", "tensor"};
  std::vector<std::string> parts;
  for (std::size_t kind = 0; kind < kNames.size(); ++kind) {
    if (counters.flops.at(kind) != 0) {
      parts.push_back(fmt::format("{} {}", kNames.at(kind), Grouped(counters.flops.at(kind))));
    }
  }
  if (counters.special_function_ops != 0) {
    parts.push_back(fmt::format("special functions {}", Grouped(counters.special_function_ops)));
  }
  if (!parts.empty()) {
    fmt::format_to(out, "  flops          {}\n", Join(parts, ", "));
  }
}

void Mix(Output out, const LaunchCounters& counters) {
  std::vector<std::pair<std::string, std::uint64_t>> mix(counters.mix.begin(), counters.mix.end());
  std::ranges::sort(mix, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> parts;
  for (const auto& [opcode, count] : mix) {
    if (parts.size() == kMostOpcodes) {
      parts.push_back(fmt::format("{} more", mix.size() - kMostOpcodes));
      break;
    }
    parts.push_back(
        fmt::format("{} {}", Printable(opcode), Percent(count, counters.thread_instructions)));
  }
  if (!parts.empty()) {
    fmt::format_to(out, "  mix            {}\n", Join(parts, ", "));
  }
}

using FileLines = std::map<std::string, std::vector<std::string>>;

std::string SourceLine(FileLines& files, const ReadSource& read, const LineCounters& line) {
  auto [at, is_new] = files.try_emplace(line.file);
  if (is_new) {
    at->second = SplitLines(read(line.file).value_or(""));
  }
  if (line.line == 0 || line.line > at->second.size()) {
    return "";
  }
  std::string text = at->second[line.line - 1];
  std::ranges::replace(text, '\t', ' ');
  return Printable(text);
}

}  // namespace

std::string CountersText(const KernelSummary& kernel, std::string_view gpu_name,
                         KernelNames names) {
  std::string text;
  const Output out(text);
  Heading(out, kernel, names);
  Time(out, kernel, gpu_name);
  Resources(out, kernel.first);
  Control(out, kernel.counters);
  Flops(out, kernel.counters);
  Mix(out, kernel.counters);
  GlobalMemory(out, kernel.counters);
  Dram(out, kernel.counters);
  SharedMemory(out, kernel.counters);
  return text;
}

std::string LinesText(const KernelSummary& kernel, const ReadSource& read) {
  std::string text;
  const Output out(text);
  if (kernel.lines.empty()) {
    return "  lines          none: compiled without -lineinfo\n";
  }
  FileLines files;
  std::string file;
  for (const auto& [place, line] : kernel.lines) {
    if (line.file != file) {
      file = line.file;
      fmt::format_to(out, "  {}\n  {:>6} {:>14} {:>6} {:>16} {:>10} {:>6} {:>10}  source\n",
                     Printable(file), "line", "executions", "lanes", "bytes", "sectors/rq", "ideal",
                     "divergent");
    }
    fmt::format_to(out, "  {:>6} {:>14} {:>6} {:>16} {:>10} {:>6} {:>10}  {}\n", line.line,
                   Grouped(line.warp_instructions),
                   Ratio(line.thread_instructions, line.warp_instructions),
                   Grouped(line.memory.bytes), Ratio(line.memory.sectors, line.memory.requests),
                   Ratio(line.memory.ideal_sectors, line.memory.requests),
                   Percent(line.divergent_branches, line.branches), SourceLine(files, read, line));
  }
  return text;
}

}  // namespace assay::gpu
