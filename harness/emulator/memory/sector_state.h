// SPDX-License-Identifier: Apache-2.0
// What blocks did to one sector, as long as that is little: the states, what an access makes of
// each, and how they are packed.
//
//   sharing     first                   second
//   kUntouched  -                       -
//   kOneBlock   what a block read       what the same block wrote
//   kReaders    what a block read       what another block read; empty: only one did
//   kUpdaters   what a block updated    what another block updated; empty: only one did
//   kDetails    -                       -                                  (see SectorDetails)
//
// An update is an atomic. Where blocks run in an order that says something (kSequential), the bytes
// of `second` are those of all blocks but the first.
#ifndef ASSAY_EMULATOR_MEMORY_SECTOR_STATE_H_
#define ASSAY_EMULATOR_MEMORY_SECTOR_STATE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/memory/block_order.h"
#include "emulator/memory/checker_state.h"
#include "emulator/memory/sector_races.h"

namespace assay::gpu {

/// The first four in the order of SectorRecord::owner's states.
enum class Sharing : std::uint8_t { kOneBlock, kReaders, kUpdaters, kDetails, kUntouched };

/// What one block did in one way.
struct SectorPart {
  std::uint32_t tag = 0;    ///< The block's: TagOf.
  std::uint32_t bytes = 0;  ///< Bit b: byte b. 0: nothing.
  std::uint32_t site = 0;   ///< Of the first such access: instruction << 11 | thread << 1.

  bool operator==(const SectorPart&) const = default;
};

struct SectorState {
  Sharing sharing = Sharing::kUntouched;
  bool cold = false;  ///< A block read bytes that it had not written.
  SectorPart first = {};
  SectorPart second = {};

  bool operator==(const SectorState&) const = default;
};

struct SectorAccess {
  TouchKind kind = TouchKind::kRead;
  SectorPart part;
};

// What is always inlined, the quick ways of ops/ are made of too, in code for wide vectors.

/// Of the block at a position of the schedule, 1 to 2^29 - 1.
[[nodiscard, gnu::always_inline]] inline std::uint32_t TagOf(std::uint32_t position) {
  const std::uint32_t tag = (position + 1) & kOwnerTag;
  return tag == 0 ? 1 : tag;
}
[[nodiscard]] inline std::uint32_t PositionOf(std::uint32_t tag) { return tag - 1; }

/// SectorPart::site. `thread` of its block, modulo 1024.
[[nodiscard, gnu::always_inline]] inline std::uint32_t SiteOf(std::uint32_t instruction,
                                                              std::uint32_t thread) {
  return instruction << 11 | (thread & 1023U) << 1;
}

/// What the blocks did, in the schedule's order. kSequential: without the second's part of kReaders
/// and kUpdaters, of which it is not known who did what. Empty: kUntouched, kDetails.
[[nodiscard]] std::vector<BlockTouches> TouchesOf(const SectorState& state, BlockOrder order);

/// What is known of a kDetails sector beside the masks by block.
struct DetailedSector {
  std::uint32_t index = 0;    ///< In SectorDetails.
  std::uint32_t settled = 0;  ///< Bytes of which no further reader has to be known.
  bool written = false;       ///< By any block.
  bool cold = false;          ///< As SectorState::cold.
};

/// States where they are kept: the words that checker_state.h describes. The quick ways of
/// ops/sector_touch.h change them too, by what makes the rows of Advance.
struct PackedSectors {
  SectorRecord* records = nullptr;
  SectorAsides asides;

  /// kDetails: no more than that.
  [[nodiscard]] SectorState Get(std::uint64_t sector) const;

