// SPDX-License-Identifier: Apache-2.0
// Computes f64 in float and f32 rightly: only the check of f64 can tell.

#include "narrow_dy.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& c) {
  return plain::BackwardOfNarrowDy(c, [](float value) { return value; });
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
