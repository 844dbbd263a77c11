// SPDX-License-Identifier: Apache-2.0
// Bug: each call takes a buffer on the device and does not give it back.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  static cudaStream_t StreamFor(cudaStream_t stream) {
    void* buffer = nullptr;
    cudaMalloc(&buffer, 512);
    return stream;
  }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
