// SPDX-License-Identifier: Apache-2.0
#include "emulator/model/gpu_model.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace assay::gpu {
namespace {

constexpr std::uint64_t kKibibyte = 1024;
constexpr std::uint64_t kMebibyte = 1024 * kKibibyte;
constexpr std::uint64_t kGibibyte = 1024 * kMebibyte;

constexpr std::array kMakers = {&A100, &H100, &Rtx4090};

}  // namespace

GpuModel A100() {
  return {.id = "a100",
          .name = "NVIDIA A100-SXM4-80GB",
          .compute_major = 8,
          .compute_minor = 0,
          .multiprocessors = 108,
          .memory_bytes = 80 * kGibibyte,
          .l2_bytes = 40 * kMebibyte,
          .clock_khz = 1'410'000,
          .memory_clock_khz = 1'593'000,
          .memory_bus_bits = 5120,
          .dram_bytes_per_s = 2039e9,
          .l2_bytes_per_clock = 5120,
          .l2_bytes_per_clock_per_sm = 64,
          .max_threads_per_sm = 2048,
          .max_blocks_per_sm = 32,
          .registers_per_sm = 65536,
          .register_allocation_unit = 256,
          .shared_bytes_per_sm = 164 * kKibibyte,
          .shared_bytes_per_block_optin = 163 * kKibibyte,
          .reserved_shared_bytes_per_block = 1024,
          .f32_flops_per_clock = 128,
          .f64_flops_per_clock = 64,
          .f16_flops_per_clock = 512,
          .tensor_f16_flops_per_clock = 2048,
          .special_ops_per_clock = 16,
          .issue_per_clock = 4};
}

GpuModel H100() {
  return {.id = "h100",
          .name = "NVIDIA H100 80GB HBM3",
          .compute_major = 9,
          .compute_minor = 0,
          .multiprocessors = 132,
          .memory_bytes = 80 * kGibibyte,
          .l2_bytes = 50 * kMebibyte,
          .clock_khz = 1'980'000,
          .memory_clock_khz = 2'619'000,
          .memory_bus_bits = 5120,
          .dram_bytes_per_s = 3352e9,
          .l2_bytes_per_clock = 5120,
          .l2_bytes_per_clock_per_sm = 64,
          .max_threads_per_sm = 2048,
          .max_blocks_per_sm = 32,
          .registers_per_sm = 65536,
          .register_allocation_unit = 256,
          .shared_bytes_per_sm = 228 * kKibibyte,
          .shared_bytes_per_block_optin = 227 * kKibibyte,
          .reserved_shared_bytes_per_block = 1024,
          .f32_flops_per_clock = 256,
          .f64_flops_per_clock = 128,
          .f16_flops_per_clock = 512,
          // 4096 at the 1830 MHz that tensor work is published for, in clocks of 1980 MHz.
          .tensor_f16_flops_per_clock = 3785,
          .special_ops_per_clock = 16,
          .issue_per_clock = 4};
}

GpuModel Rtx4090() {
  return {.id = "rtx4090",
          .name = "NVIDIA GeForce RTX 4090",
          .compute_major = 8,
          .compute_minor = 9,
          .multiprocessors = 128,
          .memory_bytes = 24 * kGibibyte,
          .l2_bytes = 72 * kMebibyte,
          .clock_khz = 2'520'000,
          .memory_clock_khz = 10'501'000,
          .memory_bus_bits = 384,
          .dram_bytes_per_s = 1008e9,
          .l2_bytes_per_clock = 2048,
          .l2_bytes_per_clock_per_sm = 64,
          .max_threads_per_sm = 1536,
          .max_blocks_per_sm = 24,
          .registers_per_sm = 65536,
          .register_allocation_unit = 256,
          .shared_bytes_per_sm = 100 * kKibibyte,
          .shared_bytes_per_block_optin = 99 * kKibibyte,
          .reserved_shared_bytes_per_block = 1024,
          .f32_flops_per_clock = 256,
          .f64_flops_per_clock = 4,
          .f16_flops_per_clock = 256,
          .tensor_f16_flops_per_clock = 512,
          .special_ops_per_clock = 16,
          .issue_per_clock = 4};
}

std::optional<GpuModel> FindGpuModel(std::string_view id) {
  for (GpuModel (*const make)() : kMakers) {
    if (GpuModel model = make(); model.id == id) {
      return model;
    }
  }
  return std::nullopt;
}

std::vector<std::string> GpuModelIds() {
  std::vector<std::string> ids;
  std::ranges::transform(kMakers, std::back_inserter(ids),
                         [](GpuModel (*make)()) { return make().id; });
  return ids;
}

}  // namespace assay::gpu
