// SPDX-License-Identifier: Apache-2.0
// Its kernel traps when it has written its answers.

#include "plain_softmax_topk.cuh"

namespace {

__global__ void Trap() { __trap(); }

int Answer(const plain::Call& c) {
  int status = plain::Run(c);
  if (status != SOFTMAX_TOPK_OK || !plain::HasWork(c, &status)) return status;
  Trap<<<1, 1, 0, c.stream>>>();
  return plain::LaunchStatus();
}

}  // namespace

PLAIN_EXPORT(Answer);
