// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/ops.h"

#include <span>

#include "emulator/ops/variants.h"

namespace assay::gpu {

namespace {

// In order of preference; empty: Device::Create has said that this machine runs none.
std::span<const HandlerVariant> VariantsOf(ptx::Group group) {
  static const Vectors kMachine = VectorsOfThisMachine();
  switch (group) {
    case ptx::Group::kArithmetic:
      return ArithmeticVariants(kMachine);
    case ptx::Group::kMemory:
      return MemoryVariants(kMachine);
    case ptx::Group::kWarp:
      return WarpVariants(kMachine);
    default:
      return {};
  }
}

}  // namespace

Handlers SelectHandlers(const ptx::Instruction& instruction) {
  const auto runnable = VariantsOf(ptx::GroupOf(instruction.opcode));
  return runnable.empty() ? Handlers{} : runnable.front().select(instruction);
}

}  // namespace assay::gpu
