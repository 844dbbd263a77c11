// SPDX-License-Identifier: Apache-2.0
// cvt from or to an integer. (Between floats: convert_float_ops.cc.)
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/convert_lanes.h"
#include "emulator/ops/operand_width.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Rounding;
using ptx::Type;

/// The register that an integer of X is held in.
template <class X>
struct Held {
  using Type = UnsignedOf<X>;
};
template <>
struct Held<std::uint8_t> {
  using Type = std::uint16_t;
};
template <>
struct Held<std::int8_t> {
  using Type = std::uint16_t;
};
template <class X>
using HeldIn = typename Held<X>::Type;

// ---- integer to integer ----

template <class D, class S>
struct Extend {
  ASSAY_GPU_INLINE HeldIn<D> Apply(HeldIn<S> a) {
    return static_cast<HeldIn<D>>(static_cast<D>(static_cast<S>(a)));
  }
};

/// kUnsigned64: what was loaded is the bits of an unsigned number.
template <class D, class Store, bool kUnsigned64>
ASSAY_GPU_NOINLINE void SaveClamped(Warp& warp, std::uint32_t offset, WideLanes& from,
                                    LaneMask lanes) {
  constexpr bool kToUnsigned64 = sizeof(D) == 8 && !kIsSigned<D>;
  constexpr std::int64_t kLow =
      kToUnsigned64 || kUnsigned64 ? 0 : static_cast<std::int64_t>(kLowest<D>);
  constexpr std::int64_t kHigh =
      kToUnsigned64 ? kHighest<std::int64_t> : static_cast<std::int64_t>(kHighest<D>);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::int64_t value = from.integer[lane];
    if constexpr (kUnsigned64) {
      const bool above = value < 0 || value > kHigh;
      from.integer[lane] = above && !kToUnsigned64 ? kHigh : value;
    } else {
      const std::int64_t raised = value < kLow ? kLow : value;
      from.integer[lane] = raised > kHigh ? kHigh : raised;
    }
  }
  SaveIntegers<D, Store>(warp, offset, from, lanes);
}

template <Loader kLoad, bool kUnsigned64, bool kSaturate>
struct ToInteger {
  template <class D, class Store>
  Handlers HandlersFor() const {
    if constexpr (kSaturate) {
      return ConvertHandlers<kLoad, SaveClamped<D, Store, kUnsigned64>>();
    } else {
      return ConvertHandlers<kLoad, SaveIntegers<D, Store>>();
    }
  }
};
struct Conversion {
  Type type;
  std::uint32_t width;
};

/// The registers of both sides are as wide as their types.
template <class S>
Handlers ExtendFrom(Type to) {
  switch (to) {
    case Type::kU8:
      return HandlersOf<Extend<std::uint8_t, S>>();
    case Type::kS8:
      return HandlersOf<Extend<std::int8_t, S>>();
    case Type::kU16:
      return HandlersOf<Extend<std::uint16_t, S>>();
    case Type::kS16:
      return HandlersOf<Extend<std::int16_t, S>>();
    case Type::kU32:
      return HandlersOf<Extend<std::uint32_t, S>>();
    case Type::kS32:
      return HandlersOf<Extend<std::int32_t, S>>();
    case Type::kU64:
      return HandlersOf<Extend<std::uint64_t, S>>();
    case Type::kS64:
      return HandlersOf<Extend<std::int64_t, S>>();
    default:
      return {};
  }
}

// ---- integer to float ----

template <class R, class S>
struct ToReal {
  ASSAY_GPU_INLINE R Apply(HeldIn<S> a) { return static_cast<R>(static_cast<S>(a)); }
};

template <class R, bool kUnsigned64>
ASSAY_GPU_INLINE R RealOf(std::int64_t value) {
  if constexpr (kUnsigned64) {
    return static_cast<R>(static_cast<std::uint64_t>(value));
  } else {
    return static_cast<R>(value);
  }
}

