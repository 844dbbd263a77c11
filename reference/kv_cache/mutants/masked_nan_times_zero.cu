// SPDX-License-Identifier: Apache-2.0
// Bug: the last page is read whole. What lies beyond the length gets the weight 0, and 0 times the
// NaN that an earlier sequence may have left there is NaN.

#include "export.cuh"

namespace {

struct Steps : assay::kv_cuda::Steps {
  __device__ static int TokensRead(int length, int page_size) {
    return (length + page_size - 1) / page_size * page_size;
  }
};

}  // namespace

KV_CUDA_EXPORT(Steps);
