// SPDX-License-Identifier: Apache-2.0
// bfe, bfi, bfind, bmsk, brev, clz, fns, popc, szext.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/elementwise.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Mode;
using ptx::Opcode;
using ptx::Type;

constexpr std::uint32_t kFieldMask = 0xff;  // of a position or length, what counts
constexpr std::uint32_t kNotFound = 0xffffffffU;

/// The lowest `count` bits; all of them for `count` of the width and more.
template <class T>
ASSAY_GPU_INLINE T LowBits(std::uint32_t count) {
  const T mask = static_cast<T>((T{1} << (count & (kBits<T> - 1))) - 1U);
  return count < kBits<T> ? mask : kAllOnes<T>;
}

template <class T>
struct ExtractField {
  ASSAY_GPU_INLINE T Apply(T a, std::uint32_t b, std::uint32_t c) {
    using U = UnsignedOf<T>;
    const std::uint32_t position = b & kFieldMask;
    const std::uint32_t length = c & kFieldMask;
    const std::uint32_t last = position + length - 1;
    const std::uint32_t sign_position = last < kBits<T> ? last : kBits<T> - 1;
    const U bits = static_cast<U>(a);
    const U field =
        position < kBits<T> ? static_cast<U>(bits >> (position & (kBits<T> - 1))) : U{0};
    // Of what the field has beyond the top bit, and the result beyond the field.
    const bool negative =
        kIsSigned<T> && length != 0 && ((bits >> (sign_position & (kBits<T> - 1))) & 1U) != 0;
    const std::uint32_t available = position < kBits<T> ? kBits<T> - position : 0;
    const U kept = LowBits<U>(length < available ? length : available);
    return static_cast<T>((field & kept) | (negative ? static_cast<U>(~kept) : U{0}));
  }
};
template <class T>
struct InsertField {
  ASSAY_GPU_INLINE T Apply(T a, T b, std::uint32_t c, std::uint32_t d) {
    const std::uint32_t position = c & kFieldMask;
    const std::uint32_t length = d & kFieldMask;
    const std::uint32_t shift = position & (kBits<T> - 1);
    const T place = position < kBits<T> ? static_cast<T>(LowBits<T>(length) << shift) : T{0};
    return static_cast<T>((static_cast<T>(a << shift) & place) | (b & ~place));
  }
};

template <class T>
ASSAY_GPU_INLINE std::uint32_t LeadingZeros(T value) {
  if constexpr (sizeof(T) == 8) {
    return value == 0 ? 64 : static_cast<std::uint32_t>(__builtin_clzll(value));
  } else {
    return value == 0 ? 32 : static_cast<std::uint32_t>(__builtin_clz(value));
  }
}
template <class T>
struct CountLeadingZeros {
  ASSAY_GPU_INLINE std::uint32_t Apply(T a) { return LeadingZeros(a); }
};
template <class T>
struct CountOnes {
  ASSAY_GPU_INLINE std::uint32_t Apply(T a) {
    T count = static_cast<T>(a - ((a >> 1U) & static_cast<T>(kAllOnes<T> / 3)));
    count = static_cast<T>((count & (kAllOnes<T> / 5)) + ((count >> 2U) & (kAllOnes<T> / 5)));
    count = static_cast<T>((count + (count >> 4U)) & (kAllOnes<T> / 17));
    return static_cast<std::uint32_t>((count * (kAllOnes<T> / 255)) >> (kBits<T> - 8));
  }
};
template <class T>
struct Reverse {
  ASSAY_GPU_INLINE T Apply(T a) {
    a = ((a >> 1U) & (kAllOnes<T> / 3)) | ((a & (kAllOnes<T> / 3)) << 1U);
    a = ((a >> 2U) & (kAllOnes<T> / 5)) | ((a & (kAllOnes<T> / 5)) << 2U);
    a = ((a >> 4U) & (kAllOnes<T> / 17)) | ((a & (kAllOnes<T> / 17)) << 4U);
    if constexpr (sizeof(T) == 8) {
      return __builtin_bswap64(a);
    } else {
      return __builtin_bswap32(a);
    }
  }
};

