// SPDX-License-Identifier: Apache-2.0
// Writes one element past the end of dx.

#include "plain_layernorm.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& c) {
  const int status = plain::Backward(c);
  volatile T* past = c.dx + c.rows * c.features;
  *past = 1;
  return status;
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
