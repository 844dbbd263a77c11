// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/arithmetic.h"

#include "emulator/ops/select.h"

namespace assay::gpu::ASSAY_GPU_ISA {

namespace {

using ptx::Instruction;
using ptx::Operand;

/// PTX has `!p` as a guard, and in front of the predicate that setp and set combine.
bool NegatesWhereItMayNot(const Instruction& instruction) {
  const bool combines =
      instruction.opcode == ptx::Opcode::kSetp || instruction.opcode == ptx::Opcode::kSet;
  for (const Operand& operand : instruction.operands) {
    if (operand.negated && !(combines && &operand == &instruction.operands.back())) {
      return true;
    }
  }
  return false;
}

}  // namespace

Handlers SelectArithmetic(const Instruction& instruction) {
  if (NegatesWhereItMayNot(instruction)) {
    return {};
  }
  // In the order in which one may take an instruction from the next: add.cc is not add.
  for (const auto select :
       {SelectMove, SelectCarry, SelectMath, SelectFloat, SelectHalf, SelectDivide, SelectInteger,
        SelectLogic, SelectBits, SelectCompare, SelectConvert, SelectConvertFloat}) {
    const Handlers handlers = select(instruction);
    if (handlers.full != nullptr) {
      return handlers;
    }
  }
  return {};
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
