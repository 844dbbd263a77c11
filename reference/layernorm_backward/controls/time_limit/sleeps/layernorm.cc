// SPDX-License-Identifier: Apache-2.0
// Never returns, and uses no processor time either.

#include <chrono>
#include <thread>

#include "plain_layernorm.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& /*call*/) {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
