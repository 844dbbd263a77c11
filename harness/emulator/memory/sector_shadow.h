// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_MEMORY_SECTOR_SHADOW_H_
#define ASSAY_EMULATOR_MEMORY_SECTOR_SHADOW_H_

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/core/finding_log.h"
#include "emulator/memory/block_order.h"
#include "emulator/memory/checker_state.h"
#include "emulator/memory/footprint.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/release_chains.h"
#include "emulator/memory/sector_details.h"
#include "emulator/memory/sector_races.h"
#include "emulator/memory/sector_state.h"

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
/// where a block reads and writes or several blocks do the same (SectorState); sectors that blocks
/// share in other ways have exact masks by block in a side table (SectorDetails). Blocks are named
/// by their position in schedule order.
///
/// kIndependent: what is kept suffices to know, of each kind of access and each byte, the first two
/// blocks in schedule order and where each first made such an access to the sector. All races of
/// the launch follow from that, and which are reported does not depend on how many workers there
/// are, nor on which ran what. kSequential: what the first 33 blocks that were there did, for
/// races are reported in the order of time, but for those that a chain of releases has ordered.
class SectorShadow {
 public:
  [[nodiscard]] static std::unique_ptr<SectorShadow> Create(const GlobalMemory& memory);
  ~SectorShadow();
  SectorShadow(const SectorShadow&) = delete;
  SectorShadow& operator=(const SectorShadow&) = delete;

  void Begin(BlockOrder order, FindingLog* findings);
  void BeginBlock(std::uint64_t position, std::uint32_t linear);
  void EndBlock(std::uint64_t position);
  /// kSequential: races are reported now. Else by Finish.
  void Touch(const SectorTouch& touch);
  /// `bytes` from `address`, the begin of a sector, are somebody's for the first time or anew, and
  /// the whole of the last sector too: no access before races with one after. Who freed them and
  /// who got them are ordered by malloc itself. What was touched there is left out of compulsory
  /// traffic.
  void HandOut(std::uint64_t address, std::uint64_t bytes);
  /// Has to be called before a record of the page is first written.
  void NotePage(std::uint64_t page);

  /// What orders blocks, kSequential only.
  [[nodiscard]] ReleaseChains& releases() { return releases_; }

  [[nodiscard]] SectorRecord* records() { return packed_.records; }
  [[nodiscard]] SectorAsides asides() const { return packed_.asides; }
  [[nodiscard]] std::uint8_t* touched_pages() { return touched_; }

  /// Ends the launch on all workers: reports races between blocks (kIndependent) and clears.
  /// `footprint`: takes what was touched, unless null.
  static CompulsoryTraffic Finish(std::span<SectorShadow* const> workers, FindingLog& findings,
                                  Footprint* footprint = nullptr);

 private:
  SectorShadow() = default;
  void TouchDetailed(const SectorTouch& touch, const SectorAccess& access);
  /// Makes it kDetails, if it is not.
  [[nodiscard]] DetailedSector Detail(std::uint64_t sector);
  void ReportRaces(const SectorDetails::Sector& sector, const SectorTouch& touch);
  void ReportUnknown(const SectorDetails::Sector& sector, const SectorTouch& touch,
                     const RaceSide& now);
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
  PackedSectors packed_;
  SectorDetails details_;
  std::uint8_t* touched_ = nullptr;
  std::vector<std::uint64_t> pages_;
  std::unordered_map<std::uint32_t, std::uint32_t> linear_;  // Where it is not the position.
  BlockOrder order_ = BlockOrder::kIndependent;
  FindingLog* findings_ = nullptr;
  ReleaseChains releases_;
  std::vector<std::pair<void*, std::size_t>> mappings_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_SECTOR_SHADOW_H_