  /// Puts the state after an access, of which at least one byte must be. False: the sector is as it
  /// was, for no state but kDetails can say it.
  ///
  ///   before      access                                             after
  ///   kUntouched  A reads or writes                                  kOneBlock, of A
  ///   kUntouched  A updates                                          kUpdaters, of A
  ///   kOneBlock   A reads or writes                                  kOneBlock
  ///   kOneBlock   B reads no bytes but those that A read, who wrote  kReaders, of A and B
  ///               nothing
  ///   kOneBlock   B reads all bytes that A read, who wrote nothing,  kReaders, of B and A
  ///               and others
  ///   kReaders    the first reads                                    kReaders
  ///   kReaders    the second reads, or there was none, no bytes but  kReaders
  ///               those that the first read
  ///   kReaders    C, which comes after both in the schedule, reads   kReaders, the same
  ///               no bytes but those that both read
  ///   kReaders    kSequential: any block reads no bytes but those    kReaders
  ///               that the first read
  ///   kUpdaters   as kReaders, with updates for reads                kUpdaters
  ///   any         else                                               false
  [[nodiscard]] bool Advance(std::uint64_t sector, const SectorAccess& access,
                             BlockOrder order) const;

  /// The sector must be kDetails.
  [[nodiscard]] DetailedSector GetDetailed(std::uint64_t sector) const;
  /// Makes it kDetails.
  void PutDetailed(std::uint64_t sector, const DetailedSector& detailed) const;
};

[[nodiscard]] inline Sharing SharingOf(const SectorRecord& record) {
  return record.owner == 0 ? Sharing::kUntouched : static_cast<Sharing>(record.owner >> 30);
}

[[nodiscard]] inline bool IsCold(const SectorRecord& record) {
  return (record.site & kColdSector) != 0;
}

/// SectorRecord::owner of a kDetails sector.
inline constexpr std::uint32_t kDetailedRead = kDetailed | 1U;
inline constexpr std::uint32_t kDetailedWritten = kDetailed | 2U;

/// Whether a block wrote or updated it.
[[nodiscard]] inline bool IsWritten(const SectorRecord& record) {
  switch (SharingOf(record)) {
    case Sharing::kOneBlock:
      return record.written != 0;
    case Sharing::kUpdaters:
      return true;
    case Sharing::kDetails:
      return record.owner == kDetailedWritten;
    default:
      return false;
  }
}

// Inline, since every access that the quick ways of ops/ leave over comes through here:

[[nodiscard, gnu::always_inline]] inline bool Covers(std::uint32_t bytes, std::uint32_t some) {
  return (some & ~bytes) == 0;
}

// What an access does to a state.
enum class SectorChange : std::uint8_t {
  kBegin,         // To kOneBlock or kUpdaters: it is the first.
  kExtendFirst,   // Its bytes are the first's too,
  kExtendSecond,  // or the second's.
  kAddSecond,     // It is the second, where there was none.
  kShare,         // To kReaders: it is the second,
  kShareAsFirst,  // or it is the first, and who was there before is the second.
  kNone,          // The state says it already.
  kNeedsDetails,  // No state says it.
};

// kOneBlock, and the access is by another block.
[[nodiscard]] inline SectorChange ChangeByOther(const SectorRecord& record,
                                                const SectorAccess& access) {
  if (access.kind != TouchKind::kRead || record.written != 0) {
    return SectorChange::kNeedsDetails;
  }
  if (Covers(record.read, access.part.bytes)) {
    return SectorChange::kShare;
  }
  return Covers(access.part.bytes, record.read) ? SectorChange::kShareAsFirst
                                                : SectorChange::kNeedsDetails;
}

// kReaders and kUpdaters, and the access is of that kind. The second's tag has a meaning only where
// there is a second.
[[nodiscard]] inline SectorChange ChangeByLike(const SectorRecord& record,
                                               const std::uint32_t& second_tag,
                                               const SectorPart& part, BlockOrder order) {
  const std::uint32_t first_tag = record.owner & kOwnerTag;
  if (part.tag == first_tag) {
    return SectorChange::kExtendFirst;
  }
  if (!Covers(record.read, part.bytes)) {
    return SectorChange::kNeedsDetails;
  }
  if (record.written == 0) {
    return SectorChange::kAddSecond;
  }
  if (order == BlockOrder::kSequential || part.tag == second_tag) {
    return SectorChange::kExtendSecond;
  }
  const bool third = part.tag > first_tag && part.tag > second_tag;
  return third && Covers(record.written, part.bytes) ? SectorChange::kNone
                                                     : SectorChange::kNeedsDetails;
}

// The table of PackedSectors::Advance.
[[nodiscard]] inline SectorChange ChangeBy(const SectorRecord& record,
                                           const std::uint32_t& second_tag,
                                           const SectorAccess& access, BlockOrder order) {
  const bool reads = access.kind == TouchKind::kRead;
  const bool writes = access.kind == TouchKind::kWrite;
  const bool updates = access.kind == TouchKind::kAtomic;
  switch (SharingOf(record)) {
    case Sharing::kUntouched:
      return reads || writes || updates ? SectorChange::kBegin : SectorChange::kNeedsDetails;
    case Sharing::kOneBlock:
      if (access.part.tag != record.owner) {
        return ChangeByOther(record, access);
      }
      return reads    ? SectorChange::kExtendFirst
             : writes ? SectorChange::kExtendSecond
                      : SectorChange::kNeedsDetails;
    case Sharing::kReaders:
      return reads ? ChangeByLike(record, second_tag, access.part, order)
                   : SectorChange::kNeedsDetails;
    case Sharing::kUpdaters:
      return updates ? ChangeByLike(record, second_tag, access.part, order)
                     : SectorChange::kNeedsDetails;
    default:
      return SectorChange::kNeedsDetails;
  }
}

// SectorRecord::owner of a sector that one block touches, in this way.
[[nodiscard, gnu::always_inline]] inline std::uint32_t OneBlocksOwner(TouchKind kind,
                                                                      std::uint32_t tag) {
  return tag | (kind == TouchKind::kAtomic ? kAtomicOnly : kExclusive);
}

// SectorChange::kBegin.
[[nodiscard, gnu::always_inline]] inline SectorRecord FirstRecord(const SectorAccess& access) {
  const bool writes = access.kind == TouchKind::kWrite;
  return {.owner = OneBlocksOwner(access.kind, access.part.tag),
          .read = writes ? 0 : access.part.bytes,
          .written = writes ? access.part.bytes : 0,
          .site = access.part.site | (writes ? 0 : kColdSector)};
}

// SectorChange::kExtendFirst.
[[gnu::always_inline]] inline void ExtendFirst(SectorRecord& record, std::uint32_t& aside_site,
                                               const SectorPart& part) {
  const std::uint32_t fresh = part.bytes & ~record.read;
  if (fresh == 0) {
    return;  // Nearly always, where blocks work on what they have.
  }
  if (record.read == 0) {
    aside_site = part.site;
  }
  record.site |= Covers(record.written, fresh) ? 0 : kColdSector;
  record.read |= fresh;
}

// SectorChange::kExtendSecond.
[[gnu::always_inline]] inline void ExtendSecond(SectorRecord& record, std::uint32_t& aside_site,
                                                const SectorPart& part) {
  if (record.written == 0) {
    aside_site = record.site;
    record.site = part.site | (record.site & kColdSector);
  }
  record.written |= part.bytes;
}

inline bool PackedSectors::Advance(std::uint64_t sector, const SectorAccess& access,
                                   BlockOrder order) const {
  SectorRecord& record = records[sector];
  std::uint32_t& aside_site = asides.sites[sector];
  std::uint32_t& second_tag = asides.seconds[sector];
  const SectorPart& part = access.part;
  switch (ChangeBy(record, second_tag, access, order)) {
    case SectorChange::kBegin:
      record = FirstRecord(access);
      return true;
    case SectorChange::kExtendFirst:
      ExtendFirst(record, aside_site, part);
      return true;
    case SectorChange::kExtendSecond:
      ExtendSecond(record, aside_site, part);
      return true;
    case SectorChange::kShareAsFirst:
      second_tag = record.owner;
      aside_site = record.site;
      record = {.owner = part.tag | kManyReaders,
                .read = part.bytes,
                .written = record.read,
                .site = part.site | kColdSector};
      return true;
    case SectorChange::kShare:
      record.owner |= kManyReaders;
      [[fallthrough]];
    case SectorChange::kAddSecond:
      record.written = part.bytes;
      second_tag = part.tag;
      aside_site = part.site;
      return true;
    case SectorChange::kNone:
      return true;
    case SectorChange::kNeedsDetails:
      return false;
  }
  std::unreachable();
}

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_MEMORY_SECTOR_STATE_H_
