// SPDX-License-Identifier: Apache-2.0
// Leaves a function undefined that it declares and calls.

#include "plain_layernorm.h"

extern "C" int NobodyDefinesThis(void);

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& /*call*/) {
  return NobodyDefinesThis();
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
