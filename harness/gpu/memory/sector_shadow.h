// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_MEMORY_SECTOR_SHADOW_H_
#define ASSAY_GPU_MEMORY_SECTOR_SHADOW_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/exec/finding_log.h"
#include "gpu/memory/block_order.h"
#include "gpu/memory/checker_state.h"
#include "gpu/memory/global_memory.h"

namespace assay::gpu {

/// What an access means to other blocks. kSyncRead, kSyncWrite: volatile, relaxed, acquire,
/// release: like atomics, they race with plain accesses only.
enum class TouchKind : std::uint8_t { kRead, kWrite, kAtomic, kSyncRead, kSyncWrite };

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
/// blocks, and counts compulsory traffic. 16 bytes for each 32 bytes that are touched; sectors that
/// blocks share in other ways than reading the same bytes or updating them atomically have exact
/// masks by block in a side table, for the
/// 33 blocks that were there and come first in schedule order. Blocks are named by their position
/// in that order, so that reports do not depend on which worker ran them.
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
  /// kSequential: races are reported now. Else by Finish.
  void Touch(const SectorTouch& touch);
  /// Has to be called before a record of the page is first written.
  void NotePage(std::uint64_t page);

  // What orders blocks, kSequential only: `block` has run a fence and then written `address`; or
  // it read what others had so written.
  void Release(std::uint32_t block, std::uint64_t address);
  void Acquire(std::uint32_t block, std::uint64_t address);

  [[nodiscard]] SectorRecord* records() { return records_; }
  [[nodiscard]] std::uint8_t* touched_pages() { return touched_; }

  /// Ends the launch on all workers: reports races between blocks (kIndependent) and clears.
  static CompulsoryTraffic Finish(std::span<SectorShadow* const> workers, FindingLog& findings);

 private:
  struct Entry {              // What one block did to a detailed sector.
    std::uint32_t block = 0;  // Its position.
    std::uint32_t read = 0, written = 0, sync_read = 0, sync_written = 0;
    std::uint32_t read_site = 0, write_site = 0;  // instruction << 11 | thread << 1
    std::uint32_t next = 0;
  };
  struct Detailed {
    std::uint64_t sector = 0;
    std::uint32_t first = 0;  // Of entries_, in order of block; 0: none.
    std::uint32_t entries = 0;
    std::uint32_t many_read = 0;    // Bytes that at least two blocks read, whichever.
    std::uint32_t many_atomic = 0;  // … updated atomically.
    std::uint32_t written = 0;      // By anyone.
    std::uint32_t site = 0;
  };
  struct Releases {
    std::vector<std::uint32_t> chain;  // Blocks, in the order of their releases.
    std::unordered_map<std::uint32_t, std::uint32_t> first;  // Of a block: index in chain.
  };
  struct Merged;

  SectorShadow() = default;
  void TouchDetailed(SectorRecord& record, const SectorTouch& touch);
  Detailed* MakeDetailed(SectorRecord& record, std::uint64_t sector);
  Entry* FindEntry(Detailed& detailed, std::uint32_t block);
  void ReportRaces(const Detailed& detailed, const SectorTouch& touch);
  [[nodiscard]] bool Ordered(std::uint32_t earlier, std::uint32_t later) const;
  [[nodiscard]] bool HasAcquired(std::uint32_t block) const { return acquired_.contains(block); }
  void Expand(std::uint64_t sector, Merged& merged) const;
  static void ReportMerged(std::span<SectorShadow* const> workers, std::uint64_t sector,
                           FindingLog& findings);
  static void FinishPage(std::span<SectorShadow* const> workers, std::uint64_t page,
                         CompulsoryTraffic& traffic, FindingLog& findings);
  [[nodiscard]] std::uint32_t LinearOf(std::uint32_t position) const;
  void Clear();

  std::uint64_t begin_ = 0;
  SectorRecord* records_ = nullptr;
  std::uint8_t* touched_ = nullptr;
  std::vector<std::uint64_t> pages_;
  std::vector<Detailed> detailed_;
  std::vector<Entry> entries_;
  std::unordered_map<std::uint32_t, std::uint32_t> linear_;  // Where it is not the position.
  bool sequential_ = false;
  FindingLog* findings_ = nullptr;
  std::unordered_map<std::uint64_t, Releases> releases_;  // By address.
  // By block: how much of an address's chain it has seen.
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint64_t, std::uint32_t>> acquired_;
  std::vector<std::pair<void*, std::size_t>> mappings_;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_MEMORY_SECTOR_SHADOW_H_
