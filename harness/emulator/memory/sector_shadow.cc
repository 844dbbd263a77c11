// SPDX-License-Identifier: Apache-2.0
// Theory of operation
//
//   Touch ──► record: Advance (sector_state.h) knows the next state, nearly always
//         └─► side table (sector_details.h): from the first access of which no state can say it
//   Finish ─► of all workers what each byte saw, races, traffic (sector_shadow_finish.cc)
//
// * Two accesses race that are of different blocks, of kinds that race, and to one byte. Of the
//   blocks that made one kind of access to a byte, only the first two in schedule order matter:
//   whichever block makes the other kind, at least one of these two is another one. So what is
//   found, and with which blocks, follows from the first two alone; and since the first two of all
//   are among the first two of each worker, it does not depend on which worker ran what. Each
//   worker notes these (kIndependent), and Finish looks for races once it has them all.
// * A block that comes third in the schedule need not be noted where the two before it are known: a
//   table that all blocks read stays in its records. A block may run before one that stands before
//   it in the schedule; that one then goes to the side table.
// * Where blocks tell each other something (kSequential), one worker runs them, and a chain of
//   releases may order two accesses. The chains are known only up to now, so races are told at
//   once, against all that has been noted, and nothing is left for Finish.
// * A sector is cold if a block read bytes of it that it had not written: what it reads must come
//   from memory, however large the caches. Writes make it count as written. Both are the launch's
//   compulsory traffic.
// * Shadows are address space, of which pages are there from their first use; `touched_` says which
//   pages to look at and to clear when the launch ends.
#include "emulator/memory/sector_shadow.h"

#include <sys/mman.h>

#include <array>
#include <utility>

namespace assay::gpu {
namespace {

SectorAccess AccessOf(const SectorTouch& touch) {
  return {.kind = touch.kind,
          .part = {.tag = TagOf(touch.position),
                   .bytes = touch.mask,
                   .site = SiteOf(touch.instruction, touch.thread)}};
}

// What a block surely finds of what was written: where blocks are independent only its own.
std::uint32_t KnownBytes(const SectorDetails::Sector& sector, const BlockTouches* own,
                         BlockOrder order) {
  if (order == BlockOrder::kSequential || own == nullptr) {
    return sector.written;
  }
  return own->Bytes(TouchKind::kWrite) | own->Bytes(TouchKind::kAtomic) |
         own->Bytes(TouchKind::kSyncWrite);
}

}  // namespace

std::unique_ptr<SectorShadow> SectorShadow::Create(const GlobalMemory& memory) {
  std::unique_ptr<SectorShadow> shadow(new SectorShadow);
  const auto reserve = [&](std::uint64_t bytes) -> void* {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      return nullptr;
    }
    shadow->mappings_.emplace_back(at, bytes);
    return at;
  };
  // One page more: the records of a last, partial vector of sectors.
  const std::uint64_t record_bytes =
      memory.reserved_bytes() / kSectorBytes * sizeof(SectorRecord) + 4096;
  void* records = reserve(record_bytes);
  void* touched = reserve((memory.reserved_bytes() >> kShadowPageShift) + 4096);
  const std::uint64_t aside_bytes = memory.reserved_bytes() / kSectorBytes * 4 + 4096;
  void* aside_sites = reserve(aside_bytes);
  void* seconds = reserve(aside_bytes);
  if (records == nullptr || touched == nullptr || aside_sites == nullptr || seconds == nullptr) {
    return nullptr;
  }
  madvise(records, record_bytes, MADV_HUGEPAGE);
  shadow->packed_ = {.records = static_cast<SectorRecord*>(records),
                     .asides = {.sites = static_cast<std::uint32_t*>(aside_sites),
                                .seconds = static_cast<std::uint32_t*>(seconds)}};
  shadow->touched_ = static_cast<std::uint8_t*>(touched);
  shadow->begin_ = memory.view().begin;
  return shadow;
}

SectorShadow::~SectorShadow() {
  for (const auto& [at, bytes] : mappings_) {
    munmap(at, bytes);
  }
}

void SectorShadow::Begin(BlockOrder order, FindingLog* findings) {
  order_ = order;
  details_.Begin(order);
  findings_ = findings;
}

void SectorShadow::BeginBlock(std::uint64_t position, std::uint32_t linear) {
  if (position != linear) {
    linear_[static_cast<std::uint32_t>(position)] = linear;
  }
  details_.BeginBlock(static_cast<std::uint32_t>(position));
}

void SectorShadow::EndBlock(std::uint64_t position) {
  details_.EndBlock(static_cast<std::uint32_t>(position));
}

std::uint32_t SectorShadow::LinearOf(std::uint32_t position) const {
  const auto it = linear_.find(position);
  return it == linear_.end() ? position : it->second;
}

void SectorShadow::NotePage(std::uint64_t page) {
  if (touched_[page] != 0) {
    return;
  }
  touched_[page] = 1;
  pages_.push_back(page);
}

