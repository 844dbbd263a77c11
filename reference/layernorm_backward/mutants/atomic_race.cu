// SPDX-License-Identifier: Apache-2.0
// Bug: blocks that have arrived are counted by reading, adding and writing, not by one atomic
// addition: two that arrive at once count as one, and none of them is the last.

#include "export.cuh"

namespace {

struct Steps : assay::layernorm_cuda::Steps {
  __device__ static unsigned Arrive(unsigned* counter) {
    const unsigned before = *counter;
    *counter = before + 1;
    return before;
  }
};

}  // namespace

LAYERNORM_CUDA_EXPORT(Steps);
