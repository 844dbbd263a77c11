// SPDX-License-Identifier: Apache-2.0
// Calls `load` without the context that it was given: right only where no store has one.

#include "plain_layernorm.h"

namespace {

template <class T>
int Backward(plain::BackwardCall<T> c) {
  c.context = nullptr;
  return plain::Backward(c);
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
