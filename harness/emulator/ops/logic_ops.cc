// SPDX-License-Identifier: Apache-2.0
// and, or, xor, not, cnot, lop3, shl, shr, shf, prmt.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/elementwise.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::BoolOp;
using ptx::Instruction;
using ptx::Mode;
using ptx::Opcode;
using ptx::Type;

template <class T>
struct And {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return static_cast<T>(a & b); }
};
template <class T>
struct Or {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return static_cast<T>(a | b); }
};
template <class T>
struct Xor {
  ASSAY_GPU_INLINE T Apply(T a, T b) { return static_cast<T>(a ^ b); }
};
template <class T>
struct Not {
  ASSAY_GPU_INLINE T Apply(T a) { return static_cast<T>(~a); }
};
template <class T>
struct LogicalNot {
  ASSAY_GPU_INLINE T Apply(T a) { return a == 0 ? T{1} : T{0}; }
};

template <template <class> class Op>
struct OnPredicates : WholePredicate<OnPredicates<Op>> {
  ASSAY_GPU_INLINE LaneMask Compute(Warp& warp, const Step* step) {
    return Op<LaneMask>::Apply(Predicate(warp, step->operand[1]),
                               Predicate(warp, step->operand[2]));
  }
};
struct NotPredicate : WholePredicate<NotPredicate> {
  ASSAY_GPU_INLINE LaneMask Compute(Warp& warp, const Step* step) {
    return ~Predicate(warp, step->operand[1]);
  }
};

template <template <class> class Op>
Handlers ForLogic(Type type) {
  if (type == Type::kPred) {
    return {OnPredicates<Op>::Full, OnPredicates<Op>::Masked};
  }
  return ForBits<Op>(type);
}

template <class T>
struct ShiftLeft {
  ASSAY_GPU_INLINE T Apply(T a, std::uint32_t count) {
    const T shifted = static_cast<T>(a << (count & (kBits<T> - 1)));
    return count < kBits<T> ? shifted : T{0};
  }
};
template <class T>
struct ShiftRight {
  ASSAY_GPU_INLINE T Apply(T a, std::uint32_t count) {
    if constexpr (kIsSigned<T>) {
      return static_cast<T>(a >> (count < kBits<T> ? count : kBits<T> - 1));
    }
    const T shifted = static_cast<T>(a >> (count & (kBits<T> - 1)));
    return count < kBits<T> ? shifted : T{0};
  }
};

Handlers SelectShiftRight(Type type) {
  switch (type) {
    case Type::kB16:
      return HandlersOf<ShiftRight<std::uint16_t>>();
    case Type::kB32:
      return HandlersOf<ShiftRight<std::uint32_t>>();
    case Type::kB64:
      return HandlersOf<ShiftRight<std::uint64_t>>();
    default:
      return ForInteger<ShiftRight>(type);
  }
}

template <bool kWrap>
ASSAY_GPU_INLINE std::uint32_t FunnelCount(std::uint32_t count) {
  if constexpr (kWrap) {
    return count & 31U;
  }
  return count < 32 ? count : 32;
}
ASSAY_GPU_INLINE std::uint64_t Joined(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32U | low;
}
template <bool kWrap>
struct FunnelLeft {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t a, std::uint32_t b, std::uint32_t count) {
    return static_cast<std::uint32_t>((Joined(a, b) << FunnelCount<kWrap>(count)) >> 32U);
  }
};
template <bool kWrap>
struct FunnelRight {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t a, std::uint32_t b, std::uint32_t count) {
    return static_cast<std::uint32_t>(Joined(a, b) >> FunnelCount<kWrap>(count));
  }
};

Handlers SelectFunnel(Mode mode) {
  switch (mode) {
    case Mode::kLeftClamp:
      return HandlersOf<FunnelLeft<false>>();
    case Mode::kLeftWrap:
      return HandlersOf<FunnelLeft<true>>();
    case Mode::kRightClamp:
      return HandlersOf<FunnelRight<false>>();
    case Mode::kRightWrap:
      return HandlersOf<FunnelRight<true>>();
    default:
      return {};
  }
}

/// Bit i of kTable is the result for bits (a, b, c) = the digits of i.
template <std::uint32_t kTable>
struct Lop3 {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t without_a = Pick < kTable & 15U > (b, c);
    const std::uint32_t with_a = Pick<(kTable >> 4U)>(b, c);
    return (~a & without_a) | (a & with_a);
  }
  template <std::uint32_t kPart>
  ASSAY_GPU_INLINE std::uint32_t Pick(std::uint32_t b, std::uint32_t c) {
    std::uint32_t result = 0;
    result |= (kPart & 1U) != 0 ? ~b & ~c : 0;
    result |= (kPart & 2U) != 0 ? ~b & c : 0;
    result |= (kPart & 4U) != 0 ? b & ~c : 0;
    result |= (kPart & 8U) != 0 ? b & c : 0;
    return result;
  }
};

template <std::size_t... kTables>
Handlers PickLop3(std::uint8_t table, std::index_sequence<kTables...> /*tables*/) {
  static constexpr Handlers kHandlers[] = {
      {Elementwise<Lop3<kTables>, 1, PlainEnvironment, decltype(&Lop3<kTables>::Apply)>::Full,
       Elementwise<Lop3<kTables>, 1, PlainEnvironment,
                   decltype(&Lop3<kTables>::Apply)>::Masked}...};
  return kHandlers[table];
}

