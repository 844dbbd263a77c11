// SPDX-License-Identifier: Apache-2.0
#include "score/launch_summary.h"

#include <fmt/format.h>

#include "score/format.h"

namespace assay {
namespace {

double ValueOf(const LaunchEvidence& launch, const std::string& name) {
  const auto found = launch.values.find(name);
  return found == launch.values.end() ? 0 : found->second;
}

/// What instructions of one kind asked for: `ld`, `st`, `atom`, `red`.
double GlobalBytes(const LaunchEvidence& launch, const std::string& operation) {
  return ValueOf(launch, "smsp__sass_data_bytes_mem_global_op_" + operation + ".sum");
}

}  // namespace

LaunchSummary Summarise(const LaunchEvidence& launch) {
  const auto value = [&launch](const std::string& name) { return ValueOf(launch, name); };
  LaunchSummary summary{
      .blocks = value("launch__grid_size"),
      .threads_per_block = value("launch__block_size"),
      .registers_per_thread = std::nullopt,
      .shared_bytes_per_block = value("launch__shared_mem_per_block_static") +
                                value("launch__shared_mem_per_block_dynamic"),
      .local_bytes_per_thread = value("assay__local_bytes_per_thread"),
      .occupancy = value("sm__maximum_warps_per_active_cycle_pct") / 100,
      .requested_read_bytes = GlobalBytes(launch, "ld"),
      .requested_write_bytes =
          GlobalBytes(launch, "st") + GlobalBytes(launch, "atom") + GlobalBytes(launch, "red"),
      .compulsory_bytes =
          value("assay__compulsory_bytes_read") + value("assay__compulsory_bytes_write"),
      .dram_bytes = value("dram__bytes_read.sum") + value("dram__bytes_write.sum"),
      .sectors_per_load = 0,
      .barriers = value("assay__barriers"),
      .shuffles = value("assay__shuffles"),
      .modelled_time_s = value("assay__modelled_time_ns") * 1e-9};
  if (const double registers = value("launch__registers_per_thread"); registers > 0) {
    summary.registers_per_thread = registers;
  }
  if (const double requests = value("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
      requests > 0) {
    summary.sectors_per_load = value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") / requests;
  }
  return summary;
}

std::string DescribeLaunch(const LaunchEvidence& launch) {
  const LaunchSummary summary = Summarise(launch);
  const auto bytes = [](double value) { return FormatNumber(ValueFormat::kBytes, value); };
  const auto count = [](double value) { return FormatNumber(ValueFormat::kCount, value); };
  return fmt::format(
      "{} blocks of {} threads, {} registers, {} shared, {} local, occupancy {}; asks for {} and "
      "writes {}, distinct {}, DRAM {}; {} sectors a load; modelled {} on {}",
      count(summary.blocks), count(summary.threads_per_block),
      summary.registers_per_thread ? count(*summary.registers_per_thread) : "unknown",
      bytes(summary.shared_bytes_per_block), bytes(summary.local_bytes_per_thread),
      FormatNumber(ValueFormat::kPercent, summary.occupancy), bytes(summary.requested_read_bytes),
      bytes(summary.requested_write_bytes), bytes(summary.compulsory_bytes),
      bytes(summary.dram_bytes), count(summary.sectors_per_load),
      FormatNumber(ValueFormat::kSeconds, summary.modelled_time_s), launch.gpu);
}

}  // namespace assay
