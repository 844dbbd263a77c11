// SPDX-License-Identifier: Apache-2.0
// Computes in a narrower type than it says: f64 in float, f32 from dy in bfloat16.

#include "narrow_dy.h"

namespace {

int Backward(const plain::BackwardCall<float>& c) {
  return plain::BackwardOfNarrowDy(c, plain::ToBfloat16);
}

int Backward(const plain::BackwardCall<double>& c) {
  return plain::BackwardOfNarrowDy(c, [](float value) { return value; });
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