template <class T>
ASSAY_GPU_INLINE std::uint32_t HighestPosition(T a) {
  using U = UnsignedOf<T>;
  const U bits = static_cast<U>(kIsSigned<T> && a < 0 ? ~a : a);
  return kBits<T> - 1 - LeadingZeros(bits);  // kNotFound for none
}
template <class T>
struct FindHighest {
  ASSAY_GPU_INLINE std::uint32_t Apply(T a) { return HighestPosition(a); }
};
template <class T>
struct FindShift {
  ASSAY_GPU_INLINE std::uint32_t Apply(T a) {
    const std::uint32_t position = HighestPosition(a);
    return position == kNotFound ? kNotFound : kBits<T> - 1 - position;
  }
};

template <bool kClamp>
struct MakeMask {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t position = a & 31U;
    const std::uint32_t width = b & 31U;
    const bool too_far = kClamp && a >= 32;
    const bool too_wide = kClamp && b >= 32;
    const std::uint32_t end = position + width;
    const std::uint32_t from = too_far ? 0 : kAllLanes << position;
    const std::uint32_t beyond = end >= 32 || too_far || too_wide ? 0 : kAllLanes << (end & 31U);
    return from & ~beyond;
  }
};

template <class T, bool kClamp>
struct Extend {
  ASSAY_GPU_INLINE T Apply(T a, std::uint32_t b) {
    const std::uint32_t width = b & 31U;
    const bool too_wide = kClamp && b >= 32;
    const std::uint32_t above = too_wide ? 0 : kAllLanes << width;
    const auto bits = static_cast<std::uint32_t>(a);
    const bool negative = kIsSigned<T> && width != 0 && ((bits >> ((width - 1) & 31U)) & 1U) != 0;
    return static_cast<T>((bits & ~above) | (negative ? above : 0));
  }
};

struct FindNthSet {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t mask, std::uint32_t base,
                                       std::int32_t offset) {
    if (base > 31) {
      return kNotFound;  // undefined
    }
    if (offset == 0) {
      return ((mask >> base) & 1U) != 0 ? base : kNotFound;
    }
    const std::int32_t step = offset > 0 ? 1 : -1;
    std::uint32_t left = (offset > 0 ? static_cast<std::uint32_t>(offset)
                                     : 0U - static_cast<std::uint32_t>(offset)) -
                         1;
    for (auto at = static_cast<std::int32_t>(base); at >= 0 && at < 32; at += step) {
      if (((mask >> at) & 1U) != 0 && left-- == 0) {
        return static_cast<std::uint32_t>(at);
      }
    }
    return kNotFound;
  }
};

template <template <class> class Op>
Handlers ForSize(Type type) {
  switch (type) {
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
      return HandlersOf<Op<std::uint32_t>>();
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
      return HandlersOf<Op<std::uint64_t>>();
    default:
      return {};
  }
}

template <template <class> class Op>
Handlers ForType(Type type) {
  switch (type) {
    case Type::kS32:
      return HandlersOf<Op<std::int32_t>>();
    case Type::kS64:
      return HandlersOf<Op<std::int64_t>>();
    default:
      return ForSize<Op>(type);
  }
}

Handlers SelectExtend(const Instruction& instruction) {
  const bool clamp = instruction.mode == Mode::kClamp;
  if (instruction.type == Type::kS32) {
    return clamp ? HandlersOf<Extend<std::int32_t, true>>()
                 : HandlersOf<Extend<std::int32_t, false>>();
  }
  return clamp ? HandlersOf<Extend<std::uint32_t, true>>()
               : HandlersOf<Extend<std::uint32_t, false>>();
}

}  // namespace

Handlers SelectBits(const Instruction& instruction) {
  const Type type = instruction.type;
  switch (instruction.opcode) {
    case Opcode::kBfe:
      return ForType<ExtractField>(type);
    case Opcode::kBfi:
      return ForSize<InsertField>(type);
    case Opcode::kClz:
      return ForSize<CountLeadingZeros>(type);
    case Opcode::kPopc:
      return ForSize<CountOnes>(type);
    case Opcode::kBrev:
      return ForSize<Reverse>(type);
    case Opcode::kBfind:
      return instruction.mode == Mode::kShiftAmount ? ForType<FindShift>(type)
                                                    : ForType<FindHighest>(type);
    case Opcode::kBmsk:
      return instruction.mode == Mode::kClamp ? HandlersOf<MakeMask<true>>()
                                              : HandlersOf<MakeMask<false>>();
    case Opcode::kSzext:
      return SelectExtend(instruction);
    case Opcode::kFns:
      return HandlersOf<FindNthSet>();
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
