// SPDX-License-Identifier: Apache-2.0
// Plain data only: sources of ops/ read it in code that is compiled for wide vectors.
#ifndef ASSAY_EMULATOR_MEMORY_CHECKER_STATE_H_
#define ASSAY_EMULATOR_MEMORY_CHECKER_STATE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/core/step.h"

namespace assay::gpu {

inline constexpr std::uint32_t kSectorBytes = 32;

/// The allocation that an instruction hit last. size_bytes 0: none yet.
struct SiteCache {
  std::uint64_t begin = 0;
  std::uint64_t size_bytes = 0;  ///< 0 too where it may not be touched: constants by a store, what
                                 ///< is no constant by a const load.
};

/// How the lanes of an instruction lay when it ran last: counts depend on nothing else.
struct PatternCache {
  alignas(64) std::array<std::uint32_t, kWarpSize> relative{};  ///< Bytes from the lowest lane's.
  LaneMask lanes = 0;                                           ///< 0: none yet.
  std::uint32_t phase = 0;  ///< Global: the first address modulo 32.
  std::uint32_t count = 0;  ///< Sectors, or wavefronts.
  std::uint32_t ideal = 0;
};

// SectorRecord::owner: a block's tag (linear index + 1, modulo 2^29, never 0), and a state.
inline constexpr std::uint32_t kOwnerTag = (1U << 29) - 1;
inline constexpr std::uint32_t kOwnerState = 3U << 30;
inline constexpr std::uint32_t kExclusive = 0;           ///< One block was there.
inline constexpr std::uint32_t kManyReaders = 1U << 30;  ///< Nobody wrote.
inline constexpr std::uint32_t kAtomicOnly = 2U << 30;
inline constexpr std::uint32_t kDetailed = 3U << 30;  ///< Exact masks by block in a side table.

/// What one launch did to 32 aligned bytes of device memory, on one worker. Bit b: byte b.
/// kManyReaders: `written` has the bytes that a second block read too (all of them among `read`);
/// who came later read only bytes that these two had read. kAtomicOnly: the same of updates.
/// kSequential: the bytes of all other blocks than the owner. kDetailed: `read` is an index,
/// `written` has the bytes of which no further reader has to be known, and the tag is 2 if somebody
/// wrote.
struct alignas(16) SectorRecord {
  std::uint32_t owner = 0;  ///< 0: not touched.
  std::uint32_t read = 0;
  std::uint32_t written = 0;
  /// instruction << 11 | thread << 1 | cold: the first write, else the first read; cold: a block
  /// read bytes here that it had not written.
  std::uint32_t site = 0;
};
inline constexpr std::uint32_t kColdSector = 1;

/// What a record has no room for, by sector; without meaning where the record does not give it one.
struct SectorAsides {
  /// kExclusive, read and written: the first read, where SectorRecord::site is the first write.
  /// kManyReaders, kAtomicOnly: the second block's first access.
  std::uint32_t* sites = nullptr;
  std::uint32_t* seconds = nullptr;  ///< kManyReaders, kAtomicOnly: the second block's tag.
};

/// Requests that one instruction may add to BlockShadow::trace.
inline constexpr std::size_t kMaxTraced = kWarpSize;

/// Three bits that choose which lines of a large L2 are simulated.
[[nodiscard]] inline __attribute__((always_inline)) std::uint64_t L2LineChoice(std::uint64_t line) {
  return line * 0x9e3779b97f4a7c15U >> 61U;
}

inline constexpr unsigned kShadowPageShift = 14;  ///< Device bytes whose records are one page.

// Tags of the shared memory's shadow: epoch << 23 | warp << 17 | sync epoch << 6 | lane.
inline constexpr unsigned kTagEpochShift = 23;
inline constexpr unsigned kTagWarpShift = 17;
inline constexpr unsigned kTagSyncShift = 6;
inline constexpr std::uint32_t kTagManyWarps = 63U << kTagWarpShift;
inline constexpr std::uint32_t kTagManyLanes = 32;
inline constexpr std::uint32_t kTagAtomic = 33;
inline constexpr std::uint32_t kTagLane = 63;
inline constexpr std::uint32_t kTagMaxEpoch = 511;

// Sites of the shared memory's shadow: two lanes << 27 and << 22 | Step::instruction. The lanes are
// two (or one, twice) of those that the tag does not name.
inline constexpr unsigned kFirstLaneShift = 22;
inline constexpr unsigned kSecondLaneShift = 27;
inline constexpr std::uint32_t kSiteInstruction = (1U << kFirstLaneShift) - 1U;

class WarpChains;

/// MemoryChecker's part of a resident block: Block::shared_shadow. A granule is the smallest
/// access to shared memory that the program makes, 1 to 4 bytes.
struct BlockShadow {
  std::uint32_t* writers = nullptr;  ///< By granule: tag of the last write; below `first_epoch`
                                     ///< << 23: never written by this block.
  std::uint32_t* readers = nullptr;
  std::uint32_t* writer_sites = nullptr;
  std::uint32_t* reader_sites = nullptr;
  std::uint32_t granule_shift = 2;
  std::uint32_t granules = 0;
  std::uint32_t first_epoch = 1;
  std::uint32_t epoch_bias = 1;          ///< Added to Block::barrier_epoch.
  std::byte* local_written = nullptr;    ///< A bit a byte of Warp::local, warp after warp.
  std::uint64_t local_stride_bytes = 0;  ///< Of a warp in local_written.
  bool fenced = false;                   ///< Ran a fence of gpu or system scope.
  std::uint32_t fenced_warps = 0;        ///< Those that ran a fence of any scope.
  WarpChains* chains = nullptr;          ///< Without meaning while fenced_warps is 0.
  std::uint32_t reserved_begin = ~0U;    ///< Where the system's shared memory begins.
  /// L2 requests not yet replayed (l2_cache.h): from `trace` to `trace_at`, room up to `trace_end`.
  std::uint64_t* trace = nullptr;
  std::uint64_t* trace_at = nullptr;
  std::uint64_t* trace_end = nullptr;
};

class SectorShadow;

/// What the handlers of ops/ look at, of a worker.
struct CheckerState {
  SiteCache* sites = nullptr;        ///< By Step::instruction.
  PatternCache* patterns = nullptr;  ///< By Step::instruction.
  SectorRecord* sectors = nullptr;   ///< By (address - arena begin) / 32.
  SectorAsides asides;
  std::uint8_t* touched_pages = nullptr;  ///< By (address - arena begin) >> kShadowPageShift.
  SectorShadow* shadow = nullptr;
  std::uint64_t l2_skip_mask = 0;  ///< Of a line's hash: lines with a bit of it are not traced.
  bool trace_l2 = false;
  bool sequential = false;  ///< BlockOrder::kSequential.
  bool released = false;    ///< A block has told others something: SectorShadow::Release.
  /// A bit of the states in which a block that reads none but bytes of SectorRecord::written
  /// changes nothing. 0 where blocks do not come in schedule order: it may be one of the first two,
  /// which are remembered.
  std::uint32_t settled_readers = kManyReaders & kDetailed;
  std::uint32_t settled_atomics = kAtomicOnly;  ///< The state, of updates.
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_CHECKER_STATE_H_
