// SPDX-License-Identifier: Apache-2.0
// Bug: the list begins with a sentinel of -FLT_MAX, and takes only what is above it: -infinity is
// never selected, and its place is left to index -1.

#include "export.cuh"

namespace {

struct Steps : assay::softmax_topk_baseline::BaselineSteps {
  __device__ static float FirstThreshold() { return assay::softmax_topk_baseline::kLowestMaximum; }
};

}  // namespace

SOFTMAX_TOPK_EXPORT(Steps);
