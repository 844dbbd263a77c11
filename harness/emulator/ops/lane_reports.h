// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_OPS_LANE_REPORTS_H_
#define ASSAY_EMULATOR_OPS_LANE_REPORTS_H_

#include <cstdint>

#include "emulator/core/warp.h"

namespace assay::gpu {

/// Reports, for the lowest lane of each kind, what is wrong with the membermasks of `executed`
/// lanes at `step`: a lane that is not in its own mask (error), a named lane whose guard is false
/// (error), a named lane that has exited (warning). `masks` has 32 entries; `wanted` is their
/// union over `executed`.
void CheckMembers(Warp& warp, const Step* step, const LaneMask* masks, LaneMask executed,
                  LaneMask wanted);

/// Reports that an instruction that the whole warp has to execute was executed by `executed` only.
void ReportIncompleteWarp(Warp& warp, const Step* step, LaneMask executed);

/// Reports kInactiveSource for each lane of `lanes`, whose source lane is sources[lane].
void ReportInactiveSources(Warp& warp, const Step* step, LaneMask lanes,
                           const std::int32_t* sources);

/// Reports kInvalidBarrier for `lane` and the mbarrier at shared address `address`.
void ReportInvalidMbarrier(Warp& warp, const Step* step, std::uint32_t lane, std::uint64_t address,
                           const char* note);

/// Ends the launch with cudaErrorIllegalAddress (or cudaErrorMisalignedAddress): an mbarrier at
/// `address` lies outside shared memory (or is misaligned). Returns nullptr.
const Step* FaultOnMbarrierAddress(Warp& warp, const Step* step, std::uint32_t lane,
                                   std::uint64_t address);

/// Ends the launch with cudaErrorMisalignedAddress: `size_bytes` of cp.async.bulk are no multiple
/// of 16. Returns nullptr.
const Step* FaultOnBulkSize(Warp& warp, const Step* step, std::uint32_t lane,
                            std::uint32_t size_bytes);

/// What a lane finds in a register that PTX leaves undefined: odd, fixed by the launch's seed.
[[nodiscard]] std::uint32_t UndefinedValue(const Warp& warp);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_LANE_REPORTS_H_
