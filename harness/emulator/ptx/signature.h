// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_SIGNATURE_H_
#define ASSAY_EMULATOR_PTX_SIGNATURE_H_

#include <string>

#include "emulator/ptx/module.h"

namespace assay::gpu::ptx {

/// Why the operands of `instruction` do not fit it, for a message; empty when they do. What passes
/// has as many operands as its opcode takes, each of the right kind, and registers of the width
/// that the types say (ld, st and cvt of integers also wider ones): execution may rely on it.
/// `call`, `bra` and `brx` are not looked at. Source: PTX ISA 9.0, sections 9.4 and 9.7.
[[nodiscard]] std::string CheckOperands(const Instruction& instruction);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_SIGNATURE_H_
