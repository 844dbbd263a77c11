// SPDX-License-Identifier: Apache-2.0
// Bug: where a token begins in the pools is computed in 32 bits with a sign, and wraps at 2^31
// elements.

#include "export.cuh"

namespace {

struct Steps : assay::kv_cuda::Steps {
  __device__ static std::ptrdiff_t SlotOffset(std::size_t slot, int head_size) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(slot) *
                                     static_cast<std::uint32_t>(head_size));
  }
};

}  // namespace

KV_CUDA_EXPORT(Steps);
