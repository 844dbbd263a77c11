// SPDX-License-Identifier: Apache-2.0
// mov: of registers and constants, of predicates, of vectors packed into a register and unpacked,
// and of the clocks.
#include "emulator/ops/arithmetic.h"
#include "emulator/ops/elementwise.h"
#include "emulator/ops/operand_width.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::SpecialRegister;

struct Wide {
  std::uint64_t low;
  std::uint64_t high;
};

template <class T>
struct Copy {
  ASSAY_GPU_INLINE T Apply(T a) { return a; }
};

struct MovePredicate : WholePredicate<MovePredicate> {
  ASSAY_GPU_INLINE LaneMask Compute(Warp& warp, const Step* step) {
    return Predicate(warp, step->operand[1]);
  }
};

struct MoveWide {
  static const Step* Masked(Warp& warp, const Step* step) {
    const LaneMask lanes = ExecutedLanes(warp, step);
    const Wide* from = Lanes<Wide>(warp, step->operand[1]);
    Wide* to = Lanes<Wide>(warp, step->operand[0]);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = ((lanes >> lane) & 1U) != 0 ? from[lane] : to[lane];
    }
    return step + 1;
  }
};

/// Bits of T in each of its kParts parts.
template <class T, std::uint32_t kParts>
inline constexpr std::uint32_t kPartBits = kBits<T> / kParts;
template <class T, std::uint32_t kParts>
inline constexpr T kPartMask = static_cast<T>((T{1} << kPartBits<T, kParts>)-1);

/// T is of kParts parts, the first lowest, each in a P (a byte in 16 bits). `to` may be a source.
template <class T, class P, std::uint32_t kParts>
struct Pack : WholeWarp<Pack<T, P, kParts>, T> {
  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* step, T* to) {
    alignas(64) T packed[kWarpSize];
    for (std::uint32_t part = 0; part < kParts; ++part) {
      const P* from = Lanes<P>(warp, step->operand[1 + part]);
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const T bits = static_cast<T>(static_cast<T>(from[lane]) & kPartMask<T, kParts>);
        const T shifted = static_cast<T>(bits << (part * kPartBits<T, kParts>));
        packed[lane] = part == 0 ? shifted : static_cast<T>(packed[lane] | shifted);
      }
    }
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = packed[lane];
    }
  }
};

template <class T, class P, std::uint32_t kParts>
struct Unpack {
  static const Step* Masked(Warp& warp, const Step* step) {
    const LaneMask lanes = ExecutedLanes(warp, step);
    alignas(64) P parts[kParts][kWarpSize];
    const T* from = Lanes<T>(warp, step->operand[kParts]);
    for (std::uint32_t part = 0; part < kParts; ++part) {
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        parts[part][lane] =
            static_cast<P>((from[lane] >> (part * kPartBits<T, kParts>)) & kPartMask<T, kParts>);
      }
    }
    for (std::uint32_t part = 0; part < kParts; ++part) {
      StoreLanes(Lanes<P>(warp, step->operand[part]), parts[part], lanes);
    }
    return step + 1;
  }
};

struct PackWide {
  static const Step* Masked(Warp& warp, const Step* step) {
    const LaneMask lanes = ExecutedLanes(warp, step);
    Wide* to = Lanes<Wide>(warp, step->operand[0]);
    const auto* low = Lanes<std::uint64_t>(warp, step->operand[1]);
    const auto* high = Lanes<std::uint64_t>(warp, step->operand[2]);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = ((lanes >> lane) & 1U) != 0 ? Wide{low[lane], high[lane]} : to[lane];
    }
    return step + 1;
  }
};
struct UnpackWide {
  static const Step* Masked(Warp& warp, const Step* step) {
    const LaneMask lanes = ExecutedLanes(warp, step);
    auto* low = Lanes<std::uint64_t>(warp, step->operand[0]);
    auto* high = Lanes<std::uint64_t>(warp, step->operand[1]);
    const Wide* from = Lanes<Wide>(warp, step->operand[2]);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const bool moves = ((lanes >> lane) & 1U) != 0;
      low[lane] = moves ? from[lane].low : low[lane];
      high[lane] = moves ? from[lane].high : high[lane];
    }
    return step + 1;
  }
};

