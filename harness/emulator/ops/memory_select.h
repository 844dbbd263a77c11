// SPDX-License-Identifier: Apache-2.0
// A part of SelectMemory: nulls for anything else.
#ifndef ASSAY_EMULATOR_OPS_MEMORY_SELECT_H_
#define ASSAY_EMULATOR_OPS_MEMORY_SELECT_H_

#include "emulator/ops/lanes.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ASSAY_GPU_ISA {

Handlers SelectAtomic(const ptx::Instruction& instruction);   // atomic_ops.cc: atom, red
Handlers SelectAddress(const ptx::Instruction& instruction);  // address_ops.cc: cvta, fence …

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_MEMORY_SELECT_H_
