// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_SECTOR_SHADOW_H_
#define ASSAY_EMULATOR_MEMORY_SECTOR_SHADOW_H_

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/core/finding_log.h"
#include "emulator/memory/block_order.h"
#include "emulator/memory/checker_state.h"
#include "emulator/memory/footprint.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/release_chains.h"
#include "emulator/memory/sector_races.h"

namespace assay::gpu {

/// One block's access to some bytes of one sector.
struct SectorTouch {
  std::uint64_t sector = 0;  ///< (address - arena begin) / 32
  std::uint32_t mask = 0;    ///< Bit b: byte b.
  TouchKind kind = TouchKind::kRead;
  std::uint32_t position = 0;  ///< Block::position.
  std::uint32_t instruction = 0;
  std::uint32_t thread = 0;  ///< One of those that touched it.
};

/// Distinct sectors of a launch.
struct CompulsoryTraffic {
  std::uint64_t read_sectors = 0;  ///< Read by a block that had not written those bytes.
  std::uint64_t written_sectors = 0;
};

/// Who read and wrote which bytes of device memory in a launch, on one worker: finds races between
/// blocks, and counts compulsory traffic. 16 bytes for each 32 bytes that are touched, and 4 more
/// where a block reads and writes or several blocks do the same; sectors that blocks share in other
/// ways have exact masks by block in a side table. Blocks are named by their position in schedule
/// order.
///
/// kIndependent: what is kept suffices to know, of each kind of access and each byte, the first two
/// blocks in schedule order and where each first made such an access to the sector. All races of
/// the launch follow from that, and which are reported does not depend on how many workers there
/// are, nor on which ran what. kSequential: what the first 33 blocks that were there did, for
/// races are reported in the order of time, but for those that a chain of releases has ordered.
class SectorShadow {
 public:
  static constexpr std::uint32_t kMaxBlocks = 33;
  static constexpr std::size_t kMaxDetailed = std::size_t{1} << 22;

  [[nodiscard]] static std::unique_ptr<SectorShadow> Create(const GlobalMemory& memory);
  ~SectorShadow();
  SectorShadow(const SectorShadow&) = delete;
  SectorShadow& operator=(const SectorShadow&) = delete;

  void Begin(BlockOrder order, FindingLog* findings);
  void BeginBlock(std::uint64_t position, std::uint32_t linear);
  void EndBlock(std::uint64_t position);
  /// kSequential: races are reported now. Else by Finish.
  void Touch(const SectorTouch& touch);
  /// Has to be called before a record of the page is first written.
  void NotePage(std::uint64_t page);

  /// What orders blocks, kSequential only.
  [[nodiscard]] ReleaseChains& releases() { return releases_; }

  [[nodiscard]] SectorRecord* records() { return records_; }
  [[nodiscard]] SectorAsides asides() const { return asides_; }
  [[nodiscard]] std::uint8_t* touched_pages() { return touched_; }

  /// Ends the launch on all workers: reports races between blocks (kIndependent) and clears.
  /// `footprint`: takes what was touched, unless null.
  static CompulsoryTraffic Finish(std::span<SectorShadow* const> workers, FindingLog& findings,
                                  Footprint* footprint = nullptr);

 private:
  struct Entry {  // What one block did to a detailed sector.
    BlockTouches touches;
    std::uint32_t next = 0;
  };
  struct Detailed {
    std::uint64_t sector = 0;
    std::uint32_t first = 0;  // Of entries_, in order of block; 0: none.
    std::uint32_t entries = 0;
    std::uint32_t purge_at = kMaxBlocks;  // kIndependent: so many entries are looked through.
    std::uint32_t read = 0;               // Bytes that somebody read,
    std::uint32_t many_read = 0;          // and that at least two blocks did.
    std::uint32_t many_atomic = 0;        // kSequential: that at least two blocks updated.
    std::uint32_t written = 0;            // By anyone.
  };
  SectorShadow() = default;
  [[nodiscard]] bool TouchShared(SectorRecord& record, const SectorTouch& touch);
  void TouchDetailed(SectorRecord& record, const SectorTouch& touch);
  Detailed* MakeDetailed(SectorRecord& record, std::uint64_t sector);
  /// What the record of a sector that is not detailed says, in order of blocks.
  [[nodiscard]] std::vector<BlockTouches> Unfold(std::uint64_t sector) const;
  BlockTouches* FindEntry(Detailed& detailed, std::uint32_t block);
  std::uint32_t NewEntry(std::uint32_t block, std::uint32_t next);
  void DropLast(Detailed& detailed);
  void Purge(Detailed& detailed);
  void ReportRaces(const Detailed& detailed, const SectorTouch& touch);
  void ReportUnknown(const Detailed& detailed, const SectorTouch& touch);
  void Expand(std::uint64_t sector, std::vector<BlockTouches>& touches) const;
  static void ReportMerged(std::span<SectorShadow* const> workers, std::uint64_t sector,
                           FindingLog& findings);
  static void AddPage(std::span<SectorShadow* const> workers, std::uint64_t page,
                      Footprint& footprint);
  static void FinishPage(std::span<SectorShadow* const> workers, std::uint64_t page,
                         CompulsoryTraffic& traffic, FindingLog& findings);
  [[nodiscard]] std::uint32_t LinearOf(std::uint32_t position) const;
  void Clear();

  std::uint64_t begin_ = 0;
  SectorRecord* records_ = nullptr;
  SectorAsides asides_;
  std::uint8_t* touched_ = nullptr;
  std::vector<std::uint64_t> pages_;
  std::vector<Detailed> detailed_;
  std::vector<Entry> entries_;
  std::uint32_t free_ = 0;              // Entries that were dropped, by Entry::next.
  std::vector<std::uint32_t> running_;  // Positions of blocks that may touch more, ascending.
  std::unordered_map<std::uint32_t, std::uint32_t> linear_;  // Where it is not the position.
  bool sequential_ = false;
  FindingLog* findings_ = nullptr;
  ReleaseChains releases_;
  std::vector<std::pair<void*, std::size_t>> mappings_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_SECTOR_SHADOW_H_
