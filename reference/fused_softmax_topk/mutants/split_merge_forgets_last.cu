// SPDX-License-Identifier: Apache-2.0
// Bug: the merge of a row's splits ends one split too early.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  __device__ static std::uint32_t MergedSplits(std::uint32_t splits) { return splits - 1; }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
