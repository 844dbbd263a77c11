// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_COMBINATION_H_
#define ASSAY_EMULATOR_PTX_COMBINATION_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "emulator/ptx/module.h"

namespace assay::gpu::ptx {

/// The first modifier of `instruction` that PTX does not have beside its others; empty when they
/// go together. `seen`: the ModifierKinds that were written.
[[nodiscard]] std::string_view FindMisfit(const Instruction& instruction, std::uint32_t seen);

/// Whether `instruction`, of `types` types, says all that it has to: lo or hi of a product, how to
/// round a quotient.
[[nodiscard]] bool IsComplete(const Instruction& instruction, std::size_t types);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_COMBINATION_H_
