// SPDX-License-Identifier: Apache-2.0
// Recurses without end.

#include "plain_layernorm.h"

namespace {

int Deeper(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return Deeper(depth + 1) + frame[0];
}

template <class T>
int Backward(const plain::BackwardCall<T>& /*call*/) {
  return Deeper(0);
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
