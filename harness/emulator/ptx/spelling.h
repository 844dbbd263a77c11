// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_SPELLING_H_
#define ASSAY_EMULATOR_PTX_SPELLING_H_

#include <optional>
#include <string_view>

#include "emulator/ptx/module.h"

namespace assay::gpu::ptx {

/// The instruction that `spelling` (`ld.global.nc.v4.f32`) names, with every field that modifiers
/// set, no operands and no lines. What PTX does not have gives a kUnsupported instruction whose
/// `reason` names the opcode, the first modifier or the type at fault, or else their combination.
/// Modifiers may come in any order, as ptxas takes them. Source: PTX ISA 9.0, section 9.7.
[[nodiscard]] Instruction DecodeSpelling(std::string_view spelling);

/// `u32` → Type::kU32; nothing for what is no type.
[[nodiscard]] std::optional<Type> FindType(std::string_view word);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_SPELLING_H_
