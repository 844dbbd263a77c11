// SPDX-License-Identifier: Apache-2.0
// The parts of SelectWmma: nulls for what is not supported.
#ifndef ASSAY_EMULATOR_OPS_WMMA_SELECT_H_
#define ASSAY_EMULATOR_OPS_WMMA_SELECT_H_

#include "emulator/ops/lanes.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ASSAY_GPU_ISA {

Handlers SelectWmmaLoad(const ptx::Instruction& instruction);   // wmma_access_ops.cc
Handlers SelectWmmaStore(const ptx::Instruction& instruction);  // wmma_access_ops.cc

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_WMMA_SELECT_H_
