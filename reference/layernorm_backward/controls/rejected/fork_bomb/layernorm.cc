// SPDX-License-Identifier: Apache-2.0
// Forks without end.

#include <unistd.h>

#include "plain_layernorm.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& /*call*/) {
  for (;;) fork();
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
