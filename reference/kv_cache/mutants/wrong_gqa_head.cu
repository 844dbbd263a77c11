// SPDX-License-Identifier: Apache-2.0
// Bug: query heads are dealt out to the KV heads in turn: head h reads KV head h % kv_heads.

#include "export.cuh"

namespace {

struct Steps : assay::kv_cuda::Steps {
  __device__ static int QueryHead(int kv_head, int index, int /*group*/, int kv_heads) {
    return index * kv_heads + kv_head;
  }
};

}  // namespace

KV_CUDA_EXPORT(Steps);
