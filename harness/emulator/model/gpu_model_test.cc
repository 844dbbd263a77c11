// SPDX-License-Identifier: Apache-2.0
#include "emulator/model/gpu_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::gpu {
namespace {

using ::testing::ElementsAre;

double Peak_tflops(const GpuModel& model, std::uint32_t flops_per_clock) {
  return 1e-9 * model.clock_khz * model.multiprocessors * flops_per_clock;
}

TEST(GpuModel, IsFoundByItsId) {
  EXPECT_THAT(GpuModelIds(), ElementsAre("a100", "h100", "rtx4090"));
  for (const std::string& id : GpuModelIds()) {
    EXPECT_EQ(FindGpuModel(id)->id, id);
  }
  EXPECT_EQ(FindGpuModel("v100"), std::nullopt);
}

// The peaks that NVIDIA prints, which the figures were not taken from.
TEST(GpuModel, FiguresAgreeWithPublishedPeaks) {
  const GpuModel a100 = A100();
  EXPECT_NEAR(Peak_tflops(a100, a100.f32_flops_per_clock), 19.5, 0.05);
  EXPECT_NEAR(Peak_tflops(a100, a100.f64_flops_per_clock), 9.7, 0.05);
  EXPECT_NEAR(Peak_tflops(a100, a100.f16_flops_per_clock), 78, 0.1);
  EXPECT_NEAR(Peak_tflops(a100, a100.tensor_f16_flops_per_clock), 312, 0.5);
  const GpuModel h100 = H100();
  EXPECT_NEAR(Peak_tflops(h100, h100.f32_flops_per_clock), 66.9, 0.05);
  EXPECT_NEAR(Peak_tflops(h100, h100.f64_flops_per_clock), 33.5, 0.05);
  EXPECT_NEAR(Peak_tflops(h100, h100.f16_flops_per_clock), 133.8, 0.05);
  EXPECT_NEAR(Peak_tflops(h100, h100.tensor_f16_flops_per_clock), 989.4, 0.3);
  const GpuModel rtx4090 = Rtx4090();
  EXPECT_NEAR(Peak_tflops(rtx4090, rtx4090.f32_flops_per_clock), 82.6, 0.05);
  EXPECT_NEAR(Peak_tflops(rtx4090, rtx4090.f64_flops_per_clock), 1.29, 0.005);
  EXPECT_NEAR(Peak_tflops(rtx4090, rtx4090.f16_flops_per_clock), 82.6, 0.05);
  EXPECT_NEAR(Peak_tflops(rtx4090, rtx4090.tensor_f16_flops_per_clock), 165.2, 0.05);
}

TEST(GpuModel, BandwidthIsTwoTransfersAClockOverTheBus) {
  for (const GpuModel& model : {A100(), H100(), Rtx4090()}) {
    const double bytes_per_s = 2e3 * model.memory_clock_khz * model.memory_bus_bits / 8;
    EXPECT_NEAR(bytes_per_s / model.dram_bytes_per_s, 1, 1e-3) << model.name;
  }
}

}  // namespace
}  // namespace assay::gpu
