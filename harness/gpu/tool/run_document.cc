// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/run_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "emulator/report/counters_text.h"
#include "emulator/report/json.h"
#include "emulator/report/sanitizer_text.h"
#include "emulator/report/text_format.h"

namespace assay::gpu {
namespace {

std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A list of values that are JSON already, one a line.
std::string List(const std::vector<std::string>& values) {
  return values.empty() ? "[]" : "[\n" + Join(values, ",\n") + "\n]";
}

std::optional<std::string> ReadSourceFile(const std::string& path) {
  auto text = ReadFile(path);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

}  // namespace

std::string RunDocument(const CudaRun& run, const GpuModel& model) {
  const FindingCounts counts = run.summary.finding_counts();
  std::vector<std::string> findings;
  std::ranges::transform(run.summary.findings(), std::back_inserter(findings),
                         [](const Finding& finding) { return ToJson(finding); });
  std::vector<std::string> faults;
  std::ranges::transform(run.faults, std::back_inserter(faults), Quoted);
  return fmt::format(
      "{{\"gpu\":{{\"id\":{},\"name\":{}}},\n\"exit_code\":{},\"signal\":{},\n"
      "\"error_count\":{},\"warning_count\":{},\n\"findings\":{},\n\"launch_count\":{},"
      "\"launches_left_out\":{},\n\"launches\":{},\n\"faults\":{}}}\n",
      Quoted(model.id), Quoted(model.name), run.exit_code, run.signal, counts.errors,
      counts.warnings, List(findings), run.summary.launches(), run.launches_left_out,
      List(run.launches), List(faults));
}

std::string RunText(const CudaRun& run, const GpuModel& model, SourceLines lines,
                    KernelNames names) {
  std::string text =
      fmt::format("========= ASSAY CUDA: emulated {}, {} launch{} of {} kernel{}\n", model.name,
                  Grouped(run.summary.launches()), run.summary.launches() == 1 ? "" : "es",
                  run.summary.kernels().size(), run.summary.kernels().size() == 1 ? "" : "s");
  for (const KernelSummary& kernel : run.summary.kernels()) {
    text += "\n" + CountersText(kernel, model.name, names);
    if (lines == SourceLines::kShown) {
      text += LinesText(kernel, &ReadSourceFile);
    }
  }
  text += run.summary.kernels().empty() ? "" : "\n";
  for (const std::string& fault : run.faults) {
    text += fmt::format("assay: {}\n", Printable(fault));
  }
  if (run.signal != 0) {
    text += fmt::format("========= The program was ended by signal {}\n", run.signal);
  }
  return text + SanitizerText(run.summary, names);
}

}  // namespace assay::gpu
