// SPDX-License-Identifier: Apache-2.0
// Ends the process with exit code 0 in the middle of a call.

#include <cstdlib>

#include "plain_layernorm.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& /*call*/) {
  std::_Exit(0);
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
