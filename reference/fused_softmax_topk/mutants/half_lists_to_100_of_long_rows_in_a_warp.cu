// SPDX-License-Identifier: Apache-2.0
// Bug: with logits of 16 bits, rows over 32,768 are given to a warp each, whose list holds 64, where k
// is to 100.

#include "export.cuh"

namespace {

namespace baseline = assay::softmax_topk_baseline;

struct Steps : baseline::BaselineSteps {
  static baseline::Plan PlanFor(std::size_t rows, std::size_t vocabulary, std::size_t k) {
    if (k > baseline::kLargestWarpK && k <= 100 && vocabulary > 32'768) {
      return {
          .variant = baseline::Variant::kWarpPerRow, .splits = 1, .elements_per_split = vocabulary};
    }
    return baseline::MakePlan(rows, vocabulary, k);
  }
};

}  // namespace

extern "C" {

size_t softmax_topk_workspace_bytes(size_t rows, size_t vocabulary, size_t k) {
  return rows == 0 || k == 0 || k > vocabulary
             ? 0
             : baseline::WorkspaceBytes(baseline::MakePlan(rows, vocabulary, k), rows, k);
}
SOFTMAX_TOPK_EXPORT_TYPE(baseline::BaselineSteps, f32, float, float)
SOFTMAX_TOPK_EXPORT_TYPE(Steps, f16, uint16_t, __half)
SOFTMAX_TOPK_EXPORT_TYPE(Steps, bf16, uint16_t, __nv_bfloat16)

}  // extern "C"
