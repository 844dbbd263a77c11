// SPDX-License-Identifier: Apache-2.0
// Bug: the counters of blocks that have arrived stand in memory of the module, which is 0 once:
// from the second call on no block is the last, and nobody adds up dgamma and dbeta.

#include "export.cuh"

namespace {

constexpr unsigned kMostCounters = 64;
__device__ unsigned counters_of_module[kMostCounters];

struct Steps : assay::layernorm_cuda::Steps {
  __device__ static unsigned* Counters(unsigned* /*in_workspace*/) { return counters_of_module; }

  static cudaError_t ClearCounters(unsigned* /*counters*/, std::size_t /*count*/,
                                   cudaStream_t /*stream*/) {
    return cudaSuccess;
  }
};

}  // namespace

LAYERNORM_CUDA_EXPORT(Steps);
