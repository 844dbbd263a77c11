// SPDX-License-Identifier: Apache-2.0
#include "emulator/model/occupancy.h"

#include <algorithm>

#include "cudart/runtime/limits.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

cudaError_t BlocksPerMultiprocessor(int* blocks, const void* function, int block_threads,
                                    std::size_t shared_bytes) {
  return Enter([&](State& state) {
    CUkern_st* kernel = nullptr;
    if (blocks == nullptr || block_threads <= 0) {
      return cudaErrorInvalidValue;
    }
    if (const cudaError_t error = FindKernel(state, function, &kernel); error != cudaSuccess) {
      return error;
    }
    const GpuModel& model = state.device->model();
    // A block that no launch may ask for fits nowhere.
    *blocks = shared_bytes > model.shared_bytes_per_block_optin
                  ? 0
                  : static_cast<int>(TheoreticalOccupancy(model, kernel->info.resources,
                                                          static_cast<std::uint32_t>(block_threads),
                                                          shared_bytes)
                                         .blocks_per_sm);
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_threads,
                                                          std::size_t shared_bytes) {
  return BlocksPerMultiprocessor(blocks, function, block_threads, shared_bytes);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int block_threads,
                                                                   std::size_t shared_bytes,
                                                                   unsigned flags) {
  if ((flags & ~unsigned{cudaOccupancyDisableCachingOverride}) != 0) {
    return Enter([](State&) { return cudaErrorInvalidValue; });
  }
  return BlocksPerMultiprocessor(blocks, function, block_threads, shared_bytes);
}

/// The most dynamic shared memory of a block with which `blocks` still fit together.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared_bytes,
                                                      const void* function, int blocks,
                                                      int block_threads) {
  return Enter([&](State& state) {
    CUkern_st* kernel = nullptr;
    if (shared_bytes == nullptr || blocks <= 0 || block_threads <= 0) {
      return cudaErrorInvalidValue;
    }
    if (const cudaError_t error = FindKernel(state, function, &kernel); error != cudaSuccess) {
      return error;
    }
    const GpuModel& model = state.device->model();
    const KernelResources& resources = kernel->info.resources;
    const auto fits = [&](std::uint64_t dynamic_bytes) {
      return TheoreticalOccupancy(model, resources, static_cast<std::uint32_t>(block_threads),
                                  dynamic_bytes)
                 .blocks_per_sm >= static_cast<std::uint32_t>(blocks);
    };
    std::uint64_t most =
        model.shared_bytes_per_block_optin -
        std::min(resources.static_shared_bytes, model.shared_bytes_per_block_optin);
    std::uint64_t least = 0;
    if (!fits(least)) {
      return cudaErrorInvalidValue;
    }
    while (least < most) {
      const std::uint64_t middle = least + (most - least + 1) / 2;
      if (fits(middle)) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    *shared_bytes = least;
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace assay::gpu::runtime
