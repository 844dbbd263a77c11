// SPDX-License-Identifier: Apache-2.0
// Right, and does the work of the baseline exactly twice, on the device and on the CPU: its times
// must come out near twice the baseline's. The baseline's headers are copied beside it before it is
// graded.

#include "export.cuh"

namespace baseline = assay::softmax_topk_baseline;

extern "C" size_t softmax_topk_workspace_bytes(size_t rows, size_t vocabulary, size_t k) {
  using Steps = baseline::BaselineSteps;
  return rows == 0 || k == 0 || k > vocabulary
             ? 0
             : baseline::WorkspaceBytes(Steps::PlanFor(rows, vocabulary, k), rows, k);
}

extern "C" int softmax_topk_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                                size_t row_stride, float* probabilities, int32_t* indices,
                                void* workspace, size_t workspace_bytes,
                                softmax_topk_stream stream) {
  int status = SOFTMAX_TOPK_OK;
  for (int round = 0; round < 2 && status == SOFTMAX_TOPK_OK; ++round) {
    status = baseline::SoftmaxTopK<baseline::BaselineSteps, float>(
        rows, vocabulary, k, logits, row_stride, probabilities, indices, workspace, workspace_bytes,
        stream);
  }
  return status;
}
