// SPDX-License-Identifier: Apache-2.0
// add, sub, mul, mad, mul24, mad24, sad, min, max, abs, neg, dp2a, dp4a on integers.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/elementwise.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Mode;
using ptx::Opcode;
using ptx::Type;

template <class T>
ASSAY_GPU_INLINE T Clamp(WiderOf<T> value) {
  if (value < static_cast<WiderOf<T>>(kLowest<T>)) {
    return kLowest<T>;
  }
  return value > static_cast<WiderOf<T>>(kHighest<T>) ? kHighest<T> : static_cast<T>(value);
}

template <class T>
struct Add {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return static_cast<T>(a + b); }
};
template <class T>
struct Subtract {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return static_cast<T>(a - b); }
};
struct AddSaturated {
  ASSAY_GPU_INLINE std::int32_t Apply(std::int32_t a, std::int32_t b) {
    return Clamp<std::int32_t>(std::int64_t{a} + b);
  }
};
struct SubtractSaturated {
  ASSAY_GPU_INLINE std::int32_t Apply(std::int32_t a, std::int32_t b) {
    return Clamp<std::int32_t>(std::int64_t{a} - b);
  }
};

// 16-bit operands are widened first: their promotion to int could overflow.
template <class T>
ASSAY_GPU_INLINE T LowProduct(T a, T b) {
  if constexpr (sizeof(T) == 2) {
    return static_cast<T>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
  } else {
    return a * b;
  }
}
template <class T>
ASSAY_GPU_INLINE WiderOf<T> Product(T a, T b) {
  return static_cast<WiderOf<T>>(a) * static_cast<WiderOf<T>>(b);
}
template <class T>
ASSAY_GPU_INLINE T HighProduct(T a, T b) {
  return static_cast<T>(Product(a, b) >> kBits<T>);
}

template <class T>
struct MultiplyLow {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return LowProduct(a, b); }
};
template <class T>
struct MultiplyHigh {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return HighProduct(a, b); }
};
template <class T>
struct MultiplyWide {
  ASSAY_GPU_INLINE WiderOf<T> Apply(T a, T b) { return Product(a, b); }
};
template <class T>
struct MultiplyAddLow {
  ASSAY_GPU_INLINE T Apply(T a, T b, T c) { return static_cast<T>(LowProduct(a, b) + c); }
};
// Added without a sign: a sum that wraps is defined.
template <class T>
struct MultiplyAddHigh {
  ASSAY_GPU_INLINE T Apply(T a, T b, T c) {
    using U = UnsignedOf<T>;
    return static_cast<T>(static_cast<U>(HighProduct(a, b)) + static_cast<U>(c));
  }
};
struct MultiplyAddHighSaturated {
  ASSAY_GPU_INLINE std::int32_t Apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return Clamp<std::int32_t>(std::int64_t{HighProduct(a, b)} + c);
  }
};
template <class T>
struct MultiplyAddWide {
  ASSAY_GPU_INLINE WiderOf<T> Apply(T a, T b, WiderOf<T> c) {
    using U = UnsignedOf<WiderOf<T>>;
    return static_cast<WiderOf<T>>(static_cast<U>(Product(a, b)) + static_cast<U>(c));
  }
};

template <class T>
ASSAY_GPU_INLINE std::int64_t Product24(T a, T b) {
  const auto low24 = [](T value) __attribute__((always_inline)) {
    return static_cast<std::int64_t>(static_cast<T>(static_cast<std::uint32_t>(value) << 8U) >> 8);
  };
  return low24(a) * low24(b);
}
constexpr std::uint32_t kHigh24Shift = 16;  // bits 47..16 of the 48-bit product

template <class T>
struct Multiply24Low {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return static_cast<T>(Product24(a, b)); }
};
template <class T>
struct Multiply24High {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return static_cast<T>(Product24(a, b) >> kHigh24Shift); }
};
template <class T>
struct MultiplyAdd24Low {
  ASSAY_GPU_INLINE T Apply(T a, T b, T c) {
    return static_cast<T>(static_cast<std::uint32_t>(Multiply24Low<T>::Apply(a, b)) +
                          static_cast<std::uint32_t>(c));
  }
};
template <class T>
struct MultiplyAdd24High {
  ASSAY_GPU_INLINE T Apply(T a, T b, T c) {
    return static_cast<T>(static_cast<std::uint32_t>(Multiply24High<T>::Apply(a, b)) +
                          static_cast<std::uint32_t>(c));
  }
};
struct MultiplyAdd24HighSaturated {
  ASSAY_GPU_INLINE std::int32_t Apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return Clamp<std::int32_t>(std::int64_t{Multiply24High<std::int32_t>::Apply(a, b)} + c);
  }
};

