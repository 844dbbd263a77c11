// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_CUDA_LAUNCH_CUH_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_CUDA_LAUNCH_CUH_

#include <climits>

#include "baseline_cuda_decode.cuh"

/// The host's side of paged decode attention: what is refused, and which kernel runs.

namespace assay::kv_cuda {

/// Of the current device; 0 where it cannot be asked.
inline int DeviceAttribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess) {
    return 0;
  }
  return value;
}

/// A KV_OK problem may have no sequences.
inline int Check(const Problem& problem) {
  if (problem.sequences < 0 || problem.query_heads < 1 || problem.kv_heads < 1 ||
      problem.head_size < 1 || problem.page_size < 1 || problem.table_stride < 1 ||
      problem.query_heads % problem.kv_heads != 0) {
    return KV_INVALID_ARGUMENT;
  }
  return problem.head_size > kMostHeadSize ? KV_UNSUPPORTED : KV_OK;
}

inline Plan PlanFor(const Problem& problem) {
  return Plan::Of(problem, DeviceAttribute(cudaDevAttrMultiProcessorCount));
}

inline std::size_t WorkspaceBytes(const Problem& problem) {
  const bool has_work = Check(problem) == KV_OK && problem.sequences > 0;
  return has_work ? PlanFor(problem).workspace_bytes : 0;
}

using Kernel = void (*)(Problem, Plan, Partials);

/// The kernel whose threads have sums for `heads` query heads at least.
template <class Steps, bool kVector>
Kernel KernelFor(int heads) {
  if (heads <= 1) {
    return DecodeKernel<Steps, 1, kVector>;
  }
  if (heads <= 2) {
    return DecodeKernel<Steps, 2, kVector>;
  }
  return heads <= 4 ? DecodeKernel<Steps, 4, kVector> : DecodeKernel<Steps, 8, kVector>;
}

template <class Steps>
Kernel KernelFor(const Problem& problem, const Plan& plan) {
  const int fours = (problem.head_size + 3) / 4;
  const int rows = kThreads / fours;
  const auto heads = static_cast<int>(CeilDiv(plan.heads_of_block, rows));
  const bool vector = problem.head_size % 4 == 0 &&
                      reinterpret_cast<std::uintptr_t>(problem.key_pages) % 16 == 0 &&
                      reinterpret_cast<std::uintptr_t>(problem.value_pages) % 16 == 0;
  return vector ? KernelFor<Steps, true>(heads) : KernelFor<Steps, false>(heads);
}

template <class Steps>
int Decode(const Problem& problem, void* workspace, std::size_t workspace_bytes,
           cudaStream_t stream) {
  const int status = Check(problem);
  if (status == KV_INVALID_ARGUMENT || workspace_bytes != WorkspaceBytes(problem)) {
    return KV_INVALID_ARGUMENT;
  }
  if (status != KV_OK) {
    return status;
  }
  if (problem.sequences == 0) {
    return KV_OK;
  }
  const Plan plan = PlanFor(problem);
  const std::int64_t rows = std::int64_t{problem.sequences} * problem.query_heads;
  const SharedLayout layout = SharedLayout::Of(problem.head_size, plan.heads_of_block);
  if (plan.blocks > INT_MAX || rows > INT_MAX ||
      layout.bytes > DeviceAttribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) {
    return KV_UNSUPPORTED;
  }
  // The states are pairs of floats: first, so that they begin at eight bytes.
  const std::size_t states = plan.splits > 1 ? Plan::PartialCount(problem, plan.splits) : 0;
  const Partials partials = {reinterpret_cast<float*>(static_cast<float2*>(workspace) + states),
                             static_cast<float2*>(workspace)};
  const Kernel kernel = KernelFor<Steps>(problem, plan);
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, layout.bytes) !=
      cudaSuccess) {
    return KV_DEVICE_FAILURE;
  }
  kernel<<<static_cast<unsigned>(plan.blocks), kThreads, static_cast<std::size_t>(layout.bytes),
           stream>>>(problem, plan, partials);
  if (plan.splits > 1) {
    const auto threads = static_cast<unsigned>(CeilDiv(problem.head_size, kWarp) * kWarp);
    MergeKernel<Steps>
        <<<static_cast<unsigned>(rows), threads, 0, stream>>>(problem, plan, partials);
  }
  return cudaGetLastError() == cudaSuccess ? KV_OK : KV_DEVICE_FAILURE;
}

}  // namespace assay::kv_cuda

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_CUDA_LAUNCH_CUH_