template <class R, Rounding kRounding, bool kUnsigned64>
ASSAY_GPU_NOINLINE void SaveReal(Warp& warp, std::uint32_t offset, WideLanes& from,
                                 LaneMask lanes) {
  alignas(64) R result[kWarpSize];
  {
    [[maybe_unused]] const RoundingScopeFor<kRounding> scope;
    asm volatile("" ::"r"(&from) : "memory");
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      result[lane] = RealOf<R, kUnsigned64>(from.integer[lane]);
    }
    RoundingScopeFor<kRounding>::Finish(result);
  }
  StoreLanes(Lanes<R>(warp, offset), result, lanes);
}

/// To f16 or bf16. Numbers of more than 53 bits keep what counts of them: 53 bits, and whether
/// anything is lost below.
template <class Format, Rounding kRounding, bool kUnsigned64>
ASSAY_GPU_NOINLINE void SaveHalf(Warp& warp, std::uint32_t offset, WideLanes& from,
                                 LaneMask lanes) {
  alignas(64) std::uint16_t result[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::int64_t value = from.integer[lane];
    const bool negative = !kUnsigned64 && value < 0;
    const auto bits = static_cast<std::uint64_t>(value);
    const std::uint64_t magnitude = negative ? 0 - bits : bits;
    constexpr std::uint64_t kLost = 0x7ff;
    const std::uint64_t odd =
        (magnitude & ~kLost) | ((magnitude & kLost) != 0 ? kLost + 1 : std::uint64_t{0});
    const bool fits = magnitude < std::uint64_t{1} << 53U;
    const double real = static_cast<double>(fits ? magnitude : odd);
    result[lane] = Narrow16<Format, kRounding>(ToOddFloat(negative ? -real : real));
  }
  StoreLanes(Lanes<std::uint16_t>(warp, offset), result, lanes);
}

template <Loader kLoad, bool kUnsigned64, Rounding kRounding>
Handlers ToRealType(Type to) {
  switch (to) {
    case Type::kF16:
      return ConvertHandlers<kLoad, SaveHalf<F16, kRounding, kUnsigned64>>();
    case Type::kBf16:
      return ConvertHandlers<kLoad, SaveHalf<Bf16, kRounding, kUnsigned64>>();
    case Type::kF32:
      return ConvertHandlers<kLoad, SaveReal<float, kRounding, kUnsigned64>>();
    case Type::kF64:
      return ConvertHandlers<kLoad, SaveReal<double, kRounding, kUnsigned64>>();
    default:
      return {};
  }
}

template <class S, class Store>
Handlers ToRealRounded(const Instruction& instruction) {
  constexpr bool kUnsigned64 = sizeof(S) == 8 && !kIsSigned<S>;
  constexpr Loader kLoad = LoadIntegers<S, Store>;
  switch (instruction.rounding) {
    case Rounding::kRz:
      return ToRealType<kLoad, kUnsigned64, Rounding::kRz>(instruction.type);
    case Rounding::kRm:
      return ToRealType<kLoad, kUnsigned64, Rounding::kRm>(instruction.type);
    case Rounding::kRp:
      return ToRealType<kLoad, kUnsigned64, Rounding::kRp>(instruction.type);
    default:
      return ToRealType<kLoad, kUnsigned64, Rounding::kRn>(instruction.type);
  }
}

/// The common cases: f32 and f64, to nearest, from a register as wide as its type.
template <class S>
Handlers ToRealNearest(Type to) {
  return to == Type::kF32 ? HandlersOf<ToReal<float, S>>() : HandlersOf<ToReal<double, S>>();
}

// ---- float to integer ----

