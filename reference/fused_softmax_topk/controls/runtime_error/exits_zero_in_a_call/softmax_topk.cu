// SPDX-License-Identifier: Apache-2.0
// Ends its process with the status of success in the middle of a call.

#include <unistd.h>

#include "plain_softmax_topk.cuh"

namespace {

int Answer(const plain::Call& c) {
  plain::Run(c);
  _exit(0);
}

}  // namespace

PLAIN_EXPORT(Answer);
