// SPDX-License-Identifier: Apache-2.0
// Bug: the position of a token is kept in 16 bits: from 65,536 on the first tokens are seen again.

#include "export.cuh"

namespace {

struct Steps : assay::kv_cuda::Steps {};

}  // namespace

namespace assay::kv_cuda {

template <>
__device__ void FindRows<::Steps>(const Problem& problem, const BlockWork& work, int first,
                                  int count, std::ptrdiff_t* rows) {
  FindRows<kv_cuda::Steps>(problem, work, static_cast<std::uint16_t>(first), count, rows);
}

}  // namespace assay::kv_cuda

KV_CUDA_EXPORT(Steps);
