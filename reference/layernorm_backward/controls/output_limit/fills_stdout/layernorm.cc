// SPDX-License-Identifier: Apache-2.0
// Prints without end.

#include <cstdio>

#include "plain_layernorm.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& /*call*/) {
  for (;;) std::puts("All work and no play makes a dull submission.");
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
