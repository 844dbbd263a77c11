// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_SECTOR_DETAILS_H_
#define ASSAY_EMULATOR_MEMORY_SECTOR_DETAILS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/memory/block_order.h"
#include "emulator/memory/sector_races.h"
#include "emulator/memory/sector_state.h"

namespace assay::gpu {

/// Who did what to the sectors of which SectorState cannot say it, on one worker: of each sector a
/// list of blocks with their exact masks.
///
/// kIndependent: of each kind of access and each byte at least the first two blocks in schedule
/// order, of all that were there. kSequential: the first 33 blocks in schedule order.
class SectorDetails {
 public:
  static constexpr std::uint32_t kMaxBlocks = 33;
  static constexpr std::size_t kMaxSectors = std::size_t{1} << 22;
  static constexpr std::uint32_t kNoRoom = ~0U;  ///< An index: there are kMaxSectors already.

  struct Sector {
    std::uint32_t first = 0;  ///< Its entries in order of block: see Next. 0: none.
    std::uint32_t entries = 0;
    std::uint32_t purge_at = kMaxBlocks;  ///< kIndependent: so many entries are looked through.
    std::uint32_t read = 0;               ///< Bytes that somebody read,
    std::uint32_t many_read = 0;          ///< and that at least two blocks did.
    std::uint32_t many_atomic = 0;        ///< kSequential: that at least two blocks updated.
    std::uint32_t written = 0;            ///< By anyone.
  };

  /// Before each launch, when there is nothing.
  void Begin(BlockOrder order) { order_ = order; }
  void BeginBlock(std::uint32_t position);
  void EndBlock(std::uint32_t position);
  void Clear();

  /// The index of a new sector that was in `state`; or kNoRoom.
  std::uint32_t Add(const SectorState& state);
  [[nodiscard]] Sector& at(std::uint32_t index) { return sectors_[index]; }
  [[nodiscard]] const Sector& at(std::uint32_t index) const { return sectors_[index]; }

  /// The entry of `block`, made if need be; until the next call. kSequential: null for a block
  /// above the first ones. One that is dropped is above all that are kept from then on, and never
  /// comes back.
  BlockTouches* Find(Sector& sector, std::uint32_t block);
  [[nodiscard]] const BlockTouches& touches(std::uint32_t entry) const {
    return entries_[entry].touches;
  }
  [[nodiscard]] std::uint32_t Next(std::uint32_t entry) const { return entries_[entry].next; }

 private:
  struct Entry {
    BlockTouches touches;
    std::uint32_t next = 0;
  };
  std::uint32_t NewEntry(std::uint32_t block, std::uint32_t next);
  void DropLast(Sector& sector);
  void Purge(Sector& sector);

  BlockOrder order_ = BlockOrder::kIndependent;
  std::vector<Sector> sectors_;
  std::vector<Entry> entries_ = std::vector<Entry>(1);
  std::uint32_t free_ = 0;              // Entries that were dropped, by Entry::next.
  std::vector<std::uint32_t> running_;  // Positions of blocks that may touch more, ascending.
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_SECTOR_DETAILS_H_
