// SPDX-License-Identifier: Apache-2.0
// A misspelt name, and a patch that spells it right.

#include "plain_layernorm.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& c) {
  return plain::Bakcward(c);
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
