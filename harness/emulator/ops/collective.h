// SPDX-License-Identifier: Apache-2.0
// What the instructions that lanes carry out together have in common. Included only by the
// sources of ops/ (see lanes.h).
//
// Membermasks. A `.sync` instruction waits until the lanes of its mask are there. Lanes may name
// different masks in one execution (tiles of a warp each name their own): the group waits for
// the union of the masks, then lanes of equal mask work together. A mask may name lanes that have
// exited: the CUDA guide lets it, so that is a warning; a lane that is not in its own mask, and a
// named lane whose guard is false, are errors (kInvalidMask).
//
// Memory order. shfl, vote, match, redux and elect order no memory accesses (CUDA guide, "Warp
// vote", "Warp shuffle"): only bar.warp.sync advances Warp::sync_epoch.
#ifndef ASSAY_EMULATOR_OPS_COLLECTIVE_H_
#define ASSAY_EMULATOR_OPS_COLLECTIVE_H_

#include <bit>
#include <cstdint>

#include "emulator/ops/lane_reports.h"
#include "emulator/ops/lanes.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ASSAY_GPU_ISA {

enum class Form : std::uint8_t { kFull, kMasked };

/// Where operand `i` of an instruction of `kCount` flat operands is.
template <unsigned kCount>
ASSAY_GPU_INLINE std::uint32_t OperandAt(const Step* step, unsigned i) {
  if constexpr (kCount > 5) {
    return step->operands[i];
  } else {
    return step->operand[i];
  }
}

/// The same, for instructions whose number of operands the handler does not know.
ASSAY_GPU_INLINE const std::uint32_t* OperandTable(const Step* step) {
  return step->operands != nullptr ? step->operands : step->operand.data();
}

template <Form kForm>
ASSAY_GPU_INLINE LaneMask LanesToRun(Warp& warp, const Step* step) {
  if constexpr (kForm == Form::kFull) {
    return kAllLanes;
  } else {
    return ExecutedLanes(warp, step);
  }
}

/// to[l] = value for the lanes of `lanes`.
template <class T>
ASSAY_GPU_INLINE void Broadcast(T* to, T value, LaneMask lanes) {
  alignas(64) T values[kWarpSize];
  for (T& each : values) {
    each = value;
  }
  StoreLanes(to, values, lanes);
}

/// The lanes l with values[l] == value.
template <class T>
ASSAY_GPU_INLINE LaneMask LanesEqual(const T* values, T value) {
  const VectorOf<T> d;
  LaneMask equal = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; lane += kPerVector<T>) {
    equal |= WarpMask<T>(hn::Eq(hn::Load(d, values + lane), hn::Set(d, value)), lane);
  }
  return equal;
}

/// Whether all 32 masks name all 32 lanes: then there is nothing to wait for and to check.
ASSAY_GPU_INLINE bool AllName(const LaneMask* masks) {
  const VectorOf<LaneMask> d;
  auto all = hn::Set(d, kAllLanes);
  for (std::uint32_t lane = 0; lane < kWarpSize; lane += kPerVector<LaneMask>) {
    all = hn::And(all, hn::Load(d, masks + lane));
  }
  return hn::AllTrue(d, hn::Eq(all, hn::Set(d, kAllLanes)));
}

/// The lanes that those of `lanes` name.
ASSAY_GPU_INLINE LaneMask UnionOf(const LaneMask* masks, LaneMask lanes) {
  LaneMask all = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    all |= masks[lane] & (0U - ((lanes >> lane) & 1U));
  }
  return all;
}

/// Whether the lanes that `executed` name are there. If so, their masks have been checked.
ASSAY_GPU_INLINE bool MembersArrived(Warp& warp, const Step* step, const LaneMask* masks,
                                     LaneMask executed, LaneMask& wanted) {
  wanted = UnionOf(masks, executed);
  if (!LanesComplete(warp, wanted)) {
    return false;
  }
  warp.stop = Stop::kNone;
  if (warp.worker->checker != nullptr) {
    CheckMembers(warp, step, masks, executed, wanted);
  }
  return true;
}

/// For instructions that all lanes have to execute. False: wait for the others (in the masked
/// form), or no lane executes; `next` is what to return.
template <Form kForm>
ASSAY_GPU_INLINE bool WholeWarpArrived(Warp& warp, const Step* step, LaneMask executed,
                                       const Step*& next) {
  if (kForm == Form::kFull || executed == kAllLanes) {
    return true;
  }
  if (executed == 0) {
    next = step + 1;
    return false;
  }
  if (!LanesComplete(warp, kAllLanes)) {
    next = WaitForLanes(warp, step, kAllLanes);
    return false;
  }
  warp.stop = Stop::kNone;
  ReportIncompleteWarp(warp, step, executed);
  return true;
}

/// Calls run(members, lanes) for each set of executed lanes that name one mask: `members` take
/// part, the results go to `lanes` (equal, but for lanes that are not in their own mask).
template <class Run>
ASSAY_GPU_INLINE void ForEachMask(const LaneMask* masks, LaneMask executed, Run run) {
  for (LaneMask left = executed; left != 0;) {
    const LaneMask mask = masks[std::countr_zero(left)];
    const LaneMask lanes = LanesEqual(masks, mask) & left;
    run(mask & executed, lanes);
    left &= ~lanes;
  }
}

/// Of the i-th operand of `instruction`, as a vector.
ASSAY_GPU_INLINE std::uint32_t ElementCount(const ptx::Instruction& instruction, std::size_t i) {
  if (i >= instruction.operands.size()) {
    return 0;
  }
  const ptx::Operand& operand = instruction.operands.data()[i];
  return operand.kind == ptx::Operand::Kind::kVector
             ? static_cast<std::uint32_t>(operand.elements.size())
             : 1;
}

// shuffle_ops.cc, mma_ops.cc, wmma_ops.cc, ldmatrix_ops.cc, async_ops.cc; SelectWarp, in
// warp_ops.cc, does the rest.
Handlers SelectShuffle(const ptx::Instruction& instruction);
Handlers SelectMma(const ptx::Instruction& instruction);
Handlers SelectWmma(const ptx::Instruction& instruction);
Handlers SelectLdmatrix(const ptx::Instruction& instruction);
Handlers SelectAsync(const ptx::Instruction& instruction);
Handlers SelectBulkCopy(const ptx::Instruction& instruction);

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_COLLECTIVE_H_
