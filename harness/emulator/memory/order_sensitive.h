// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_ORDER_SENSITIVE_H_
#define ASSAY_EMULATOR_MEMORY_ORDER_SENSITIVE_H_

#include "emulator/ptx/module.h"

namespace assay::gpu {

/// Whether what `instruction` does may depend on the order in which blocks run: a launch with any
/// such instruction runs all its blocks on one worker, in schedule order. Atomics on global memory
/// whose result is used, on floating point, exchanges; loads and stores that talk to other blocks
/// (volatile, relaxed, acquire, release).
[[nodiscard]] bool OrderSensitive(const ptx::Instruction& instruction);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_ORDER_SENSITIVE_H_
