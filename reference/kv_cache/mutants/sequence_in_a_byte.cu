// SPDX-License-Identifier: Apache-2.0
// Bug: the number of a sequence is kept in eight bits: the 257th gets the place of the first.

#include "export.cuh"

namespace {

struct Steps : assay::kv_cuda::Steps {};

}  // namespace

namespace assay::kv_cuda {

template <>
__device__ BlockWork BlockWork::Of<::Steps>(const Problem& problem, const Plan& plan) {
  BlockWork work = Of<kv_cuda::Steps>(problem, plan);
  work.sequence = static_cast<std::uint8_t>(work.sequence);
  return work;
}

}  // namespace assay::kv_cuda

KV_CUDA_EXPORT(Steps);
