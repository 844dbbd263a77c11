// SPDX-License-Identifier: Apache-2.0
#include "gpu/suite/launch_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::gpu {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;

LaunchReport Softmax() {
  LaunchReport report{.kernel = "Softmax(float*)", .grid = {4, 2, 1}, .block = {32, 4, 2}};
  report.dynamic_shared_bytes = 2048;
  report.resources = {.registers_per_thread = 40, .static_shared_bytes = 16, .local_bytes = 8};
  report.theoretical_occupancy = 0.75;
  report.modelled_time_ns = 1234.5;
  report.counters.global_load = {.requests = 3, .threads = 96, .bytes = 1536, .sectors = 48};
  report.counters.dram_read_bytes = 4096;
  report.counters.mix = {{"ld.global.v4.f32", 90}};
  return report;
}

TEST(LaunchEvidence, ShapeResourcesAndCountersByTheirNames) {
  const LaunchEvidence evidence = ToEvidence("softmax 8x64", "NVIDIA A100", Softmax());
  EXPECT_EQ(evidence.label, "softmax 8x64");
  EXPECT_EQ(evidence.kernel, "Softmax(float*)");
  EXPECT_EQ(evidence.gpu, "NVIDIA A100");
  const auto& values = evidence.values;
  EXPECT_EQ(values.at("launch__grid_size"), 8);
  EXPECT_EQ(values.at("launch__block_size"), 256);
  EXPECT_EQ(values.at("launch__registers_per_thread"), 40);
  EXPECT_EQ(values.at("launch__shared_mem_per_block_static"), 16);
  EXPECT_EQ(values.at("launch__shared_mem_per_block_dynamic"), 2048);
  EXPECT_EQ(values.at("assay__local_bytes_per_thread"), 8);
  EXPECT_EQ(values.at("sm__maximum_warps_per_active_cycle_pct"), 75);
  EXPECT_EQ(values.at("assay__modelled_time_ns"), 1234.5);
  EXPECT_EQ(values.at("assay__vector16_load_bytes"), 1440);
  EXPECT_EQ(values.at("smsp__sass_data_bytes_mem_global_op_ld.sum"), 1536);
  EXPECT_EQ(values.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 48);
  EXPECT_EQ(values.at("dram__bytes_read.sum"), 4096);
}

TEST(LaunchEvidence, ZerosAndTheMixAreLeftOut) {
  const auto values = ToEvidence("", "", Softmax()).values;
  EXPECT_THAT(values, Not(Contains(Key("assay__error"))));
  EXPECT_THAT(values, Not(Contains(Key("dram__bytes_write.sum"))));
  EXPECT_THAT(values, Not(Contains(Key("assay__thread_inst_executed_by_opcode"))));
}

TEST(Vector16LoadBytes, CountsGlobalLoadsOfSixteenBytesAThread) {
  LaunchCounters counters;
  counters.global_load.bytes = 1'000'000;
  counters.mix = {{"ld.global.v4.f32", 1},
                  {"ld.global.nc.v4.u32", 10},
                  {"ld.global.L1::no_allocate.v2.f64", 100},
                  {"ld.global.v2.b64", 1000},
                  {"ld.global.b128", 10'000},
                  {"cp.async.cg.shared.global", 20'000},
                  {"ld.volatile.global.v4.f32", 5}};
  EXPECT_EQ(Vector16LoadBytes(counters), 16 * 31'116);
}

TEST(Vector16LoadBytes, LeavesOutAllElse) {
  LaunchCounters counters;
  counters.global_load.bytes = 1'000'000;
  counters.mix = {{"ld.global.f32", 1},
                  {"ld.global.v2.f32", 1},
                  {"ld.shared.v4.f32", 1},
                  {"st.global.v4.f32", 1},
                  {"ld.param.v4.u32", 1},
                  {"ld.global.v4.u16", 1},
                  {"ld.global.v8.f32", 1},
                  {"ld.local.v4.f32", 1},
                  {"add.f32", 1},
                  {"ld.global.v4.f32x", 1},
                  {"ld.global", 1},
                  {"", 1},
                  {"cp.async.ca.shared.global", 1}};
  EXPECT_EQ(Vector16LoadBytes(counters), 0);
}

TEST(Vector16LoadBytes, IsNeverMoreThanWasLoaded) {
  LaunchCounters counters;
  counters.global_load.bytes = 160;
  counters.mix = {{"ld.global.v4.f32", 11}};  // One lane had a guard.
  EXPECT_EQ(Vector16LoadBytes(counters), 160);
}

}  // namespace
}  // namespace assay::gpu
