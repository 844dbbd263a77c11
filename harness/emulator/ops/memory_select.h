// SPDX-License-Identifier: Apache-2.0
// The parts of SelectMemory: nulls for anything else.
#ifndef ASSAY_EMULATOR_OPS_MEMORY_SELECT_H_
#define ASSAY_EMULATOR_OPS_MEMORY_SELECT_H_

#include "emulator/ops/lanes.h"
#include "emulator/ops/memory_shape.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// Whether an access is a release, and to whom: a fence goes before it.
enum class Releases : std::uint8_t { kNo, kToBlock, kToAll };

ASSAY_GPU_INLINE Releases ReleasesOf(const ptx::Instruction& instruction) {
  const ptx::Order order = instruction.order;
  if (order != ptx::Order::kRelease && order != ptx::Order::kSc && order != ptx::Order::kAcqRel) {
    return Releases::kNo;
  }
  return instruction.scope == ptx::Scope::kCta ? Releases::kToBlock : Releases::kToAll;
}

Handlers SelectAtomic(const ptx::Instruction& instruction);  // atomic_ops.cc: atom, red
/// vector_atomic_ops.cc: those of vectors in global memory, whose operands are of their type's
/// size.
Handlers SelectVectorAtomic(const ptx::Instruction& instruction, Releases releases);
Handlers SelectAddress(const ptx::Instruction& instruction);  // address_ops.cc: cvta, fence …

// ld and st: weak_access_ops.cc, strong_access_ops.cc.
Handlers SelectWeakLoad(ptx::Space space, const MemoryShape& shape);
Handlers SelectWeakStore(ptx::Space space, const MemoryShape& shape);
Handlers SelectStrongLoad(ptx::Space space, const MemoryShape& shape);
Handlers SelectStrongStore(ptx::Space space, const MemoryShape& shape, Releases releases);

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_MEMORY_SELECT_H_
