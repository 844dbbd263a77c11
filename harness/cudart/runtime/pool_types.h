// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_POOL_TYPES_H_
#define ASSAY_CUDART_RUNTIME_POOL_TYPES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "cudart/runtime/cuda_types.h"

/// A memory pool: what a cudaMemPool_t points to. It keeps nothing back: memory goes to the device
/// when it is freed, so that use after free is seen.
struct CUmemPoolHandle_st {
  static constexpr std::size_t kAttributes = 16;
  std::array<std::uint64_t, kAttributes> attributes{};  ///< By cudaMemPoolAttr.
  std::uint64_t used_bytes = 0;
  std::uint64_t most_used_bytes = 0;
};

namespace assay::gpu::runtime {

struct Pools {
  CUmemPoolHandle_st default_pool;
  CUmemPoolHandle_st* current = &default_pool;
  std::map<cudaMemPool_t, std::unique_ptr<CUmemPoolHandle_st>> created;
  std::map<std::uint64_t, cudaMemPool_t> owner;  ///< Of allocations that came from a pool.
};

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_POOL_TYPES_H_
