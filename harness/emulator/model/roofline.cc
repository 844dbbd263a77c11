// SPDX-License-Identifier: Apache-2.0
#include "emulator/model/roofline.h"

#include <algorithm>
#include <array>

namespace assay::gpu {
namespace {

constexpr double kSector_bytes = 32;
constexpr std::uint64_t kWarpLanes = 32;

double Flops(const LaunchCounters& counters, FlopKind kind) {
  return static_cast<double>(counters.flops.at(static_cast<std::size_t>(kind)));
}

/// The share of the launch that the busiest multiprocessor does: 1 / multiprocessors at best.
double BusiestShare(const GpuModel& model, std::uint64_t blocks) {
  const std::uint64_t dealt = (blocks + model.multiprocessors - 1) / model.multiprocessors;
  return static_cast<double>(dealt) / static_cast<double>(blocks);
}

double WarpInstructionsPerClock(const GpuModel& model, const LaunchShape& shape) {
  const std::uint64_t dealt = (shape.blocks + model.multiprocessors - 1) / model.multiprocessors;
  const std::uint64_t held = std::min<std::uint64_t>(dealt, std::max(shape.blocks_per_sm, 1U));
  const std::uint64_t warps = held * ((shape.threads_per_block + kWarpLanes - 1) / kWarpLanes);
  return static_cast<double>(std::clamp<std::uint64_t>(warps, 1, model.issue_per_clock));
}

}  // namespace

ModelledTime RooflineTime(const GpuModel& model, const LaunchCounters& counters,
                          const LaunchShape& launch) {
  LaunchShape shape = launch;
  shape.blocks = std::max<std::uint64_t>(shape.blocks, 1);
  const double clocks_per_s = 1e3 * model.clock_khz;
  const double l2_bytes =
      kSector_bytes * static_cast<double>(counters.l2_read_sectors + counters.l2_write_sectors);
  const double dram_bytes =
      static_cast<double>(counters.dram_read_bytes + counters.dram_write_bytes);
  const double wavefronts =
      static_cast<double>(counters.shared_load.wavefronts + counters.shared_store.wavefronts +
                          counters.shared_atomic.wavefronts);
  const double sm_s = BusiestShare(model, shape.blocks) / clocks_per_s;
  struct Unit {
    double seconds;
    std::string_view name;
  };
  const std::array units = {
      Unit{kLaunchOverhead_ns * 1e-9, "launch"},
      Unit{dram_bytes / model.dram_bytes_per_s, "DRAM"},
      Unit{l2_bytes / (model.l2_bytes_per_clock * clocks_per_s), "L2"},
      Unit{sm_s * l2_bytes / model.l2_bytes_per_clock_per_sm, "L2 to SM"},
      Unit{sm_s * static_cast<double>(counters.warp_instructions) /
               WarpInstructionsPerClock(model, shape),
           "issue"},
      Unit{sm_s * wavefronts, "shared memory"},
      Unit{sm_s * Flops(counters, FlopKind::kF64) / model.f64_flops_per_clock, "f64"},
      Unit{sm_s * Flops(counters, FlopKind::kF32) / model.f32_flops_per_clock, "f32"},
      Unit{sm_s * Flops(counters, FlopKind::kF16) / model.f16_flops_per_clock, "f16"},
      Unit{sm_s * Flops(counters, FlopKind::kTensor) / model.tensor_f16_flops_per_clock, "tensor"},
      Unit{sm_s * static_cast<double>(counters.special_function_ops) / model.special_ops_per_clock,
           "special functions"}};
  const auto work =
      std::ranges::max(std::ranges::subrange(units.begin() + 1, units.end()), {}, &Unit::seconds);
  return {.time_ns = kLaunchOverhead_ns + 1e9 * work.seconds,
          .limiter = work.seconds < units.front().seconds ? units.front().name : work.name};
}

}  // namespace assay::gpu