template <class T>
struct SumOfAbsoluteDifferences {
  ASSAY_GPU_INLINE T Apply(T a, T b, T c) {
    using U = UnsignedOf<T>;
    const U difference = static_cast<U>(a < b ? static_cast<U>(b) - static_cast<U>(a)
                                              : static_cast<U>(a) - static_cast<U>(b));
    return static_cast<T>(static_cast<U>(c) + difference);
  }
};
template <class T>
struct Minimum {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return a < b ? a : b; }
};
template <class T>
struct Maximum {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return a > b ? a : b; }
};
template <class T>
struct MinimumRelu {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return Maximum<T>::Apply(Minimum<T>::Apply(a, b), 0); }
};
template <class T>
struct MaximumRelu {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return Maximum<T>::Apply(Maximum<T>::Apply(a, b), 0); }
};
template <class T>
struct Negate {
  ASSAY_GPU_INLINE T Apply(T a) { return static_cast<T>(UnsignedOf<T>{0} - UnsignedOf<T>(a)); }
};
template <class T>
struct Absolute {
  ASSAY_GPU_INLINE T Apply(T a) { return a < 0 ? Negate<T>::Apply(a) : a; }
};

template <class Byte>
ASSAY_GPU_INLINE std::uint32_t ByteOf(std::uint32_t word, std::uint32_t index) {
  return static_cast<std::uint32_t>(std::int32_t{static_cast<Byte>(word >> (8 * index))});
}
template <class Half>
ASSAY_GPU_INLINE std::uint32_t HalfOf(std::uint32_t word, std::uint32_t index) {
  return static_cast<std::uint32_t>(std::int32_t{static_cast<Half>(word >> (16 * index))});
}
template <class Byte>
ASSAY_GPU_INLINE std::uint32_t DifferenceOfBytes(std::uint32_t a, std::uint32_t b,
                                                 std::uint32_t index) {
  const int of_a = static_cast<Byte>(a >> (8 * index));
  const int of_b = static_cast<Byte>(b >> (8 * index));
  return static_cast<std::uint32_t>(of_a < of_b ? of_b - of_a : of_a - of_b);
}
template <class A, class B>
struct DotOfBytes {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return c + ByteOf<A>(a, 0) * ByteOf<B>(b, 0) + ByteOf<A>(a, 1) * ByteOf<B>(b, 1) +
           ByteOf<A>(a, 2) * ByteOf<B>(b, 2) + ByteOf<A>(a, 3) * ByteOf<B>(b, 3);
  }
};
template <class A, class B, std::uint32_t kFirst>
struct DotOfHalves {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return c + HalfOf<A>(a, 0) * ByteOf<B>(b, kFirst) + HalfOf<A>(a, 1) * ByteOf<B>(b, kFirst + 1);
  }
};

// Without a sum c is what the bytes that a mask leaves out keep, and no mask is taken.
template <class Byte>
struct DifferencesOfBytes {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t a, std::uint32_t b, std::uint32_t /*c*/) {
    std::uint32_t differences = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      differences |= DifferenceOfBytes<Byte>(a, b, i) << (8 * i);
    }
    return differences;
  }
};
template <class Byte>
struct SumOfDifferencesOfBytes {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return c + DifferenceOfBytes<Byte>(a, b, 0) + DifferenceOfBytes<Byte>(a, b, 1) +
           DifferenceOfBytes<Byte>(a, b, 2) + DifferenceOfBytes<Byte>(a, b, 3);
  }
};

template <template <class> class Op>
Handlers For24(Type type) {
  if (type == Type::kU32) {
    return HandlersOf<Op<std::uint32_t>>();
  }
  return type == Type::kS32 ? HandlersOf<Op<std::int32_t>>() : Handlers{};
}

template <template <class> class Op>
Handlers ForWide(Type type) {
  switch (type) {
    case Type::kU16:
      return HandlersOf<Op<std::uint16_t>>();
    case Type::kS16:
      return HandlersOf<Op<std::int16_t>>();
    case Type::kU32:
      return HandlersOf<Op<std::uint32_t>>();
    case Type::kS32:
      return HandlersOf<Op<std::int32_t>>();
    default:
      return {};
  }
}

