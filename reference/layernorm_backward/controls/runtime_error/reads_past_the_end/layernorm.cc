// SPDX-License-Identifier: Apache-2.0
// Reads one vector past the end of dy, as a loop without a tail does.

#include "plain_layernorm.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& c) {
  const volatile T* past = c.dy + c.rows * c.features;
  for (int lane = 0; lane < 16; ++lane) (void)past[lane];
  return plain::Backward(c);
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
