// SPDX-License-Identifier: Apache-2.0
// Launches on the default stream whatever it was given. That is right when it was given the default
// stream; a non-blocking stream does not wait for it. Outputs are not there when it has been waited
// for, and when the kernel runs at last, what it reads has been given back: memcheck.

#include "plain_softmax_topk.cuh"

namespace {

int Answer(plain::Call c) {
  c.stream = nullptr;
  return plain::Run(c);
}

}  // namespace

PLAIN_EXPORT(Answer);
