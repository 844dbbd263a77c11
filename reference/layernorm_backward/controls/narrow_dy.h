// SPDX-License-Identifier: Apache-2.0
#ifndef NARROW_DY_H_
#define NARROW_DY_H_

// For controls that compute in a narrower type than they say. Copied beside their sources like
// plain_layernorm.h.

#include <cstdint>
#include <cstring>
#include <vector>

#include "plain_layernorm.h"

namespace plain {

/// The value with the upper half of the fraction of a float, as bfloat16 has it.
inline float ToBfloat16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x8000U) & 0xffff0000U;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

/// Backward of `narrow(dy)`, element by element.
template <class T, class Narrow>
int BackwardOfNarrowDy(BackwardCall<T> c, Narrow narrow) {
  std::vector<T> dy(c.dy, c.dy + c.rows * c.features);
  for (T& value : dy) value = static_cast<T>(narrow(static_cast<float>(value)));
  c.dy = dy.data();
  return Backward(c);
}

}  // namespace plain

#endif  // NARROW_DY_H_
