// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_OPS_OPERAND_WIDTH_H_
#define ASSAY_EMULATOR_OPS_OPERAND_WIDTH_H_

#include <cstddef>
#include <cstdint>

#include "emulator/ptx/module.h"

namespace assay::gpu {

/// Bytes of one lane of the operand `operand_index` of `instruction`, as its handler reads or
/// writes it; 0: the operand is a predicate, held as one LaneMask (or is no data: a label, a
/// function, a table, or past the last operand).
///
/// `operand_index` counts as Step::operand does: in the order of PTX, with vectors laid out flat.
/// A register is read in the width in which it was declared (.b8 in 16 bits), which may be more
/// than the instruction's type has; an immediate, a special register, a variable's address or a
/// sink in the width that the instruction gives to that place. An address `[…]` has its base
/// register's width, and 8 without one.
[[nodiscard]] std::uint32_t OperandWidth(const ptx::Instruction& instruction,
                                         std::size_t operand_index);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_OPERAND_WIDTH_H_
