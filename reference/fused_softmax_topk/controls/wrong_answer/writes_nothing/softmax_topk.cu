// SPDX-License-Identifier: Apache-2.0
// Says that all is well, and does nothing.

#include "plain_softmax_topk.cuh"

namespace {

int Answer(const plain::Call& c) {
  int status = SOFTMAX_TOPK_OK;
  plain::HasWork(c, &status);
  return status;
}

}  // namespace

PLAIN_EXPORT(Answer);