template <class T, std::uint32_t kShift>
struct ReadClock : WholeWarp<ReadClock<T, kShift>, T> {
  ASSAY_GPU_INLINE void Compute(Warp& warp, const Step* /*step*/, T* to) {
    const T value = static_cast<T>(warp.worker->clock >> kShift);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      to[lane] = value;
    }
  }
};

Handlers SelectClock(SpecialRegister special, std::uint32_t width) {
  const bool high =
      special == SpecialRegister::kClockHi || special == SpecialRegister::kGlobaltimerHi;
  if (width == 8) {
    return {ReadClock<std::uint64_t, 0>::Masked, ReadClock<std::uint64_t, 0>::Masked};
  }
  if (width != 4) {
    return {};
  }
  return high ? Handlers{ReadClock<std::uint32_t, 32>::Masked, ReadClock<std::uint32_t, 32>::Masked}
              : Handlers{ReadClock<std::uint32_t, 0>::Masked, ReadClock<std::uint32_t, 0>::Masked};
}

bool IsClock(const Operand& operand) {
  if (operand.kind != Operand::Kind::kSpecial) {
    return false;
  }
  switch (operand.special) {
    case SpecialRegister::kClock:
    case SpecialRegister::kClockHi:
    case SpecialRegister::kClock64:
    case SpecialRegister::kGlobaltimer:
    case SpecialRegister::kGlobaltimerLo:
    case SpecialRegister::kGlobaltimerHi:
      return true;
    default:
      return false;
  }
}

template <class Form>
Handlers OneForm() {
  return {Form::Masked, Form::Masked};
}

/// `whole`: bytes of the register; `parts`: elements of the vector.
Handlers SelectPack(std::uint32_t whole, std::size_t parts) {
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  switch (whole * 16 + parts) {
    case 2 * 16 + 2:
      return {Pack<U16, U16, 2>::Full, Pack<U16, U16, 2>::Masked};
    case 4 * 16 + 2:
      return {Pack<U32, U16, 2>::Full, Pack<U32, U16, 2>::Masked};
    case 4 * 16 + 4:
      return {Pack<U32, U16, 4>::Full, Pack<U32, U16, 4>::Masked};
    case 8 * 16 + 2:
      return {Pack<U64, U32, 2>::Full, Pack<U64, U32, 2>::Masked};
    case 8 * 16 + 4:
      return {Pack<U64, U16, 4>::Full, Pack<U64, U16, 4>::Masked};
    case 16 * 16 + 2:
      return OneForm<PackWide>();
    default:
      return {};
  }
}

Handlers SelectUnpack(std::uint32_t whole, std::size_t parts) {
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  switch (whole * 16 + parts) {
    case 2 * 16 + 2:
      return OneForm<Unpack<U16, U16, 2>>();
    case 4 * 16 + 2:
      return OneForm<Unpack<U32, U16, 2>>();
    case 4 * 16 + 4:
      return OneForm<Unpack<U32, U16, 4>>();
    case 8 * 16 + 2:
      return OneForm<Unpack<U64, U32, 2>>();
    case 8 * 16 + 4:
      return OneForm<Unpack<U64, U16, 4>>();
    case 16 * 16 + 2:
      return OneForm<UnpackWide>();
    default:
      return {};
  }
}

}  // namespace

Handlers SelectMove(const Instruction& instruction) {
  if (instruction.opcode != ptx::Opcode::kMov || instruction.operands.size() != 2) {
    return {};
  }
  const Operand& to = instruction.operands[0];
  const Operand& from = instruction.operands[1];
  if (to.kind == Operand::Kind::kVector) {
    return SelectUnpack(OperandWidth(instruction, to.elements.size()), to.elements.size());
  }
  const std::uint32_t width = OperandWidth(instruction, 0);
  if (from.kind == Operand::Kind::kVector) {
    return SelectPack(width, from.elements.size());
  }
  if (IsClock(from)) {
    return SelectClock(from.special, width);
  }
  if (width != OperandWidth(instruction, 1)) {
    return {};
  }
  switch (width) {
    case 0:
      return {MovePredicate::Full, MovePredicate::Masked};
    case 2:
      return HandlersOf<Copy<std::uint16_t>>();
    case 4:
      return HandlersOf<Copy<std::uint32_t>>();
    case 8:
      return HandlersOf<Copy<std::uint64_t>>();
    case 16:
      return OneForm<MoveWide>();
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