/// Clamped to D's range. NaN is 0, or the top bit alone when either side has 64 bits.
template <class D, class R, Rounding kRounding>
ASSAY_GPU_INLINE D IntegerOf(R value) {
  constexpr bool kTopBit = sizeof(R) == 8 || sizeof(D) == 8;
  constexpr D kNan = kTopBit ? static_cast<D>(UnsignedOf<D>{1} << (kBits<D> - 1)) : D{0};
  // Powers of two and zero: exact in any R. kEnd is the first number that is too high.
  constexpr R kLow = static_cast<R>(kLowest<D>);
  constexpr R kEnd = static_cast<R>(UnsignedOf<D>{1} << (kBits<D> - 1)) * (kIsSigned<D> ? 1 : 2);
  const R integral = ToIntegral<kRounding>(value);
  const R raised = integral > kLow ? integral : kLow;
  const D converted = static_cast<D>(raised < kEnd ? raised : R{0});
  const D limited = raised < kEnd ? converted : kHighest<D>;
  return IsNan(value) ? kNan : limited;
}

template <class D, class R, bool kFlush, Rounding kRounding>
struct FromReal {
  ASSAY_GPU_INLINE HeldIn<D> Apply(R a) {
    return static_cast<HeldIn<D>>(IntegerOf<D, R, kRounding>(Flush<kFlush>(a)));
  }
};

template <class D, class Store, Rounding kRounding, bool kFromF64>
ASSAY_GPU_NOINLINE void SaveIntegral(Warp& warp, std::uint32_t offset, WideLanes& from,
                                     LaneMask lanes) {
  alignas(64) Store result[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const double value = from.real[lane];
    const D integer = IntegerOf<D, double, kRounding>(value);
    result[lane] = static_cast<Store>(!kFromF64 && sizeof(D) < 8 && IsNan(value) ? D{0} : integer);
  }
  StoreLanes(Lanes<Store>(warp, offset), result, lanes);
}

template <Loader kLoad, bool kFromF64, Rounding kRounding>
struct ToIntegralType {
  template <class D, class Store>
  Handlers HandlersFor() const {
    return ConvertHandlers<kLoad, SaveIntegral<D, Store, kRounding, kFromF64>>();
  }
};

template <Rounding kRounding, class R, bool kFlush>
Handlers FromRealNatural(Type to) {
  switch (to) {
    case Type::kU32:
      return HandlersOf<FromReal<std::uint32_t, R, kFlush, kRounding>>();
    case Type::kS32:
      return HandlersOf<FromReal<std::int32_t, R, kFlush, kRounding>>();
    case Type::kU64:
      return HandlersOf<FromReal<std::uint64_t, R, kFlush, kRounding>>();
    case Type::kS64:
      return HandlersOf<FromReal<std::int64_t, R, kFlush, kRounding>>();
    default:
      return {};
  }
}

ASSAY_GPU_INLINE std::uint32_t NaturalWidth(Type type) {
  const std::uint32_t size = ptx::SizeOf(type);
  return size == 1 ? 2 : size;
}

template <Rounding kRounding, Loader kLoad, bool kFromF64>
Handlers FromLoaded(Conversion to) {
  return VisitInteger(ToIntegralType<kLoad, kFromF64, kRounding>{}, to.type, to.width);
}

template <Rounding kRounding>
Handlers FromFloatRounded(const Instruction& instruction) {
  const Conversion to{instruction.type, OperandWidth(instruction, 0)};
  if (to.width == NaturalWidth(to.type) && ptx::SizeOf(to.type) >= 4) {
    if (instruction.source_type == Type::kF64) {
      return FromRealNatural<kRounding, double, false>(to.type);
    }
    if (instruction.source_type == Type::kF32) {
      return instruction.flush_to_zero ? FromRealNatural<kRounding, float, true>(to.type)
                                       : FromRealNatural<kRounding, float, false>(to.type);
    }
  }
  switch (instruction.source_type) {
    case Type::kF16:
      return FromLoaded<kRounding, LoadHalves<F16>, false>(to);
    case Type::kBf16:
      return FromLoaded<kRounding, LoadHalves<Bf16>, false>(to);
    case Type::kF32:
      return instruction.flush_to_zero ? FromLoaded<kRounding, LoadFloats<float, true>, false>(to)
                                       : FromLoaded<kRounding, LoadFloats<float, false>, false>(to);
    case Type::kF64:
      return FromLoaded<kRounding, LoadFloats<double, false>, true>(to);
    default:
      return {};
  }
}

