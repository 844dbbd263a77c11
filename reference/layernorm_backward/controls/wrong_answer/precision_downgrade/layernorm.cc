// SPDX-License-Identifier: Apache-2.0
// Computes in a narrower type than it says: f64 in float, f32 from dy in bfloat16.

#include <cstdint>
#include <vector>

#include "plain_layernorm.h"

namespace {

/// The value with the upper half of the fraction of a float, as bfloat16 has it.
inline float ToBfloat16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x8000U) & 0xffff0000U;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

float Narrow(float value) { return ToBfloat16(value); }
double Narrow(double value) { return static_cast<double>(static_cast<float>(value)); }

template <class T>
int Backward(plain::BackwardCall<T> c) {
  std::vector<T> narrow(c.dy, c.dy + c.rows * c.features);
  for (T& value : narrow) value = Narrow(value);
  c.dy = narrow.data();
  return plain::Backward(c);
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
