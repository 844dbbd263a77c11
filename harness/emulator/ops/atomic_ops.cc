// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/atomic_update.h"
#include "emulator/ops/operand_width.h"
#include "emulator/ops/shared_access.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

// What one lane of PerformAtomic needs.
template <class T>
struct Operands {
  const std::uint64_t* addresses;
  const T* b;
  const T* c;
  T* results;  // Null: red has none.
  Sharing sharing;
  bool flush_global;
};

template <Op kOp, class T>
void PerformLane(std::byte* at, std::uint32_t lane, void* context) {
  const auto& operands = *static_cast<const Operands<T>*>(context);
  // In shared memory subnormals are kept.
  const bool flush = operands.flush_global && operands.addresses[lane] >> kWindowShift == 0;
  const T old = Update<kOp, T>(at, operands.b[lane], operands.c[lane], flush, operands.sharing);
  if (operands.results != nullptr) {
    operands.results[lane] = old;
  }
}

template <ptx::Space kSpace, Op kOp, class T, class A, bool kResult, bool kFull>
const Step* Atomic(Warp& warp, const Step* step) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  if (!kFull && lanes == 0) {
    return step + 1;
  }
  constexpr std::uint32_t kAddress = kResult ? 1 : 0;
  constexpr bool kGlobal = kSpace != ptx::Space::kShared;
  const T* b = Lanes<T>(warp, OperandOffset(step, kAddress + 1));
  const T* c = kOp == Op::kCas ? Lanes<T>(warp, OperandOffset(step, kAddress + 2)) : b;
  T* results = kResult ? Lanes<T>(warp, OperandOffset(step, 0)) : nullptr;
  const Sharing sharing = kGlobal ? SharingOfGlobal(warp) : Sharing::kAlone;
  const std::uint32_t base = OperandOffset(step, kAddress);
  Resolved resolved;
  Layout layout = Layout::kSlow;
  if constexpr (!kGlobal) {
    // Where warps may tell each other something, the slow way notes who told whom.
    if (warp.worker->checker == nullptr || warp.block->shared_shadow->fenced_warps == 0) {
      layout =
          ResolveShared<sizeof(T), TouchKind::kAtomic, kFull, A>(warp, step, base, lanes, resolved);
    }
  } else {
    layout = ResolveGlobal<sizeof(T), TouchKind::kAtomic, kFull>(warp, step, base, lanes, resolved);
  }
  if (layout == Layout::kSlow) {
    FillAddresses(Lanes<A>(warp, base), step->immediate, resolved.addresses);
    Operands<T> operands{.addresses = resolved.addresses,
                         .b = b,
                         .c = c,
                         .results = results,
                         .sharing = sharing,
                         .flush_global = kGlobal};
    return PerformAtomic(warp, step, kSpace, lanes, resolved.addresses, sizeof(T),
                         PerformLane<kOp, T>, &operands)
               ? step + 1
               : nullptr;
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const std::uint32_t lane = FirstLane(left);
    std::byte* at = layout == Layout::kScattered
                        ? reinterpret_cast<std::byte*>(resolved.addresses[lane])
                        : resolved.at + (layout == Layout::kUniform ? 0 : lane * sizeof(T));
    const T old = Update<kOp, T>(at, b[lane], c[lane], kGlobal, sharing);
    if constexpr (kResult) {
      results[lane] = old;
    }
  }
  return step + 1;
}

// ------------------------------------------------------------------ selection

template <ptx::Space kSpace, class A, bool kResult>
struct Chooser {
  Releases releases;

  template <Op kOp, class T>
  [[nodiscard]] Handlers Make() const {
    return Releasing<Atomic<kSpace, kOp, T, A, kResult, true>,
                     Atomic<kSpace, kOp, T, A, kResult, false>>(releases);
  }

