// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MODEL_ROOFLINE_H_
#define ASSAY_EMULATOR_MODEL_ROOFLINE_H_

#include <cstdint>
#include <string_view>

#include "emulator/model/gpu_model.h"
#include "emulator/report/counters.h"

namespace assay::gpu {

/// A launch as a GPU deals it out.
struct LaunchShape {
  std::uint64_t blocks = 1;
  std::uint32_t threads_per_block = 1;
  /// Occupancy::blocks_per_sm; 0 counts as 1.
  std::uint32_t blocks_per_sm = 1;
};

/// A time computed from counters: a model, never a measurement.
struct ModelledTime {
  double time_ns = 0;
  /// What takes longest: "DRAM", "L2", "L2 to SM", "issue", "shared memory", "f64", "f32", "f16",
  /// "tensor", "special functions", or "launch" where that is more than all of them.
  std::string_view limiter;
};

/// What every launch is taken to cost beside its work: about the time of an empty kernel.
inline constexpr double kLaunchOverhead_ns = 2000;

/// A lower bound in the manner of a roofline: every unit works at its published peak, all overlap,
/// and the slowest decides.
///
///   time = launch overhead + max over units of amount / rate
///
/// Of the whole GPU:
///   DRAM               (dram_read_bytes + dram_write_bytes) / dram_bytes_per_s
///   L2                 32 * (l2_read_sectors + l2_write_sectors) / (l2_bytes_per_clock * clock)
/// Of the busiest multiprocessor, which runs ceil(blocks / multiprocessors) of the blocks, each an
/// equal share of the launch; so a grid smaller than the GPU, or with a last wave of few blocks,
/// pays for the idle rest:
///   L2 to SM           32 * (L2 sectors) / l2_bytes_per_clock_per_sm
///   issue              warp_instructions / min(issue_per_clock, warps it holds at a time)
///   shared memory      wavefronts, one a clock
///   f64, f32, f16, tensor   flops / flops a clock
///   special functions  special_function_ops / special_ops_per_clock
///
/// Left out: latency, cache misses of instructions, and that a PTX instruction may be several
/// of the machine's, or none. Counters of zero give the launch overhead alone.
[[nodiscard]] ModelledTime RooflineTime(const GpuModel& model, const LaunchCounters& counters,
                                        const LaunchShape& shape);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MODEL_ROOFLINE_H_
