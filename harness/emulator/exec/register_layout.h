// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_REGISTER_LAYOUT_H_
#define ASSAY_EMULATOR_EXEC_REGISTER_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "emulator/exec/flatten.h"

namespace assay::gpu {

/// Where each register of a kernel lives in a warp's register file (core/step.h has the formats).
/// PTX names a new register for nearly every value; those that are never alive together share a
/// place, so that a warp's registers stay in the first-level cache.
struct RegisterLayout {
  std::vector<std::uint32_t> offset_bytes = {};  ///< By register.
  std::uint32_t size_bytes = 0;                  ///< A multiple of 64.
  /// Some register may be read before it is written: what it holds then must not depend on
  /// what ran before.
  bool reads_before_writes = false;
};

[[nodiscard]] RegisterLayout LayOutRegisters(const FlatKernel& kernel, std::uint32_t first_byte);

/// Bytes of a register of `type` for 32 lanes: 4 of a predicate, else 64, 128 or 256.
[[nodiscard]] std::uint32_t RegisterBytes(ptx::Type type);

/// The registers that `instruction` reads, its guard among them, and those it writes.
struct RegisterUse {
  std::vector<std::uint32_t> reads;
  std::vector<std::uint32_t> writes;
};
[[nodiscard]] RegisterUse UseOf(const FlatInstruction& instruction);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_REGISTER_LAYOUT_H_
