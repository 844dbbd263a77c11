// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/order_sensitive.h"

namespace assay::gpu {
namespace {

bool MayBeGlobal(ptx::Space space) {
  return space == ptx::Space::kGlobal || space == ptx::Space::kGeneric;
}

bool SensitiveReduction(const ptx::Instruction& instruction) {
  switch (instruction.atomic_op) {
    case ptx::AtomicOp::kAdd:
    case ptx::AtomicOp::kMin:
    case ptx::AtomicOp::kMax:
    case ptx::AtomicOp::kAnd:
    case ptx::AtomicOp::kOr:
    case ptx::AtomicOp::kXor:
      return ptx::IsFloat(instruction.type);
    default:
      return true;
  }
}

// A destination that is a sink makes an atom a red.
bool ResultUsed(const ptx::Instruction& instruction) {
  return instruction.opcode == ptx::Opcode::kAtom && !instruction.operands.empty() &&
         instruction.operands.front().kind != ptx::Operand::Kind::kSink;
}

}  // namespace

bool OrderSensitive(const ptx::Instruction& instruction) {
  if (!MayBeGlobal(instruction.space)) {
    return false;
  }
  switch (instruction.opcode) {
    case ptx::Opcode::kAtom:
    case ptx::Opcode::kRed:
      return ResultUsed(instruction) || SensitiveReduction(instruction);
    case ptx::Opcode::kLd:
    case ptx::Opcode::kSt:
      return instruction.order != ptx::Order::kWeak;
    default:
      return false;
  }
}

}  // namespace assay::gpu
