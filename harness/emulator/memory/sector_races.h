// SPDX-License-Identifier: Apache-2.0
// Which accesses of two blocks to one sector race, and what is said of it.
#ifndef ASSAY_EMULATOR_MEMORY_SECTOR_RACES_H_
#define ASSAY_EMULATOR_MEMORY_SECTOR_RACES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/core/finding_log.h"

namespace assay::gpu {

/// What an access means to other threads. kSyncRead, kSyncWrite: volatile, relaxed, acquire,
/// release: like atomics, they race with plain accesses only.
enum class TouchKind : std::uint8_t { kRead, kWrite, kAtomic, kSyncRead, kSyncWrite };
inline constexpr std::size_t kTouchKinds = 5;

/// What one block did to one sector, by TouchKind. Bit b: byte b.
struct BlockTouches {
  std::uint32_t block = 0;  ///< Its position in the schedule.
  std::array<std::uint32_t, kTouchKinds> bytes{};
  std::array<std::uint32_t, kTouchKinds> sites{};  ///< The first: instruction << 11 | thread << 1.

  std::uint32_t& Bytes(TouchKind kind) { return bytes[static_cast<std::size_t>(kind)]; }
  std::uint32_t& Site(TouchKind kind) { return sites[static_cast<std::size_t>(kind)]; }
  void Add(TouchKind kind, std::uint32_t mask, std::uint32_t site) {
    if (Bytes(kind) == 0) {
      Site(kind) = site;
    }
    Bytes(kind) |= mask;
  }
  [[nodiscard]] std::uint32_t Bytes(TouchKind kind) const {
    return bytes[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint32_t Site(TouchKind kind) const {
    return sites[static_cast<std::size_t>(kind)];
  }
};

[[nodiscard]] bool TouchReads(TouchKind kind);
[[nodiscard]] bool TouchWrites(TouchKind kind);
/// Whether they race when different blocks make them and nothing orders these.
[[nodiscard]] bool TouchesRace(TouchKind a, TouchKind b);
/// A plain read beside an atomic: aligned as all accesses are, it has one of the values that were
/// there, and programs have looked before a compare-and-swap for as long as there was one.
[[nodiscard]] Severity RaceSeverity(TouchKind a, TouchKind b);
[[nodiscard]] FindingKind RaceKind(TouchKind earlier, TouchKind later);
/// What a reader is told to do about it; empty: nothing but the obvious.
[[nodiscard]] const char* RaceNote(TouchKind a, TouchKind b);

/// One side of a race: what thread of which block (linear) made an access of this kind.
struct RaceSide {
  TouchKind kind = TouchKind::kRead;
  std::uint32_t site = 0;
  std::uint32_t block = 0;
};
/// A race on `bytes` of the sector at `address`; without `earlier.site` when it is not known.
[[nodiscard]] FindingRecord RaceRecord(const RaceSide& earlier, const RaceSide& later,
                                       std::uint32_t bytes, std::uint64_t address,
                                       std::uint32_t position);

/// Leaves of `touches`, which are in order of blocks, of each kind and byte the first two blocks:
/// whether two of them race, and which come first, depends on no others.
void KeepFirstTwo(std::vector<BlockTouches>& touches);

/// A race of two entries of `touches`, whose order in time is not known.
struct SectorRace {
  std::size_t earlier = 0;  ///< In the schedule: an index.
  std::size_t later = 0;
  TouchKind earlier_kind = TouchKind::kRead;
  TouchKind later_kind = TouchKind::kRead;
  std::uint32_t bytes = 0;
};
/// Of each finding kind and severity the first.
[[nodiscard]] std::vector<SectorRace> FindRaces(const std::vector<BlockTouches>& touches);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_SECTOR_RACES_H_