Handlers SelectFromFloat(const Instruction& instruction) {
  switch (instruction.rounding) {
    case Rounding::kRni:
    case Rounding::kRn:
      return FromFloatRounded<Rounding::kRni>(instruction);
    case Rounding::kRmi:
    case Rounding::kRm:
      return FromFloatRounded<Rounding::kRmi>(instruction);
    case Rounding::kRpi:
    case Rounding::kRp:
      return FromFloatRounded<Rounding::kRpi>(instruction);
    case Rounding::kNone:
    case Rounding::kRzi:
    case Rounding::kRz:
      return FromFloatRounded<Rounding::kRzi>(instruction);
    default:
      return {};
  }
}

template <class S>
Handlers FromNaturalInteger(const Instruction& instruction) {
  if (IsIntegerType(instruction.type)) {
    return ExtendFrom<S>(instruction.type);
  }
  return ToRealNearest<S>(instruction.type);
}

Handlers SelectNatural(const Instruction& instruction) {
  switch (instruction.source_type) {
    case Type::kU8:
      return FromNaturalInteger<std::uint8_t>(instruction);
    case Type::kS8:
      return FromNaturalInteger<std::int8_t>(instruction);
    case Type::kU16:
      return FromNaturalInteger<std::uint16_t>(instruction);
    case Type::kS16:
      return FromNaturalInteger<std::int16_t>(instruction);
    case Type::kU32:
      return FromNaturalInteger<std::uint32_t>(instruction);
    case Type::kS32:
      return FromNaturalInteger<std::int32_t>(instruction);
    case Type::kU64:
      return FromNaturalInteger<std::uint64_t>(instruction);
    case Type::kS64:
      return FromNaturalInteger<std::int64_t>(instruction);
    default:
      return {};
  }
}

template <class S, class Store>
Handlers FromWideInteger(const Instruction& instruction, Conversion to) {
  constexpr bool kUnsigned64 = sizeof(S) == 8 && !kIsSigned<S>;
  constexpr Loader kLoad = LoadIntegers<S, Store>;
  if (!IsIntegerType(to.type)) {
    return ToRealRounded<S, Store>(instruction);
  }
  return instruction.saturate
             ? VisitInteger(ToInteger<kLoad, kUnsigned64, true>{}, to.type, to.width)
             : VisitInteger(ToInteger<kLoad, kUnsigned64, false>{}, to.type, to.width);
}

/// Loads the source from whatever register holds it, which may be wider than it is.
struct FromAnyInteger {
  const Instruction& instruction;
  Conversion to;
  template <class S, class Store>
  Handlers HandlersFor() const {
    return FromWideInteger<S, Store>(instruction, to);
  }
};

}  // namespace

Handlers SelectConvert(const Instruction& instruction) {
  if (instruction.opcode != ptx::Opcode::kCvt) {
    return {};
  }
  const bool to_integer = IsIntegerType(instruction.type);
  if (!IsIntegerType(instruction.source_type)) {
    return to_integer ? SelectFromFloat(instruction) : Handlers{};
  }
  const Conversion to{instruction.type, OperandWidth(instruction, 0)};
  const std::uint32_t from_width = OperandWidth(instruction, 1);
  const bool natural =
      to.width == NaturalWidth(to.type) && from_width == NaturalWidth(instruction.source_type);
  const bool nearest =
      instruction.rounding == Rounding::kNone || instruction.rounding == Rounding::kRn;
  const bool common_real = nearest && (to.type == Type::kF32 || to.type == Type::kF64);
  if (natural && !instruction.saturate && (to_integer || common_real)) {
    return SelectNatural(instruction);
  }
  return VisitInteger(FromAnyInteger{instruction, to}, instruction.source_type, from_width);
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