  template <class T>
  [[nodiscard]] Handlers Integer(ptx::AtomicOp op, bool is_signed) const {
    switch (op) {
      case ptx::AtomicOp::kAdd:
        return Make<Op::kAdd, T>();
      case ptx::AtomicOp::kMin:
        return is_signed ? Make<Op::kMinSigned, T>() : Make<Op::kMinUnsigned, T>();
      case ptx::AtomicOp::kMax:
        return is_signed ? Make<Op::kMaxSigned, T>() : Make<Op::kMaxUnsigned, T>();
      case ptx::AtomicOp::kInc:
        return Make<Op::kInc, T>();
      case ptx::AtomicOp::kDec:
        return Make<Op::kDec, T>();
      case ptx::AtomicOp::kAnd:
        return Make<Op::kAnd, T>();
      case ptx::AtomicOp::kOr:
        return Make<Op::kOr, T>();
      case ptx::AtomicOp::kXor:
        return Make<Op::kXor, T>();
      case ptx::AtomicOp::kExch:
        if constexpr (kResult) {
          return Make<Op::kExch, T>();
        }
        return {};
      case ptx::AtomicOp::kCas:
        if constexpr (kResult) {
          return Make<Op::kCas, T>();
        }
        return {};
      default:
        return {};
    }
  }

  [[nodiscard]] Handlers Select(ptx::AtomicOp op, ptx::Type type) const {
    using ptx::Type;
    const bool add = op == ptx::AtomicOp::kAdd;
    switch (type) {
      case Type::kF32:
        return add ? Make<Op::kAddF, std::uint32_t>() : Handlers{};
      case Type::kF64:
        return add ? Make<Op::kAddF, std::uint64_t>() : Handlers{};
      case Type::kF16:
        return add ? Make<Op::kAddF, std::uint16_t>() : Handlers{};
      case Type::kBf16:
        return add ? Make<Op::kAddBf, std::uint16_t>() : Handlers{};
      case Type::kF16x2:
        return add ? Make<Op::kAddF2, std::uint32_t>() : Handlers{};
      case Type::kBf16x2:
        return add ? Make<Op::kAddBf2, std::uint32_t>() : Handlers{};
      case Type::kB16:
        if constexpr (kResult) {
          if (op == ptx::AtomicOp::kCas) {
            return Make<Op::kCas, std::uint16_t>();
          }
          if (op == ptx::AtomicOp::kExch) {
            return Make<Op::kExch, std::uint16_t>();
          }
        }
        return {};
      case Type::kB32:
      case Type::kU32:
      case Type::kS32:
        return Integer<std::uint32_t>(op, type == Type::kS32);
      case Type::kB64:
      case Type::kU64:
      case Type::kS64:
        return Integer<std::uint64_t>(op, type == Type::kS64);
      default:
        return {};
    }
  }
};

template <ptx::Space kSpace, class A>
Handlers ByResult(const ptx::Instruction& instruction, Releases releases) {
  return instruction.opcode == ptx::Opcode::kAtom
             ? Chooser<kSpace, A, true>{releases}.Select(instruction.atomic_op, instruction.type)
             : Chooser<kSpace, A, false>{releases}.Select(instruction.atomic_op, instruction.type);
}

}  // namespace

Handlers SelectAtomic(const ptx::Instruction& instruction) {
  const bool has_result = instruction.opcode == ptx::Opcode::kAtom;
  const std::uint32_t count = instruction.vector;
  const std::uint32_t address = has_result ? count : 0;
  const std::uint32_t size_bytes = ptx::SizeOf(instruction.type);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (OperandWidth(instruction, address + 1 + i) != size_bytes ||
        (has_result && OperandWidth(instruction, i) != size_bytes)) {
      return {};
    }
  }
  const bool narrow = OperandWidth(instruction, address) == 4;
  const Releases releases = ReleasesOf(instruction);
  if (count > 1) {
    return narrow || instruction.space == ptx::Space::kShared
               ? Handlers{}
               : SelectVectorAtomic(instruction, releases);
  }
  switch (instruction.space) {
    case ptx::Space::kGlobal:
      return narrow ? Handlers{}
                    : ByResult<ptx::Space::kGlobal, std::uint64_t>(instruction, releases);
    case ptx::Space::kGeneric:
      return narrow ? Handlers{}
                    : ByResult<ptx::Space::kGeneric, std::uint64_t>(instruction, releases);
    case ptx::Space::kShared:
      return narrow ? ByResult<ptx::Space::kShared, std::uint32_t>(instruction, releases)
                    : ByResult<ptx::Space::kShared, std::uint64_t>(instruction, releases);
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
