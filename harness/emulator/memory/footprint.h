// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_FOOTPRINT_H_
#define ASSAY_EMULATOR_MEMORY_FOOTPRINT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/core/finding_log.h"
#include "emulator/memory/sector_races.h"

namespace assay::gpu {

/// The bytes of device memory that a piece of work touched, in any way, by kind of access.
class Footprint {
 public:
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t instruction = kNoInstruction;  ///< Of the first block that was there.
  };

  /// Of one kind in ascending order, without overlap: what follows on the last is one with it.
  void Add(TouchKind kind, const Run& run);
  /// Adds the runs of `bytes`, bit b for the byte at `address` + b.
  void AddSector(TouchKind kind, std::uint64_t address, std::uint32_t bytes,
                 std::uint32_t instruction);
  /// Forgets what lies from `begin` to `end`.
  void Erase(std::uint64_t begin, std::uint64_t end);

  [[nodiscard]] const std::vector<Run>& runs(TouchKind kind) const {
    return runs_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::size_t size() const;

 private:
  std::array<std::vector<Run>, kTouchKinds> runs_;
};

/// Bytes that two pieces of work touch in ways that race.
struct FootprintRace {
  TouchKind earlier_kind = TouchKind::kRead;
  TouchKind later_kind = TouchKind::kRead;
  std::uint32_t earlier_instruction = kNoInstruction;
  std::uint32_t later_instruction = kNoInstruction;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
};
/// Of each pair of kinds the first place.
[[nodiscard]] std::vector<FootprintRace> RacesBetween(const Footprint& earlier,
                                                      const Footprint& later);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_FOOTPRINT_H_
