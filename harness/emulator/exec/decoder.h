// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_DECODER_H_
#define ASSAY_EMULATOR_EXEC_DECODER_H_

#include <memory>

#include "base/error.h"
#include "emulator/core/program.h"
#include "emulator/exec/flatten.h"

namespace assay::gpu {

/// Where a warp can be made to wait for others besides branch targets.
enum class Preemption : std::uint8_t {
  kAtBranches,
  kAtMemory,  ///< Before every memory instruction too: what random schedules need.
};

/// `kernel` of `module`, ready to run: flat, its registers laid out, each instruction with its
/// handlers. Errors (kConfiguration) name what the emulator lacks: the instruction as spelled and
/// its source line.
[[nodiscard]] Result<std::unique_ptr<Program>> Decode(const ptx::Module& module,
                                                      const ptx::Function& kernel,
                                                      const ModuleAddresses& addresses,
                                                      Preemption preemption);

// The register file begins with these, then come registers and constants.
inline constexpr std::uint32_t kTruePlace = 0;   ///< Predicate of ones: the guard of what has none.
inline constexpr std::uint32_t kZeroPlace = 64;  ///< 64-bit zeros: the base of absolute addresses.
inline constexpr std::uint32_t kSinkPlace = 320;  ///< 64-bit lanes that nobody reads.
inline constexpr std::uint32_t kFirstPlace = 576;

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_DECODER_H_
