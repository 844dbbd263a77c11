// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_SHARED_SHADOW_H_
#define ASSAY_EMULATOR_MEMORY_SHARED_SHADOW_H_

#include <cstdint>

#include "emulator/memory/access.h"

namespace assay::gpu {

/// Tag of an access by the warp now (checker_state.h), with lane 0. Rewrites the shadow when the
/// epochs run out.
[[nodiscard]] std::uint32_t SharedTag(const Warp& warp);

/// initcheck and racecheck of an access to shared memory, for any addresses.
void CheckSharedContents(const MemoryAccess& access);

/// Bytes of the smallest access to shared memory in `program`, at most 4: what one entry of its
/// shadow covers, as a shift.
[[nodiscard]] std::uint32_t SharedGranuleShift(const Program& program);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_SHARED_SHADOW_H_
