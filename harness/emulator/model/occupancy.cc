// SPDX-License-Identifier: Apache-2.0
#include "emulator/model/occupancy.h"

#include <algorithm>
#include <array>
#include <limits>

namespace assay::gpu {
namespace {

constexpr std::uint32_t kWarpLanes = 32;
constexpr std::uint32_t kSchedulers = 4;  // Each has a quarter of the registers.
constexpr std::uint32_t kMaxThreadsPerBlock = 1024;
constexpr std::uint32_t kMaxRegistersPerThread = 255;
constexpr std::uint64_t kSharedAllocationUnit_bytes = 128;
constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint32_t BlocksByRegisters(const GpuModel& model, const KernelResources& resources,
                                std::uint32_t warps_per_block) {
  const std::uint32_t per_thread = resources.registers_per_thread.value_or(0);
  if (per_thread == 0) {
    return kNoLimit;
  }
  if (per_thread > kMaxRegistersPerThread) {
    return 0;
  }
  const std::uint64_t per_warp =
      RoundUp(std::uint64_t{per_thread} * kWarpLanes, model.register_allocation_unit);
  // The hardware's check of one block counts its warps in full rows over the schedulers.
  if (per_warp * RoundUp(warps_per_block, kSchedulers) > model.registers_per_sm) {
    return 0;
  }
  const std::uint64_t warps = model.registers_per_sm / kSchedulers / per_warp * kSchedulers;
  return static_cast<std::uint32_t>(warps / warps_per_block);
}

std::uint32_t BlocksByShared(const GpuModel& model, const KernelResources& resources,
                             std::uint64_t dynamic_shared_bytes) {
  const std::uint64_t most = model.shared_bytes_per_block_optin;
  if (resources.static_shared_bytes > most ||
      dynamic_shared_bytes > most - resources.static_shared_bytes) {
    return 0;
  }
  const std::uint64_t a_block = RoundUp(
      resources.static_shared_bytes + dynamic_shared_bytes + model.reserved_shared_bytes_per_block,
      kSharedAllocationUnit_bytes);
  return a_block == 0 ? kNoLimit : static_cast<std::uint32_t>(model.shared_bytes_per_sm / a_block);
}

}  // namespace

Occupancy TheoreticalOccupancy(const GpuModel& model, const KernelResources& resources,
                               std::uint32_t threads_per_block,
                               std::uint64_t dynamic_shared_bytes) {
  const std::uint32_t most_threads = std::min(kMaxThreadsPerBlock, resources.max_threads_per_block);
  if (threads_per_block == 0 || threads_per_block > most_threads) {
    return {.limiter = "warps"};
  }
  const std::uint32_t room = model.max_threads_per_sm / kWarpLanes;
  const std::uint32_t warps_per_block = (threads_per_block + kWarpLanes - 1) / kWarpLanes;
  struct Limit {
    std::uint32_t blocks;
    std::string_view name;
  };
  const std::array limits = {
      Limit{room / warps_per_block, "warps"}, Limit{model.max_blocks_per_sm, "blocks"},
      Limit{BlocksByRegisters(model, resources, warps_per_block), "registers"},
      Limit{BlocksByShared(model, resources, dynamic_shared_bytes), "shared memory"}};
  const Limit least = std::ranges::min(limits, {}, &Limit::blocks);  // The first of equal ones.
  const std::uint32_t warps = least.blocks * warps_per_block;
  return {.blocks_per_sm = least.blocks,
          .warps_per_sm = warps,
          .fraction = static_cast<double>(warps) / room,
          .limiter = least.name};
}

}  // namespace assay::gpu
