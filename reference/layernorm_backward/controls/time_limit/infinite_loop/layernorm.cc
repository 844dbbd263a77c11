// SPDX-License-Identifier: Apache-2.0
// Never returns.

#include "plain_layernorm.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& /*call*/) {
  for (;;) asm volatile("");
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
