// SPDX-License-Identifier: Apache-2.0
// atom and red of .v2, .v4 and .v8, which are few: one request, in which each element is updated by
// itself. They lead to global memory alone.
#include <array>

#include "emulator/ops/atomic_update.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

template <class T, std::uint32_t kCount>
struct VectorOperands {
  std::array<const T*, kCount> b;
  std::array<T*, kCount> results;  // Without meaning for red.
  Sharing sharing;
};

template <Op kOp, class T, std::uint32_t kCount, bool kResult>
void PerformVectorLane(std::byte* at, std::uint32_t lane, void* context) {
  const auto& operands = *static_cast<const VectorOperands<T, kCount>*>(context);
  std::array<T, kCount> old;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const T b = operands.b[i][lane];
    old[i] = Update<kOp, T>(at + i * sizeof(T), b, b, true, operands.sharing);
  }
  // Behind all of them: a result may have the place of an operand.
  for (std::uint32_t i = 0; kResult && i < kCount; ++i) {
    operands.results[i][lane] = old[i];
  }
}

template <Op kOp, class T, std::uint32_t kCount, bool kResult>
const Step* VectorAtomic(Warp& warp, const Step* step) {
  const LaneMask lanes = ExecutedLanes(warp, step);
  if (lanes == 0) {
    return step + 1;
  }
  constexpr std::uint32_t kAddress = kResult ? kCount : 0;
  VectorOperands<T, kCount> operands{.b = {}, .results = {}, .sharing = SharingOfGlobal(warp)};
  for (std::uint32_t i = 0; i < kCount; ++i) {
    operands.b[i] = Lanes<T>(warp, OperandOffset(step, kAddress + 1 + i));
    operands.results[i] = kResult ? Lanes<T>(warp, OperandOffset(step, i)) : nullptr;
  }
  alignas(64) std::uint64_t addresses[kWarpSize];
  FillAddresses(Lanes<std::uint64_t>(warp, OperandOffset(step, kAddress)), step->immediate,
                addresses);
  return PerformAtomic(warp, step, ptx::Space::kGlobal, lanes, addresses, sizeof(T) * kCount,
                       PerformVectorLane<kOp, T, kCount, kResult>, &operands)
             ? step + 1
             : nullptr;
}

// ------------------------------------------------------------------ selection

template <bool kResult>
struct VectorChooser {
  std::uint32_t count;
  Releases releases;

  template <Op kOp, class T>
  [[nodiscard]] Handlers Make() const {
    switch (count) {
      case 2:
        return OfCount<kOp, T, 2>();
      case 4:
        return OfCount<kOp, T, 4>();
      case 8:
        return OfCount<kOp, T, 8>();
      default:
        return {};
    }
  }
  template <Op kOp, class T, std::uint32_t kCount>
  [[nodiscard]] Handlers OfCount() const {
    if constexpr (sizeof(T) * kCount <= 16) {
      constexpr Handler kAny = VectorAtomic<kOp, T, kCount, kResult>;
      return Releasing<kAny, kAny>(releases);
    }
    return {};
  }
  template <Op kAddition, Op kLeast, Op kMost, class T>
  [[nodiscard]] Handlers Halves(ptx::AtomicOp op) const {
    switch (op) {
      case ptx::AtomicOp::kAdd:
        return Make<kAddition, T>();
      case ptx::AtomicOp::kMin:
        return Make<kLeast, T>();
      case ptx::AtomicOp::kMax:
        return Make<kMost, T>();
      default:
        return {};
    }
  }

  [[nodiscard]] Handlers Select(ptx::AtomicOp op, ptx::Type type) const {
    switch (type) {
      case ptx::Type::kF32:
        return op == ptx::AtomicOp::kAdd ? Make<Op::kAddF, std::uint32_t>() : Handlers{};
      case ptx::Type::kF16:
        return Halves<Op::kAddF, Op::kMinF, Op::kMaxF, std::uint16_t>(op);
      case ptx::Type::kBf16:
        return Halves<Op::kAddBf, Op::kMinBf, Op::kMaxBf, std::uint16_t>(op);
      case ptx::Type::kF16x2:
        return Halves<Op::kAddF2, Op::kMinF2, Op::kMaxF2, std::uint32_t>(op);
      case ptx::Type::kBf16x2:
        return Halves<Op::kAddBf2, Op::kMinBf2, Op::kMaxBf2, std::uint32_t>(op);
      default:
        return {};
    }
  }
};

}  // namespace

Handlers SelectVectorAtomic(const ptx::Instruction& instruction, Releases releases) {
  const std::uint32_t count = instruction.vector;
  return instruction.opcode == ptx::Opcode::kAtom
             ? VectorChooser<true>{count, releases}.Select(instruction.atomic_op, instruction.type)
             : VectorChooser<false>{count, releases}.Select(instruction.atomic_op,
                                                            instruction.type);
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
