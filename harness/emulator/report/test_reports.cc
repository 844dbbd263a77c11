// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/test_reports.h"

namespace assay::gpu {
namespace {

Site At(std::uint32_t line, std::string instruction, AccessKind access, std::uint32_t thread) {
  return {.file = "scale.cu",
          .line = line,
          .instruction = std::move(instruction),
          .ptx_line = line * 3,
          .block = {3, 0, 0},
          .thread = {thread, 0, 0},
          .access = access};
}

LaunchCounters SampleCounters() {
  LaunchCounters counters;
  counters.warp_instructions = 1000;
  counters.thread_instructions = 31'000;
  counters.branches = 64;
  counters.divergent_branches = 4;
  counters.barriers = 16;
  counters.shuffles = 8;
  counters.global_load = {.requests = 32,
                          .threads = 1001,
                          .bytes = 4004,
                          .sectors = 256,
                          .ideal_sectors = 128,
                          .wavefronts = 0,
                          .ideal_wavefronts = 0};
  counters.global_store = {.requests = 32,
                           .threads = 1000,
                           .bytes = 4000,
                           .sectors = 125,
                           .ideal_sectors = 125,
                           .wavefronts = 0,
                           .ideal_wavefronts = 0};
  counters.shared_load = {.requests = 16,
                          .threads = 512,
                          .bytes = 2048,
                          .sectors = 0,
                          .ideal_sectors = 0,
                          .wavefronts = 48,
                          .ideal_wavefronts = 16};
  counters.vector16_load_bytes = 1600;
  counters.compulsory_read_bytes = 4032;
  counters.compulsory_write_bytes = 4000;
  counters.dram_read_bytes = 4096;
  counters.dram_write_bytes = 4000;
  counters.l2_read_sectors = 256;
  counters.l2_write_sectors = 125;
  counters.flops = {0, 2000, 0, 0};
  counters.special_function_ops = 40;
  counters.mix = {{"ld.global.f32", 1001}, {"st.global.f32", 1000}, {"mul.f32", 2000}};
  return counters;
}

}  // namespace

Finding OutOfBoundsFinding() {
  Finding finding;
  finding.kernel = "scale(float*, float, int)";
  finding.site = At(12, "ld.global.f32", AccessKind::kRead, 232);
  finding.space = MemorySpace::kGlobal;
  finding.address = 0x7f0000001fa0;
  finding.size_bytes = 4;
  finding.nearest = NearestAllocation{
      .address = 0x7f0000001000, .size_bytes = 4000, .distance_bytes = 1, .name = ""};
  return finding;
}

Finding RaceFinding() {
  Finding finding;
  finding.checker = Checker::kRacecheck;
  finding.kind = FindingKind::kReadAfterWrite;
  finding.kernel = "scale(float*, float, int)";
  finding.site = At(15, "ld.shared.f32", AccessKind::kRead, 0);
  finding.space = MemorySpace::kShared;
  finding.address = 0x80;
  finding.size_bytes = 4;
  finding.other = At(14, "st.shared.f32", AccessKind::kWrite, 32);
  finding.count = 96;
  return finding;
}

LaunchReport SampleReport() {
  LaunchReport report;
  report.kernel = "scale(float*, float, int)";
  report.grid = {4, 1, 1};
  report.block = {256, 1, 1};
  report.dynamic_shared_bytes = 1024;
  report.resources = {.registers_per_thread = 18,
                      .static_shared_bytes = 512,
                      .constant_bytes = 8,
                      .local_bytes = 16,
                      .max_threads_per_block = 512};
  report.theoretical_occupancy = 0.75;
  report.occupancy_limiter = "registers";
  report.modelled_time_ns = 2104.25;
  report.emulation_time_ns = 123456;
  report.modelled_limiter = "DRAM";
  report.counters = SampleCounters();
  LineCounters line;
  line.file = "scale.cu";
  line.line = 12;
  line.warp_instructions = 32;
  line.thread_instructions = 1001;
  line.memory = report.counters.global_load;
  line.branches = 32;
  line.divergent_branches = 2;
  report.lines = {line};
  report.findings = {OutOfBoundsFinding(), RaceFinding()};
  report.error = 700;
  report.error_detail = "an illegal memory access was encountered";
  return report;
}

}  // namespace assay::gpu
