// SPDX-License-Identifier: Apache-2.0
// Bug: the steps of the sort are not separated by a barrier.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  template <typename Group>
  __device__ static void SortBarrier() {}
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
