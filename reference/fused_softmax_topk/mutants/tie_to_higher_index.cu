// SPDX-License-Identifier: Apache-2.0
// Bug: among equal logits the higher index goes first.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  __device__ static std::uint32_t OrderedIndex(std::uint32_t index) { return index; }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
