// SPDX-License-Identifier: Apache-2.0
// Leaves a function undefined that it declares and calls.

#include "plain_softmax_topk.cuh"

extern "C" int NobodyDefinesThis(void);

namespace {

int Answer(const plain::Call& /*c*/) { return NobodyDefinesThis(); }

}  // namespace

PLAIN_EXPORT(Answer);