/// lop3.or.b32 d|p, a, b, c, table, q: p = (d != 0) or q. Its seven operands are at Step::operands.
template <BoolOp kCombine>
struct Lop3WithPredicate {
  static void Run(Warp& warp, const Step* step, LaneMask lanes) {
    const std::uint32_t* operands = step->operands;
    const auto* a = Lanes<std::uint32_t>(warp, operands[2]);
    const auto* b = Lanes<std::uint32_t>(warp, operands[3]);
    const auto* c = Lanes<std::uint32_t>(warp, operands[4]);
    const std::uint32_t table = *Lanes<std::uint32_t>(warp, operands[5]);
    alignas(64) std::uint32_t result[kWarpSize];
    alignas(64) std::int32_t nonzero[kWarpSize];
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      std::uint32_t value = 0;
      for (std::uint32_t row = 0; row < 8; ++row) {
        const std::uint32_t match = ((row & 4U) != 0 ? a[lane] : ~a[lane]) &
                                    ((row & 2U) != 0 ? b[lane] : ~b[lane]) &
                                    ((row & 1U) != 0 ? c[lane] : ~c[lane]);
        value |= ((table >> row) & 1U) != 0 ? match : 0;
      }
      result[lane] = value;
      nonzero[lane] = value != 0 ? -1 : 0;
    }
    const LaneMask q = Predicate(warp, operands[6]);
    const LaneMask p = GatherSigns(nonzero);
    StoreLanes(Lanes<std::uint32_t>(warp, operands[0]), result, lanes);
    StorePredicate(Predicate(warp, operands[1]),
                   kCombine == BoolOp::kAnd  ? p & q
                   : kCombine == BoolOp::kOr ? p | q
                                             : p ^ q,
                   lanes);
  }
  static const Step* Full(Warp& warp, const Step* step) {
    Run(warp, step, kAllLanes);
    return step + 1;
  }
  static const Step* Masked(Warp& warp, const Step* step) {
    Run(warp, step, ExecutedLanes(warp, step));
    return step + 1;
  }
};

Handlers SelectLop3(const Instruction& instruction) {
  switch (instruction.bool_op) {
    case BoolOp::kAnd:
      return {Lop3WithPredicate<BoolOp::kAnd>::Full, Lop3WithPredicate<BoolOp::kAnd>::Masked};
    case BoolOp::kOr:
      return {Lop3WithPredicate<BoolOp::kOr>::Full, Lop3WithPredicate<BoolOp::kOr>::Masked};
    case BoolOp::kXor:
      return {Lop3WithPredicate<BoolOp::kXor>::Full, Lop3WithPredicate<BoolOp::kXor>::Masked};
    default:
      return PickLop3(instruction.truth_table, std::make_index_sequence<256>{});
  }
}

/// Four digits of a selector choose four of the eight bytes of b and a; 8 replicates the sign.
ASSAY_GPU_INLINE std::uint32_t Permuted(std::uint32_t a, std::uint32_t b, std::uint64_t selector) {
  const std::uint64_t bytes = Joined(a, b);
  std::uint64_t result = 0;
  for (std::uint32_t place = 0; place < 4; ++place) {
    const std::uint64_t digit = selector >> (4 * place);
    const std::uint64_t byte = (bytes >> (8 * (digit & 7U))) & 0xffU;
    const std::uint64_t sign = (byte >> 7U) * 0xffU;
    result |= ((digit & 8U) != 0 ? sign : byte) << (8 * place);
  }
  return static_cast<std::uint32_t>(result);
}
struct Permute {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return Permuted(a, b, c);
  }
};
/// The other modes: two bits of c pick one of four selectors, of 16 bits each, the first lowest.
template <std::uint64_t kSelectors>
struct PermuteBy {
  ASSAY_GPU_INLINE std::uint32_t Apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return Permuted(a, b, (kSelectors >> (16 * (c & 3U))) & 0x7777U);
  }
};

Handlers SelectPermute(Mode mode) {
  switch (mode) {
    case Mode::kNone:
      return HandlersOf<Permute>();
    case Mode::kF4e:
      return HandlersOf<PermuteBy<0x6543'5432'4321'3210U>>();
    case Mode::kB4e:
      return HandlersOf<PermuteBy<0x0123'7012'6701'5670U>>();
    case Mode::kRc8:
      return HandlersOf<PermuteBy<0x3333'2222'1111'0000U>>();
    case Mode::kEcl:
      return HandlersOf<PermuteBy<0x3333'3222'3211'3210U>>();
    case Mode::kEcr:
      return HandlersOf<PermuteBy<0x3210'2210'1110'0000U>>();
    case Mode::kRc16:
      return HandlersOf<PermuteBy<0x3232'1010'3232'1010U>>();
    default:
      return {};
  }
}

}  // namespace

Handlers SelectLogic(const Instruction& instruction) {
  const Type type = instruction.type;
  switch (instruction.opcode) {
    case Opcode::kAnd:
      return ForLogic<And>(type);
    case Opcode::kOr:
      return ForLogic<Or>(type);
    case Opcode::kXor:
      return ForLogic<Xor>(type);
    case Opcode::kNot:
      return type == Type::kPred ? Handlers{NotPredicate::Full, NotPredicate::Masked}
                                 : ForBits<Not>(type);
    case Opcode::kCnot:
      return ForBits<LogicalNot>(type);
    case Opcode::kLop3:
      return SelectLop3(instruction);
    case Opcode::kShl:
      return ForBits<ShiftLeft>(type);
    case Opcode::kShr:
      return SelectShiftRight(type);
    case Opcode::kShf:
      return SelectFunnel(instruction.mode);
    case Opcode::kPrmt:
      return SelectPermute(instruction.mode);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
