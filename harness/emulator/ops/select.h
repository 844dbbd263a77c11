// SPDX-License-Identifier: Apache-2.0
// Each group of instructions answers for its own; nulls for what is not its own or not supported.
#ifndef ASSAY_EMULATOR_OPS_SELECT_H_
#define ASSAY_EMULATOR_OPS_SELECT_H_

#include "emulator/ops/lanes.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ASSAY_GPU_ISA {

// Arithmetic, logic, moves, conversions, comparisons on registers: integer_ops.cc, float_ops.cc, …
Handlers SelectArithmetic(const ptx::Instruction& instruction);
// ld, st, atom, red, cvta, isspacep, membar, fence, prefetch: memory_ops.cc, atomic_ops.cc
Handlers SelectMemory(const ptx::Instruction& instruction);
// shfl, vote, match, redux, activemask, elect, bar.warp, nanosleep: warp_ops.cc
// cp.async, ldmatrix, stmatrix, movmatrix, mma, wmma, mbarrier: tensor_ops.cc, async_ops.cc
Handlers SelectWarp(const ptx::Instruction& instruction);

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_SELECT_H_