void SectorShadow::Touch(const SectorTouch& touch) {
  if (SharingOf(packed_.records[touch.sector]) == Sharing::kUntouched) {
    NotePage(touch.sector * kSectorBytes >> kShadowPageShift);
  }
  const SectorAccess access = AccessOf(touch);
  if (!packed_.Advance(touch.sector, access, order_)) {
    TouchDetailed(touch, access);
  }
}

void SectorShadow::HandOut(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t first = (address - begin_) / kSectorBytes;
  const std::uint64_t count = (bytes + kSectorBytes - 1) / kSectorBytes;
  for (std::uint64_t sector = first; sector < first + count; ++sector) {
    // Records that nobody wrote are pages that are not there yet.
    if (SharingOf(packed_.records[sector]) != Sharing::kUntouched) {
      packed_.records[sector] = {};
    }
  }
}

DetailedSector SectorShadow::Detail(std::uint64_t sector) {
  const SectorRecord& record = packed_.records[sector];
  if (SharingOf(record) == Sharing::kDetails) {
    return packed_.GetDetailed(sector);
  }
  return {.index = details_.Add(packed_.Get(sector)),
          .written = IsWritten(record),
          .cold = IsCold(record)};
}

void SectorShadow::TouchDetailed(const SectorTouch& touch, const SectorAccess& access) {
  const bool reads = TouchReads(touch.kind);
  DetailedSector detailed = Detail(touch.sector);
  detailed.written = detailed.written || TouchWrites(touch.kind);
  if (detailed.index == SectorDetails::kNoRoom) {
    detailed.cold = detailed.cold || (reads && !detailed.written);
    packed_.PutDetailed(touch.sector, detailed);
    return;
  }
  SectorDetails::Sector& sector = details_.at(detailed.index);
  if (order_ == BlockOrder::kSequential) {
    ReportRaces(sector, touch);
  }
  BlockTouches* own = details_.Find(sector, touch.position);
  const std::uint32_t known = KnownBytes(sector, own, order_);
  detailed.cold = detailed.cold || (reads && (touch.mask & ~known) != 0);
  if (TouchWrites(touch.kind)) {
    sector.written |= touch.mask;
  }
  if (own != nullptr) {
    const std::uint32_t fresh = touch.mask & ~own->Bytes(touch.kind);
    own->Add(touch.kind, touch.mask, access.part.site);
    if (touch.kind == TouchKind::kRead && order_ != BlockOrder::kSequential) {
      sector.many_read |= fresh & sector.read;
      sector.read |= fresh;
      // Whoever reads these now is not among the first two, and the sector is known to be cold.
      detailed.settled = detailed.cold ? sector.many_read : 0;
    }
  }
  packed_.PutDetailed(touch.sector, detailed);
}

void SectorShadow::ReportRaces(const SectorDetails::Sector& sector, const SectorTouch& touch) {
  // What is worse first.
  constexpr std::array<TouchKind, kTouchKinds> kOrder = {TouchKind::kWrite, TouchKind::kSyncWrite,
                                                         TouchKind::kAtomic, TouchKind::kRead,
                                                         TouchKind::kSyncRead};
  const RaceSide now{
      .kind = touch.kind, .site = AccessOf(touch).part.site, .block = LinearOf(touch.position)};
  bool found = false;
  for (std::uint32_t at = sector.first; at != 0; at = details_.Next(at)) {
    const BlockTouches& earlier = details_.touches(at);
    if (earlier.block == touch.position) {
      continue;
    }
    for (const TouchKind kind : kOrder) {
      const std::uint32_t bytes = earlier.Bytes(kind) & touch.mask;
      const Severity severity = RaceSeverity(kind, touch.kind);
      if (bytes == 0 || !TouchesRace(kind, touch.kind) || (found && severity != Severity::kError)) {
        continue;
      }
      if (releases_.Ordered(earlier.block, touch.position,
                            TouchWrites(kind) ? Settled::kAll : Settled::kReads)) {
        continue;
      }
      findings_->Add(
          RaceRecord({.kind = kind, .site = earlier.Site(kind), .block = LinearOf(earlier.block)},
                     now, bytes, begin_ + touch.sector * kSectorBytes, touch.position));
      found = true;
      if (severity == Severity::kError) {
        return;
      }
    }
  }
  if (!found) {
    ReportUnknown(sector, touch, now);
  }
}

// Some other block was there, but which one was not kept: says so only where no chain of releases
// can have ordered it.
void SectorShadow::ReportUnknown(const SectorDetails::Sector& sector, const SectorTouch& touch,
                                 const RaceSide& now) {
  if (releases_.HasAcquired(touch.position)) {
    return;
  }
  for (const auto& [kind, many] : {std::pair{TouchKind::kAtomic, sector.many_atomic},
                                   std::pair{TouchKind::kRead, sector.many_read}}) {
    const std::uint32_t bytes = many & touch.mask;
    if (bytes == 0 || !TouchesRace(kind, touch.kind)) {
      continue;
    }
    FindingRecord record = RaceRecord({.kind = kind}, now, bytes,
                                      begin_ + touch.sector * kSectorBytes, touch.position);
    record.other = {.access = record.other.access};
    record.has_other = false;
    findings_->Add(std::move(record));
    return;
  }
}

}  // namespace assay::gpu
