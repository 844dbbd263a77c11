// SPDX-License-Identifier: Apache-2.0
// What a load or store moves, and from it the types of the template that moves it. Included only by
// the sources of ops/ (see lanes.h).
#ifndef ASSAY_EMULATOR_OPS_MEMORY_SHAPE_H_
#define ASSAY_EMULATOR_OPS_MEMORY_SHAPE_H_

#include <cstdint>

#include "emulator/ops/lanes.h"

namespace assay::gpu::ASSAY_GPU_ISA {

struct MemoryShape {
  std::uint32_t bytes = 0;  ///< Of an element in memory.
  bool is_signed = false;
  std::uint32_t width = 0;  ///< Of its register, in bytes.
  std::uint32_t count = 1;  ///< Elements of a lane.
  std::uint32_t address_width = 8;
};

// In what follows Forms is a struct with
//   kExtends: whether registers wider than the element get its sign, so that it matters;
//   HandlersFor<M, R, kCount>(): M an element in memory (signed: to extend the sign), R its
//   register, kCount elements.

template <class Forms, class M, class R>
Handlers ByCount(std::uint32_t count) {
  if (count == 1) {
    return Forms::template HandlersFor<M, R, 1>();
  }
  if (count == 2) {
    return Forms::template HandlersFor<M, R, 2>();
  }
  if constexpr (sizeof(M) <= 4) {
    if (count == 4) {
      return Forms::template HandlersFor<M, R, 4>();
    }
  }
  return {};
}

/// S: the signed type of M's size.
template <class Forms, class M, class S, class R>
Handlers BySign(const MemoryShape& shape) {
  if constexpr (sizeof(R) < sizeof(M)) {
    return {};
  } else if constexpr (!Forms::kExtends || sizeof(R) == sizeof(M)) {
    return ByCount<Forms, M, R>(shape.count);
  } else {
    return shape.is_signed ? ByCount<Forms, S, R>(shape.count) : ByCount<Forms, M, R>(shape.count);
  }
}

template <class Forms, class M, class S>
Handlers ByRegister(const MemoryShape& shape) {
  switch (shape.width) {
    case 2:
      return BySign<Forms, M, S, std::uint16_t>(shape);
    case 4:
      return BySign<Forms, M, S, std::uint32_t>(shape);
    case 8:
      return BySign<Forms, M, S, std::uint64_t>(shape);
    default:
      return {};
  }
}

template <class Forms>
Handlers ByType(const MemoryShape& shape) {
  switch (shape.bytes) {
    case 1:
      return ByRegister<Forms, std::uint8_t, std::int8_t>(shape);
    case 2:
      return ByRegister<Forms, std::uint16_t, std::int16_t>(shape);
    case 4:
      return ByRegister<Forms, std::uint32_t, std::int32_t>(shape);
    case 8:
      return ByRegister<Forms, std::uint64_t, std::int64_t>(shape);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_MEMORY_SHAPE_H_
