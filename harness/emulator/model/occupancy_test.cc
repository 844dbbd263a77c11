// SPDX-License-Identifier: Apache-2.0
#include "emulator/model/occupancy.h"

#include <gtest/gtest.h>

#include <climits>
#include <string>

#ifdef ASSAY_HAS_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

namespace assay::gpu {
namespace {

KernelResources Kernel(std::uint32_t registers, std::uint64_t static_shared_bytes = 0) {
  KernelResources resources;
  resources.registers_per_thread = registers;
  resources.static_shared_bytes = static_shared_bytes;
  return resources;
}

TEST(Occupancy, NamesWhatLimitsIt) {
  const Occupancy full = TheoreticalOccupancy(H100(), Kernel(32), 256, 0);
  EXPECT_EQ(full.blocks_per_sm, 8U);
  EXPECT_EQ(full.warps_per_sm, 64U);
  EXPECT_EQ(full.fraction, 1);
  EXPECT_EQ(full.limiter, "warps");
  const Occupancy small = TheoreticalOccupancy(H100(), Kernel(32), 32, 0);
  EXPECT_EQ(small.fraction, 0.5);
  EXPECT_EQ(small.limiter, "blocks");
  // 40 registers are 1280 a warp: 12 warps a quarter, 48 in all, 6 blocks of 8.
  const Occupancy registers = TheoreticalOccupancy(A100(), Kernel(40), 256, 0);
  EXPECT_EQ(registers.blocks_per_sm, 6U);
  EXPECT_EQ(registers.fraction, 0.75);
  EXPECT_EQ(registers.limiter, "registers");
  // 164 KiB hold three blocks of 48 + 1 KiB.
  const Occupancy shared = TheoreticalOccupancy(A100(), Kernel(32, 16384), 128, 32768);
  EXPECT_EQ(shared.blocks_per_sm, 3U);
  EXPECT_EQ(shared.limiter, "shared memory");
}

TEST(Occupancy, WithoutRegistersTheyDoNotLimit) {
  EXPECT_EQ(TheoreticalOccupancy(H100(), KernelResources{}, 1024, 0).blocks_per_sm, 2U);
}

TEST(Occupancy, IsZeroForWhatCannotBeLaunched) {
  EXPECT_EQ(TheoreticalOccupancy(H100(), Kernel(32), 0, 0).blocks_per_sm, 0U);
  EXPECT_EQ(TheoreticalOccupancy(H100(), Kernel(32), 1025, 0).blocks_per_sm, 0U);
  EXPECT_EQ(TheoreticalOccupancy(H100(), Kernel(65), 1024, 0).blocks_per_sm, 0U);
  EXPECT_EQ(TheoreticalOccupancy(H100(), Kernel(256), 32, 0).blocks_per_sm, 0U);
  EXPECT_EQ(TheoreticalOccupancy(H100(), Kernel(32), 32, 227 * 1024 + 1).blocks_per_sm, 0U);
  EXPECT_EQ(TheoreticalOccupancy(H100(), Kernel(32), 32, ~std::uint64_t{0}).blocks_per_sm, 0U);
  KernelResources bounded = Kernel(32);
  bounded.max_threads_per_block = 128;
  EXPECT_EQ(TheoreticalOccupancy(H100(), bounded, 129, 0).blocks_per_sm, 0U);
}

#ifdef ASSAY_HAS_CUDA_OCCUPANCY
int BlocksByNvidia(const GpuModel& model, const KernelResources& resources, int threads,
                   std::size_t dynamic_shared_bytes) {
  cudaOccDeviceProp properties;
  properties.computeMajor = model.compute_major;
  properties.computeMinor = model.compute_minor;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiprocessor = static_cast<int>(model.max_threads_per_sm);
  properties.regsPerBlock = 65536;
  properties.regsPerMultiprocessor = static_cast<int>(model.registers_per_sm);
  properties.warpSize = 32;
  properties.sharedMemPerBlock = 48 * 1024;
  properties.sharedMemPerMultiprocessor = model.shared_bytes_per_sm;
  properties.numSms = static_cast<int>(model.multiprocessors);
  properties.sharedMemPerBlockOptin = model.shared_bytes_per_block_optin;
  properties.reservedSharedMemPerBlock = model.reserved_shared_bytes_per_block;
  cudaOccFuncAttributes attributes{};
  attributes.maxThreadsPerBlock = static_cast<int>(resources.max_threads_per_block);
  attributes.numRegs = static_cast<int>(resources.registers_per_thread.value_or(0));
  attributes.sharedSizeBytes = resources.static_shared_bytes;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes =
      model.shared_bytes_per_block_optin - resources.static_shared_bytes;
  attributes.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, threads, dynamic_shared_bytes);
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

TEST(Occupancy, AgreesWithNvidiasOwn) {
  int compared = 0;
  for (const GpuModel& model : {A100(), H100(), Rtx4090()}) {
    for (std::uint32_t threads = 1; threads <= 1024; threads = threads < 32 ? 32 : threads + 48) {
      for (std::uint32_t registers = 1; registers <= 255; registers += 3) {
        for (const std::uint64_t fixed : {0ULL, 1ULL, 4096ULL, 12000ULL, 49152ULL}) {
          for (const std::uint64_t dynamic : {0ULL, 128ULL, 30001ULL, 51200ULL, 115000ULL}) {
            const KernelResources resources = Kernel(registers, fixed);
            ASSERT_EQ(static_cast<int>(
                          TheoreticalOccupancy(model, resources, threads, dynamic).blocks_per_sm),
                      BlocksByNvidia(model, resources, static_cast<int>(threads), dynamic))
                << model.id << " threads " << threads << " registers " << registers << " static "
                << fixed << " dynamic " << dynamic;
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 100'000);
}
#endif

}  // namespace
}  // namespace assay::gpu
