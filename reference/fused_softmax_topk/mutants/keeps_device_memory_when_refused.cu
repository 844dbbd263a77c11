// SPDX-License-Identifier: Apache-2.0
// Bug: a buffer on the device is taken before the sizes are looked at, and not given back by a call
// with k beyond the vocabulary.

#include "export.cuh"

namespace {

namespace baseline = assay::softmax_topk_baseline;

struct Steps : baseline::BaselineSteps {};  // As all have them: names must not tell it.

template <typename T, typename Bits>
int TakesABufferFirst(size_t rows, size_t vocabulary, size_t k, const Bits* logits,
                      size_t row_stride, float* probabilities, int32_t* indices, void* workspace,
                      size_t workspace_bytes, cudaStream_t stream) {
  void* buffer = nullptr;
  if (cudaMalloc(&buffer, 2048) != cudaSuccess) {
    return SOFTMAX_TOPK_OUT_OF_MEMORY;
  }
  if (rows > 0 && k > vocabulary) {
    return SOFTMAX_TOPK_INVALID_ARGUMENT;
  }
  const int status = baseline::SoftmaxTopK<Steps>(
      rows, vocabulary, k, reinterpret_cast<const T*>(logits), row_stride, probabilities, indices,
      workspace, workspace_bytes, stream);
  cudaFree(buffer);
  return status;
}

}  // namespace

#define EXPORT_WITH_BUFFER(suffix, Bits, T)                                                        \
  int softmax_topk_##suffix(size_t rows, size_t vocabulary, size_t k, const Bits* logits,          \
                            size_t row_stride, float* probabilities, int32_t* indices,             \
                            void* workspace, size_t workspace_bytes, softmax_topk_stream stream) { \
    return TakesABufferFirst<T>(rows, vocabulary, k, logits, row_stride, probabilities, indices,   \
                                workspace, workspace_bytes, stream);                               \
  }

extern "C" {

size_t softmax_topk_workspace_bytes(size_t rows, size_t vocabulary, size_t k) {
  return rows == 0 || k == 0 || k > vocabulary
             ? 0
             : baseline::WorkspaceBytes(baseline::MakePlan(rows, vocabulary, k), rows, k);
}
EXPORT_WITH_BUFFER(f32, float, float)
EXPORT_WITH_BUFFER(f16, uint16_t, __half)
EXPORT_WITH_BUFFER(bf16, uint16_t, __nv_bfloat16)

}  // extern "C"
