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
  report.counters.vector16_load_bytes = 1440;
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

}  // namespace
}  // namespace assay::gpu
