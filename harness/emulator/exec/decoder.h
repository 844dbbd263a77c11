// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_DECODER_H_
#define ASSAY_EMULATOR_EXEC_DECODER_H_

#include <memory>

#include "base/error.h"
#include "emulator/core/program.h"
#include "emulator/exec/flatten.h"
#include "emulator/exec/register_file.h"

namespace assay::gpu {

/// Where a warp can be made to wait for others besides branch targets.
enum class Preemption : std::uint8_t {
  kAtBranches,
  kAtMemory,  ///< Before every memory instruction too: what random schedules need.
};

/// `kernel` of `module`, ready to run: flat, its operands in a register file (register_file.h),
/// each instruction with its handlers. Errors (kConfiguration) name what the emulator lacks: the
/// instruction as spelled and its source line.
[[nodiscard]] Result<std::unique_ptr<Program>> Decode(const ptx::Module& module,
                                                      const ptx::Function& kernel,
                                                      const ModuleAddresses& addresses,
                                                      Preemption preemption);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_DECODER_H_
