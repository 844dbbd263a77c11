// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_MODIFIERS_H_
#define ASSAY_EMULATOR_PTX_MODIFIERS_H_

#include <cstdint>
#include <string_view>

#include "emulator/ptx/grammar.h"
#include "emulator/ptx/module.h"
#include "emulator/ptx/words.h"

namespace assay::gpu::ptx {

/// Takes the modifiers that `form` takes, and returns the kinds of those that were there.
std::uint32_t TakeModifiers(Words& words, const Form& form, Instruction& instruction);

// Each takes one word with a value of `allowed` (MaskOf); false: there is none. Others stay in the
// bag, so that the instruction is refused by their names.
bool TakeSpace(Words& words, std::uint32_t allowed, Instruction& instruction);
bool TakeOrder(Words& words, std::uint32_t allowed, Instruction& instruction);
bool TakeScope(Words& words, std::uint32_t allowed, Instruction& instruction);

/// Takes every `L1::evict_last`, `L2::128B` and the like: advice, but for `L2::cache_hint`, which
/// comes with an operand.
bool TakeCacheHints(Words& words, Instruction& instruction);

/// `rni`; empty for Rounding::kNone.
[[nodiscard]] std::string_view WordOf(Rounding rounding);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_MODIFIERS_H_
