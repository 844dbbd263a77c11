// SPDX-License-Identifier: Apache-2.0
// A misspelt name, and a patch that spells it right.

#include "plain_softmax_topk.cuh"

namespace {

int Answer(const plain::Call& c) { return plain::Rnu(c); }

}  // namespace

PLAIN_EXPORT(Answer);
