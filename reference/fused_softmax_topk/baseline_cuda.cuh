// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_CUDA_CUH_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_CUDA_CUH_

#include <cstddef>
#include <cstdint>

#include "baseline_kernels.cuh"
#include "baseline_plan.h"
#include "interface.h"

// The CUDA baseline of fused_softmax_topk, and the body of every CUDA mutant.
//
// Theory of operation. Fused, the problem is a read of the logits: everything else must hide behind
// it. So a row is read once, in tiles of eight elements a thread, with 16-byte loads wherever it
// begins (baseline_tiles.cuh). Each thread keeps a maximum and a sum of exponentials less it, which
// is rescaled only when a tile holds something larger. A tile whose largest logit is not above the
// k-th largest so far costs one more comparison; what is above goes into a list in shared memory,
// which is pruned to the k largest when it is crowded (baseline_list.cuh): so k may be 1,024, and
// no logit is read twice for it. One barrier a tile.
//
// Rows are dealt out by size (baseline_plan.h): a warp a row where rows are short, a block a row,
// and where there are too few rows to fill a GPU, several blocks a row, whose lists and sums a
// second launch merges. Two launches and no flags between blocks: every order of blocks gives the
// same bits.

namespace assay::softmax_topk_baseline {

template <typename Steps, typename T, Variant variant>
int LaunchVariant(const Arguments<T>& arguments, cudaStream_t stream) {
  constexpr std::size_t kGroups = VariantSizes<variant>::kGroups;
  if (arguments.splits > 1) {
    if constexpr (variant != Variant::kWarpPerRow) {  // Short rows are not split.
      const auto blocks = static_cast<unsigned>(arguments.rows * arguments.splits);
      SplitKernel<Steps, T, variant><<<blocks, kBlockThreads, 0, stream>>>(arguments);
      if (cudaGetLastError() != cudaSuccess) {
        return SOFTMAX_TOPK_DEVICE_FAILURE;
      }
      MergeKernel<Steps, T, variant>
          <<<static_cast<unsigned>(arguments.rows), kBlockThreads, 0, stream>>>(arguments);
    }
  } else {
    const auto blocks = static_cast<unsigned>((arguments.rows + kGroups - 1) / kGroups);
    RowKernel<Steps, T, variant><<<blocks, kBlockThreads, 0, stream>>>(arguments);
  }
  return cudaGetLastError() == cudaSuccess ? SOFTMAX_TOPK_OK : SOFTMAX_TOPK_DEVICE_FAILURE;
}

/// One of interface.h's device functions. `T` is float, __half or __nv_bfloat16.
template <typename Steps, typename T>
int SoftmaxTopK(std::size_t rows, std::size_t vocabulary, std::size_t k, const T* logits,
                std::size_t row_stride, float* probabilities, std::int32_t* indices,
                void* workspace, std::size_t workspace_bytes, cudaStream_t stream) {
  if (rows == 0 || k == 0) {
    return SOFTMAX_TOPK_OK;
  }
  if (k > vocabulary || row_stride < vocabulary) {
    return SOFTMAX_TOPK_INVALID_ARGUMENT;
  }
  if (k > kLargestK || vocabulary > kLargestVocabulary || rows > kMostBlocks) {
    return SOFTMAX_TOPK_UNSUPPORTED;
  }
  const Plan plan = Steps::PlanFor(rows, vocabulary, k);
  if (workspace_bytes < WorkspaceBytes(plan, rows, k)) {
    return SOFTMAX_TOPK_INVALID_ARGUMENT;
  }
  Key* const keys = static_cast<Key*>(workspace);
  const Arguments<T> arguments{
      .rows = rows,
      .vocabulary = static_cast<std::uint32_t>(vocabulary),
      .k = static_cast<std::uint32_t>(k),
      .logits = logits,
      .row_stride = row_stride,
      .probabilities = probabilities,
      .indices = indices,
      .splits = static_cast<std::uint32_t>(plan.splits),
      .elements_per_split = static_cast<std::uint32_t>(plan.elements_per_split),
      .keys = keys,
      .sums = reinterpret_cast<SplitSum*>(keys + rows * plan.splits * k),
  };
  const cudaStream_t on = Steps::StreamFor(stream);
  switch (plan.variant) {
    case Variant::kWarpPerRow:
      return LaunchVariant<Steps, T, Variant::kWarpPerRow>(arguments, on);
    case Variant::kBlockPerRow:
      return LaunchVariant<Steps, T, Variant::kBlockPerRow>(arguments, on);
    case Variant::kLargeK:
      return LaunchVariant<Steps, T, Variant::kLargeK>(arguments, on);
  }
  return SOFTMAX_TOPK_UNSUPPORTED;
}

}  // namespace assay::softmax_topk_baseline

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_CUDA_CUH_
