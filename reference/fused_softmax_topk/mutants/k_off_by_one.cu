// SPDX-License-Identifier: Apache-2.0
// Bug: pruning keeps k - 1 of the largest, and one that happens to lie in the k-th place.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  __device__ static std::uint32_t Kept(std::uint32_t k) { return k - (k > 1 ? 1 : 0); }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
