// SPDX-License-Identifier: Apache-2.0
// Prints without end.

#include <cstdio>

#include "plain_softmax_topk.cuh"

namespace {

int Answer(const plain::Call& /*c*/) {
  for (;;) std::puts("All work and no play makes a dull submission.");
}

}  // namespace

PLAIN_EXPORT(Answer);
