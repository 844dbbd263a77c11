// SPDX-License-Identifier: Apache-2.0
// div and rem of integers. Division by zero gives all ones, as the hardware's sequences do, and
// the lowest number by -1 wraps; neither may trap here.
#include <cstdint>
#include <type_traits>

#include "emulator/ops/arithmetic.h"
#include "emulator/ops/elementwise.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Opcode;

template <class T>
ASSAY_GPU_INLINE T Quotient(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    const bool wraps = kIsSigned<T> && b == static_cast<T>(-1);
    const T divisor = b == 0 || wraps ? T{1} : b;
    const T quotient = static_cast<T>(a / divisor);
    const T negated = static_cast<T>(UnsignedOf<T>{0} - static_cast<UnsignedOf<T>>(a));
    return b == 0 ? kAllOnes<T> : (wraps ? negated : quotient);
  } else {
    // A quotient in Real, truncated, is right: the error of a division, a/b * 2^-p, must be less
    // than 1/b, by which a quotient misses the next integer at least.
    using Real = std::conditional_t<sizeof(T) == 2, float, double>;
    using Integer = std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>;
    const T divisor = b == 0 ? T{1} : b;
    const auto quotient = static_cast<Integer>(static_cast<Real>(a) / static_cast<Real>(divisor));
    return b == 0 ? kAllOnes<T> : static_cast<T>(quotient);
  }
}

template <class T>
struct Divide {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return Quotient(a, b); }
};
template <class T>
struct Remainder {
  ASSAY_GPU_INLINE T Apply(T a, T b) {
    using U = std::uint64_t;
    const T quotient = Quotient(a, b);
    const T rest = static_cast<T>(static_cast<U>(a) - static_cast<U>(quotient) * static_cast<U>(b));
    return b == 0 ? kAllOnes<T> : rest;
  }
};

}  // namespace

Handlers SelectDivide(const Instruction& instruction) {
  if (instruction.type == ptx::Type::kU16x2 || instruction.type == ptx::Type::kS16x2) {
    return {};
  }
  switch (instruction.opcode) {
    case Opcode::kDiv:
      return ForInteger<Divide>(instruction.type);
    case Opcode::kRem:
      return ForInteger<Remainder>(instruction.type);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
