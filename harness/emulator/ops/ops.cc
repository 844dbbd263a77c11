// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/ops.h"

#include <span>

#include "emulator/ops/variants.h"

namespace assay::gpu {

Handlers SelectHandlers(const ptx::Instruction& instruction) {
  static const Vectors kMachine = VectorsOfThisMachine();
  for (const auto variants : {ArithmeticVariants, MemoryVariants, WarpVariants}) {
    const std::span<const HandlerVariant> runnable = variants(kMachine);
    if (runnable.empty()) {
      continue;  // Device::Create has said so.
    }
    const Handlers handlers = runnable.front().select(instruction);
    if (handlers.full != nullptr) {
      return handlers;
    }
  }
  return {};
}

}  // namespace assay::gpu
