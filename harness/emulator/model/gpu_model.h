// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MODEL_GPU_MODEL_H_
#define ASSAY_EMULATOR_MODEL_GPU_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::gpu {

/// A GPU's published figures (model/README.md has their sources). The warp has 32 lanes and a
/// multiprocessor four schedulers on all of them.
struct GpuModel {
  std::string id;    ///< "h100": what --gpu takes.
  std::string name;  ///< "NVIDIA H100 80GB HBM3", as cudaDeviceProp.name says it.
  int compute_major = 9;
  int compute_minor = 0;
  std::uint32_t multiprocessors = 132;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::uint32_t clock_khz = 0;  ///< Boost clock: times are modelled at it.
  std::uint32_t memory_clock_khz = 0;
  std::uint32_t memory_bus_bits = 0;
  double dram_bytes_per_s = 0;
  std::uint32_t l2_bytes_per_clock = 5120;       ///< Of the whole GPU.
  std::uint32_t l2_bytes_per_clock_per_sm = 64;  ///< From L2 into one multiprocessor.
  std::uint32_t max_threads_per_sm = 2048;
  std::uint32_t max_blocks_per_sm = 32;
  std::uint32_t registers_per_sm = 65536;
  std::uint32_t register_allocation_unit = 256;  ///< A warp's registers are rounded up to it.
  std::uint64_t shared_bytes_per_sm = 0;
  std::uint64_t shared_bytes_per_block_optin = 0;
  std::uint64_t reserved_shared_bytes_per_block = 1024;
  // Operations a clock of one multiprocessor (fma counts two).
  std::uint32_t f32_flops_per_clock = 256;
  std::uint32_t f64_flops_per_clock = 128;
  std::uint32_t f16_flops_per_clock = 512;
  std::uint32_t tensor_f16_flops_per_clock = 4096;  ///< Dense, f32 accumulators.
  std::uint32_t special_ops_per_clock = 16;
  std::uint32_t issue_per_clock = 4;  ///< Warp-instructions.
};

[[nodiscard]] GpuModel A100();
[[nodiscard]] GpuModel H100();
[[nodiscard]] GpuModel Rtx4090();
/// By id ("a100", "h100", "rtx4090").
[[nodiscard]] std::optional<GpuModel> FindGpuModel(std::string_view id);
[[nodiscard]] std::vector<std::string> GpuModelIds();

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MODEL_GPU_MODEL_H_
