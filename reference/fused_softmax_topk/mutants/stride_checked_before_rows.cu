// SPDX-License-Identifier: Apache-2.0
// Bug: a stride shorter than a row is refused also where there are no rows, or nothing is asked
// for.

#include "export.cuh"

namespace {

namespace baseline = assay::softmax_topk_baseline;

struct Steps : baseline::BaselineSteps {};  // As all have them: names must not tell it.

}  // namespace

#define CHECKED_EXPORT(suffix, Bits, T)                                                            \
  int softmax_topk_##suffix(size_t rows, size_t vocabulary, size_t k, const Bits* logits,          \
                            size_t row_stride, float* probabilities, int32_t* indices,             \
                            void* workspace, size_t workspace_bytes, softmax_topk_stream stream) { \
    if (row_stride < vocabulary) {                                                                 \
      return SOFTMAX_TOPK_INVALID_ARGUMENT;                                                        \
    }                                                                                              \
    return baseline::SoftmaxTopK<Steps, T>(                                                        \
        rows, vocabulary, k, reinterpret_cast<const T*>(logits), row_stride, probabilities,        \
        indices, workspace, workspace_bytes, stream);                                              \
  }

extern "C" {

size_t softmax_topk_workspace_bytes(size_t rows, size_t vocabulary, size_t k) {
  return rows == 0 || k == 0 || k > vocabulary
             ? 0
             : baseline::WorkspaceBytes(baseline::MakePlan(rows, vocabulary, k), rows, k);
}
CHECKED_EXPORT(f32, float, float)
CHECKED_EXPORT(f16, uint16_t, __half)
CHECKED_EXPORT(bf16, uint16_t, __nv_bfloat16)

}  // extern "C"
