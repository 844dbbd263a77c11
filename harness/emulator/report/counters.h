// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_COUNTERS_H_
#define ASSAY_EMULATOR_REPORT_COUNTERS_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::gpu {

/// What the warp-level instructions of one kind and space did, in Nsight Compute's terms:
/// a request is one warp-level instruction with at least one lane; a sector is an aligned 32
/// bytes that the request touches; a wavefront is one pass of the shared memory's 32 banks.
struct AccessCounters {
  std::uint64_t requests = 0;
  std::uint64_t threads = 0;        ///< Lanes that took part.
  std::uint64_t bytes = 0;          ///< Level 1: lanes times access size.
  std::uint64_t sectors = 0;        ///< Level 2: global and local memory.
  std::uint64_t ideal_sectors = 0;  ///< Of the same lanes on consecutive addresses.
  std::uint64_t wavefronts = 0;     ///< Shared memory.
  std::uint64_t ideal_wavefronts = 0;
  AccessCounters& operator+=(const AccessCounters& other);
  bool operator==(const AccessCounters&) const = default;
};

/// What a launch did to memory and how its threads ran. Equal for any number of cores.
struct LaunchCounters {
  std::uint64_t warp_instructions = 0;  ///< smsp__inst_executed, of PTX instructions
  std::uint64_t thread_instructions =
      0;  ///< smsp__thread_inst_executed: lanes that take part, guards aside
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;  ///< bar.sync of a warp
  std::uint64_t shuffles = 0;  ///< shfl, vote, match, redux of a warp
  AccessCounters global_load, global_store, global_atomic, global_reduction;
  /// Of global_load's bytes, those of loads that take 16 bytes a thread, and of such copies by
  /// `cp.async`.
  std::uint64_t vector16_load_bytes = 0;
  AccessCounters local_load, local_store;
  AccessCounters shared_load, shared_store, shared_atomic;
  /// Level 3: distinct sectors read before this launch wrote them, and distinct sectors written.
  std::uint64_t compulsory_read_bytes = 0;
  std::uint64_t compulsory_write_bytes = 0;
  /// Level 4: through the L2 of the named GPU (memory/l2_cache.h states the model).
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;
  std::uint64_t l2_read_sectors = 0;
  std::uint64_t l2_write_sectors = 0;
  /// Floating-point operations, fma as two: index by FlopKind.
  std::array<std::uint64_t, 4> flops{};    ///< f64, f32, f16 (and bf16), tensor
  std::uint64_t special_function_ops = 0;  ///< ex2, lg2, sin, rsqrt … of threads
  /// Thread-level executions by PTX spelling.
  std::map<std::string, std::uint64_t> mix;
  LaunchCounters& operator+=(const LaunchCounters& other);
  bool operator==(const LaunchCounters&) const = default;
};
enum class FlopKind : std::uint8_t { kF64, kF32, kF16, kTensor };

/// One source line of a kernel (`--lines`).
struct LineCounters {
  std::string file;
  std::uint32_t line = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  AccessCounters memory;  ///< Of all spaces.
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  bool operator==(const LineCounters&) const = default;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_COUNTERS_H_
