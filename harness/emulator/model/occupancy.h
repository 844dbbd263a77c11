// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MODEL_OCCUPANCY_H_
#define ASSAY_EMULATOR_MODEL_OCCUPANCY_H_

#include <cstdint>
#include <string_view>

#include "emulator/model/gpu_model.h"
#include "emulator/report/launch_report.h"

namespace assay::gpu {

/// What one multiprocessor holds of a kernel at a time.
struct Occupancy {
  std::uint32_t blocks_per_sm = 0;  ///< 0: the kernel cannot be launched so.
  std::uint32_t warps_per_sm = 0;
  double fraction = 0;  ///< Of the warps that the multiprocessor has room for, 0 to 1.
  /// What stands in the way of one more block: "warps", "blocks", "registers" or "shared memory",
  /// the first of these where several do.
  std::string_view limiter;
};

/// The most blocks of a kernel that one multiprocessor of `model` can hold: the least of
///   warps:          room for warps / warps of a block
///   blocks:         max_blocks_per_sm
///   registers:      4 * floor(registers_per_sm / 4 / a warp's registers) / warps of a block, where
///                   a warp's registers are rounded up to register_allocation_unit
///   shared memory:  shared_bytes_per_sm / a block's bytes, static, dynamic and reserved, rounded
///                   up to 128
/// as NVIDIA's cuda_occupancy.h has it (CUDA toolkit), to which the test compares it, for a kernel
/// that may use all shared memory that a block can opt in to. Without
/// `resources.registers_per_thread` registers are left out. 0 for a block of no threads or of more
/// than 1024, or than `resources.max_threads_per_block`.
[[nodiscard]] Occupancy TheoreticalOccupancy(const GpuModel& model,
                                             const KernelResources& resources,
                                             std::uint32_t threads_per_block,
                                             std::uint64_t dynamic_shared_bytes);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MODEL_OCCUPANCY_H_
