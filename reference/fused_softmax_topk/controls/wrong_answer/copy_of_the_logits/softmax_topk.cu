// SPDX-License-Identifier: Apache-2.0
// Gives the selected logits themselves as probabilities.

#include "plain_softmax_topk.cuh"

namespace {

__global__ void CopyLogits(plain::Call c) {
  for (std::size_t i = threadIdx.x; i < c.k; i += plain::kThreads) {
    const std::size_t at = blockIdx.x * c.k + i;
    c.probabilities[at] = c.logits[blockIdx.x * c.row_stride + c.indices[at]];
  }
}

int Answer(const plain::Call& c) {
  int status = plain::Run(c);
  if (status != SOFTMAX_TOPK_OK || !plain::HasWork(c, &status)) return status;
  CopyLogits<<<static_cast<unsigned>(c.rows), plain::kThreads, 0, c.stream>>>(c);
  return plain::LaunchStatus();
}

}  // namespace

PLAIN_EXPORT(Answer);
