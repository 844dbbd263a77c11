// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_OPS_OPS_H_
#define ASSAY_EMULATOR_OPS_OPS_H_

#include "emulator/core/step.h"
#include "emulator/ptx/module.h"

namespace assay::gpu {

/// The handlers of `instruction`, compiled for the widest vectors that this machine has; nulls
/// when it is not supported. Control flow (bra, brx, call, ret, exit) is the decoder's own.
[[nodiscard]] Handlers SelectHandlers(const ptx::Instruction& instruction);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_OPS_H_
