// SPDX-License-Identifier: Apache-2.0
// Which handlers ld and st have: what one moves (MemoryShape), then whether it is weak
// (weak_access_ops.cc) or strong (strong_access_ops.cc).
#include "emulator/ops/memory_select.h"
#include "emulator/ops/operand_width.h"
#include "emulator/ops/select.h"

namespace assay::gpu::ASSAY_GPU_ISA {
namespace {

Handlers SelectAccess(const ptx::Instruction& instruction, bool load) {
  const std::uint32_t count = instruction.vector;
  const std::uint32_t value = load ? 0 : 1;
  const MemoryShape shape{.bytes = ptx::SizeOf(instruction.type),
                          .is_signed = ptx::IsSigned(instruction.type),
                          .width = OperandWidth(instruction, value),
                          .count = count,
                          .address_width = OperandWidth(instruction, load ? count : 0)};
  // All elements have one width; sinks and immediates have the type's own.
  for (std::uint32_t element = 1; element < count; ++element) {
    if (OperandWidth(instruction, value + element) != shape.width) {
      return {};
    }
  }
  if (shape.bytes == 1 && shape.width == 1) {
    return {};
  }
  const ptx::Order order = instruction.order;
  if (order == ptx::Order::kWeak) {
    return load ? SelectWeakLoad(instruction.space, shape)
                : SelectWeakStore(instruction.space, shape);
  }
  if (load) {
    return SelectStrongLoad(instruction.space, shape);
  }
  return SelectStrongStore(instruction.space, shape, ReleasesOf(instruction));
}

}  // namespace

Handlers SelectMemory(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::kLd:
    case ptx::Opcode::kLdu:
      return SelectAccess(instruction, true);
    case ptx::Opcode::kSt:
      return SelectAccess(instruction, false);
    case ptx::Opcode::kAtom:
    case ptx::Opcode::kRed:
      return SelectAtomic(instruction);
    default:
      return SelectAddress(instruction);
  }
}

}  // namespace assay::gpu::ASSAY_GPU_ISA