template <template <class> class Op>
Handlers ForSigned(Type type) {
  switch (type) {
    case Type::kS16:
      return HandlersOf<Op<std::int16_t>>();
    case Type::kS32:
      return HandlersOf<Op<std::int32_t>>();
    case Type::kS64:
      return HandlersOf<Op<std::int64_t>>();
    case Type::kS16x2:
      return PackedHandlersOf<Op<std::int16_t>>();
    default:
      return {};
  }
}

Handlers SelectMultiply(const Instruction& instruction) {
  switch (instruction.mode) {
    case Mode::kLo:
      return ForBits<MultiplyLow>(instruction.type);
    case Mode::kHi:
      return ForInteger<MultiplyHigh>(instruction.type);
    case Mode::kWide:
      return ForWide<MultiplyWide>(instruction.type);
    default:
      return {};
  }
}

Handlers SelectMultiplyAdd(const Instruction& instruction) {
  switch (instruction.mode) {
    case Mode::kLo:
      return ForBits<MultiplyAddLow>(instruction.type);
    case Mode::kHi:
      return instruction.saturate ? HandlersOf<MultiplyAddHighSaturated>()
                                  : ForInteger<MultiplyAddHigh>(instruction.type);
    case Mode::kWide:
      return ForWide<MultiplyAddWide>(instruction.type);
    default:
      return {};
  }
}

Handlers SelectMultiplyAdd24(const Instruction& instruction) {
  if (instruction.mode == Mode::kLo) {
    return For24<MultiplyAdd24Low>(instruction.type);
  }
  return instruction.saturate ? HandlersOf<MultiplyAdd24HighSaturated>()
                              : For24<MultiplyAdd24High>(instruction.type);
}

template <class ByteA, class HalfA, class B>
Handlers DotOf(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kDp4a) {
    return HandlersOf<DotOfBytes<ByteA, B>>();
  }
  return instruction.mode == Mode::kHi ? HandlersOf<DotOfHalves<HalfA, B, 2>>()
                                       : HandlersOf<DotOfHalves<HalfA, B, 0>>();
}

Handlers SelectDot(const Instruction& instruction) {
  const bool a_signed = instruction.type == Type::kS32;
  const bool b_signed = instruction.source_type == Type::kS32;
  if (a_signed) {
    return b_signed ? DotOf<std::int8_t, std::int16_t, std::int8_t>(instruction)
                    : DotOf<std::int8_t, std::int16_t, std::uint8_t>(instruction);
  }
  return b_signed ? DotOf<std::uint8_t, std::uint16_t, std::int8_t>(instruction)
                  : DotOf<std::uint8_t, std::uint16_t, std::uint8_t>(instruction);
}

template <class Byte>
Handlers DifferencesOf(const Instruction& instruction) {
  return instruction.mode == Mode::kSum ? HandlersOf<SumOfDifferencesOfBytes<Byte>>()
                                        : HandlersOf<DifferencesOfBytes<Byte>>();
}

}  // namespace

Handlers SelectInteger(const Instruction& instruction) {
  const Type type = instruction.type;
  switch (instruction.opcode) {
    case Opcode::kAdd:
      return instruction.saturate ? HandlersOf<AddSaturated>() : ForBits<Add>(type);
    case Opcode::kSub:
      return instruction.saturate ? HandlersOf<SubtractSaturated>() : ForBits<Subtract>(type);
    case Opcode::kMul:
      return SelectMultiply(instruction);
    case Opcode::kMad:
      return SelectMultiplyAdd(instruction);
    case Opcode::kMul24:
      return instruction.mode == Mode::kLo ? For24<Multiply24Low>(type)
                                           : For24<Multiply24High>(type);
    case Opcode::kMad24:
      return SelectMultiplyAdd24(instruction);
    case Opcode::kSad:
      return ForInteger<SumOfAbsoluteDifferences>(type);
    case Opcode::kMin:
      return instruction.relu ? ForSigned<MinimumRelu>(type) : ForInteger<Minimum>(type);
    case Opcode::kMax:
      return instruction.relu ? ForSigned<MaximumRelu>(type) : ForInteger<Maximum>(type);
    case Opcode::kAbs:
      return ForSigned<Absolute>(type);
    case Opcode::kNeg:
      return ForSigned<Negate>(type);
    case Opcode::kDp2a:
    case Opcode::kDp4a:
      return SelectDot(instruction);
    case Opcode::kVabsdiff4:
      return instruction.source_type == Type::kS32 ? DifferencesOf<std::int8_t>(instruction)
                                                   : DifferencesOf<std::uint8_t>(instruction);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
