// SPDX-License-Identifier: Apache-2.0
// cvta, isspacep: addresses between spaces; membar, fence, and what does nothing here.
#include "emulator/memory/access.h"
#include "emulator/memory/global_memory.h"
#include "emulator/ops/memory_select.h"
#include "emulator/ops/operand_width.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

template <class A, bool kToSpace, bool kFull>
ASSAY_GPU_INLINE void Convert(Warp& warp, const Step* step, std::uint64_t window) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  A* to = Lanes<A>(warp, step->operand[0]);
  const A* from = Lanes<A>(warp, step->operand[1]);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t address = from[lane];
    const bool tagged = window != 0 && (address >> kWindowShift) == (window >> kWindowShift);
    const std::uint64_t converted =
        kToSpace ? (tagged ? address ^ window : address) : address | window;
    to[lane] = kFull || ((lanes >> lane) & 1U) != 0 ? static_cast<A>(converted) : to[lane];
  }
}

template <std::uint64_t kWindow, bool kToSpace, bool kFull>
const Step* ConvertAddress(Warp& warp, const Step* step) {
  Convert<std::uint64_t, kToSpace, kFull>(warp, step, kWindow);
  return step + 1;
}

template <ptx::Space kSpace, bool kFull>
const Step* IsInSpace(Warp& warp, const Step* step) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  const auto* address = Lanes<std::uint64_t>(warp, step->operand[1]);
  LaneMask inside = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t window = address[lane] >> kWindowShift << kWindowShift;
    bool is = false;
    if constexpr (kSpace == ptx::Space::kShared) {
      is = window == kSharedWindow;
    } else if constexpr (kSpace == ptx::Space::kLocal) {
      is = window == kLocalWindow;
    } else if constexpr (kSpace == ptx::Space::kParam) {
      is = window == kParamWindow;
    } else if constexpr (kSpace == ptx::Space::kConst) {
      const Allocation* found = warp.launch->memory->Find(address[lane]);
      is = found != nullptr && found->writable == Allocation::Writable::kNo;
    } else {
      is = window == 0;
    }
    inside |= is ? LaneMask{1} << lane : 0;
  }
  LaneMask& to = Predicate(warp, step->operand[0]);
  to = (to & ~lanes) | (inside & lanes);
  return step + 1;
}

template <auto kNote, bool kFull>
const Step* Fence(Warp& warp, const Step* step) {
  const LaneMask lanes = kFull ? kAllLanes : ExecutedLanes(warp, step);
  if (lanes != 0) {
    kNote(warp);
  }
  return step + 1;
}

const Step* Nothing(Warp& /*warp*/, const Step* step) { return step + 1; }

template <std::uint64_t kWindow>
Handlers ConvertHandlers(bool to_space) {
  if (to_space) {
    return {.full = ConvertAddress<kWindow, true, true>,
            .masked = ConvertAddress<kWindow, true, false>};
  }
  return {.full = ConvertAddress<kWindow, false, true>,
          .masked = ConvertAddress<kWindow, false, false>};
}

Handlers SelectCvta(const ptx::Instruction& instruction) {
  if (ptx::SizeOf(instruction.type) != 8) {
    return {};
  }
  switch (instruction.space) {
    case ptx::Space::kShared:
      return ConvertHandlers<kSharedWindow>(instruction.to);
    case ptx::Space::kLocal:
      return ConvertHandlers<kLocalWindow>(instruction.to);
    case ptx::Space::kParam:
      return ConvertHandlers<kParamWindow>(instruction.to);
    default:
      return ConvertHandlers<0>(instruction.to);
  }
}

template <ptx::Space kSpace>
Handlers IsInSpaceHandlers() {
  return {.full = IsInSpace<kSpace, true>, .masked = IsInSpace<kSpace, false>};
}

Handlers SelectIsspacep(const ptx::Instruction& instruction) {
  if (OperandWidth(instruction, 1) != 8) {
    return {};
  }
  switch (instruction.space) {
    case ptx::Space::kGlobal:
      return IsInSpaceHandlers<ptx::Space::kGlobal>();
    case ptx::Space::kShared:
      return IsInSpaceHandlers<ptx::Space::kShared>();
    case ptx::Space::kLocal:
      return IsInSpaceHandlers<ptx::Space::kLocal>();
    case ptx::Space::kConst:
      return IsInSpaceHandlers<ptx::Space::kConst>();
    case ptx::Space::kParam:
      return IsInSpaceHandlers<ptx::Space::kParam>();
    default:
      return {};
  }
}

}  // namespace

Handlers SelectAddress(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::kCvta:
      return SelectCvta(instruction);
    case ptx::Opcode::kIsspacep:
      return SelectIsspacep(instruction);
    case ptx::Opcode::kMembar:
    case ptx::Opcode::kFence:
      // Of a block's scope: orders nothing between blocks.
      if (instruction.scope == ptx::Scope::kCta) {
        return {.full = Fence<NoteFenceOfBlock, true>, .masked = Fence<NoteFenceOfBlock, false>};
      }
      return {.full = Fence<NoteFence, true>, .masked = Fence<NoteFence, false>};
    case ptx::Opcode::kPrefetch:
    case ptx::Opcode::kDiscard:
    case ptx::Opcode::kApplyPriority:
    case ptx::Opcode::kGriddep:  // A grid starts when those before it are over.
      return {.full = Nothing, .masked = Nothing};
    default:
      return {};
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
