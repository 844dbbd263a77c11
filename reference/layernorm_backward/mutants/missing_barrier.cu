// SPDX-License-Identifier: Apache-2.0
// Bug: the sums of a block's warps are read without waiting until all warps have written theirs.

#include "export.cuh"

namespace {

struct Steps : assay::layernorm_cuda::Steps {
  __device__ static void BarrierInReduction() {}
};

}  // namespace

LAYERNORM_CUDA_EXPORT(Steps);
