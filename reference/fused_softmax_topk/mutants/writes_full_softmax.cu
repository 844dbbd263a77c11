// SPDX-License-Identifier: Apache-2.0
// Bug: the whole softmax is written to memory first, as an unfused kernel would, and only then the
// k largest are found.

#include "export.cuh"

namespace {

namespace baseline = assay::softmax_topk_baseline;

/// What a call needs, of the unspoilt design, in whole lines.
std::size_t FusedBytes(std::size_t rows, std::size_t vocabulary, std::size_t k) {
  const std::size_t bytes =
      baseline::WorkspaceBytes(baseline::MakePlan(rows, vocabulary, k), rows, k);
  return (bytes + 255) / 256 * 256;
}

/// A block a row; exponentials less the first logit, which is enough to spoil the traffic.
template <typename T>
__global__ void WriteSoftmax(const T* logits, std::size_t row_stride, std::size_t vocabulary,
                             float* softmax) {
  const T* row = logits + blockIdx.x * row_stride;
  for (std::size_t i = threadIdx.x; i < vocabulary; i += blockDim.x) {
    softmax[blockIdx.x * vocabulary + i] =
        __expf(static_cast<float>(row[i]) - static_cast<float>(row[0]));
  }
}

template <typename T>
int WriteAndSelect(std::size_t rows, std::size_t vocabulary, std::size_t k, const T* logits,
                   std::size_t row_stride, float* probabilities, std::int32_t* indices,
                   void* workspace, std::size_t workspace_bytes, cudaStream_t stream) {
  if (rows > 0 && k > 0 && k <= vocabulary && row_stride >= vocabulary &&
      k <= baseline::kLargestK && vocabulary <= baseline::kLargestVocabulary) {
    auto* softmax = reinterpret_cast<float*>(static_cast<std::byte*>(workspace) +
                                             FusedBytes(rows, vocabulary, k));
    WriteSoftmax<<<static_cast<unsigned>(rows), 256, 0, stream>>>(logits, row_stride, vocabulary,
                                                                  softmax);
  }
  return baseline::SoftmaxTopK<baseline::BaselineSteps, T>(rows, vocabulary, k, logits, row_stride,
                                                           probabilities, indices, workspace,
                                                           workspace_bytes, stream);
}

}  // namespace

extern "C" {

size_t softmax_topk_workspace_bytes(size_t rows, size_t vocabulary, size_t k) {
  return rows == 0 || k == 0 || k > vocabulary
             ? 0
             : FusedBytes(rows, vocabulary, k) + rows * vocabulary * sizeof(float);
}

int softmax_topk_f32(size_t rows, size_t vocabulary, size_t k, const float* logits,
                     size_t row_stride, float* probabilities, int32_t* indices, void* workspace,
                     size_t workspace_bytes, softmax_topk_stream stream) {
  return WriteAndSelect(rows, vocabulary, k, logits, row_stride, probabilities, indices, workspace,
                        workspace_bytes, stream);
}

}  // extern "C"
