// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_OPS_MBARRIER_H_
#define ASSAY_EMULATOR_OPS_MBARRIER_H_

#include <cstdint>

#include "emulator/core/warp.h"

namespace assay::gpu {

// An mbarrier is 64 bits of shared memory. Its layout is opaque to programs; ours is
//   bits 0..19   arrivals that each phase expects
//   bits 20..39  arrivals that the current phase still waits for
//   bits 40..60  bytes that the current phase still waits for (expect_tx), signed
//   bits 61..63  the phase's number, modulo 8; its lowest bit is the parity
// and a state token is a copy of it. The object's bytes have no shadow: threads access them at
// once, which is what they are for. That a phase completes orders all accesses of the block before
// it and after it for racecheck, as a block barrier does (Block::barrier_epoch): coarser than
// hardware, where it orders those who arrived before those who waited.

inline constexpr std::uint32_t kMostArrivals = (1U << 20U) - 1;

/// A shared address, generic or not, as an offset.
[[nodiscard]] inline std::uint64_t SharedOffset(std::uint64_t address) {
  const bool generic = address >> kWindowShift == kSharedWindow >> kWindowShift;
  return generic ? address - kSharedWindow : address;
}

/// The object at shared offset (or generic shared address) `address`; null when it does not lie
/// in the block's `shared_bytes` or is not aligned to 8 bytes.
[[nodiscard]] std::uint64_t* MbarrierAt(Block& block, std::uint32_t shared_bytes,
                                        std::uint64_t address);

/// The state of a fresh object, 1 to kMostArrivals arrivals a phase; others are cut to that range.
[[nodiscard]] std::uint64_t InitialMbarrier(std::uint32_t arrivals);

/// How an operation went.
enum class MbarrierUse : std::uint8_t {
  kRight,
  kTooManyArrivals,  ///< More than the phase waited for: the phase completes.
  kNotInitialized,   ///< Nothing was changed.
};

/// Counts `count` arrivals, and completes the phase when they were the last.
MbarrierUse ArriveAtMbarrier(Block& block, std::uint64_t& state, std::uint32_t count);
/// The same, and every later phase expects `count` arrivals less.
MbarrierUse ArriveAndDropAtMbarrier(Block& block, std::uint64_t& state, std::uint32_t count);
/// The current phase waits for `count` arrivals more.
MbarrierUse ExpectArrivals(std::uint64_t& state, std::uint32_t count);
/// The current phase waits for `bytes` more (expect_tx), or less (complete_tx, negative).
MbarrierUse ExpectBytes(Block& block, std::uint64_t& state, std::int64_t bytes);

/// Whether the phase that `token` was taken in has completed.
[[nodiscard]] bool PhaseIsOver(std::uint64_t state, std::uint64_t token);
/// Whether the phase of this parity (0: the first, third …) is not the current one.
[[nodiscard]] bool ParityIsOver(std::uint64_t state, std::uint32_t parity);
[[nodiscard]] std::uint32_t PendingArrivals(std::uint64_t state);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_MBARRIER_H_
