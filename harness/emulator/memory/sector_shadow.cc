// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/sector_shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace assay::gpu {
namespace {

constexpr std::uint32_t kRecordsPerPage = (1U << kShadowPageShift) / kSectorBytes;
constexpr std::uint32_t kSaturated = ~0U;  // SectorRecord::read: no room for details.

std::uint32_t TagOf(std::uint32_t position) {
  const std::uint32_t tag = (position + 1) & kOwnerTag;
  return tag == 0 ? 1 : tag;
}

std::uint32_t SiteOf(const SectorTouch& touch) {
  return (touch.instruction << 11) | ((touch.thread & 1023U) << 1);
}

// SectorRecord::owner of a sector in the side table.
constexpr std::uint32_t kDetailedRead = kDetailed | 1U;
constexpr std::uint32_t kDetailedWritten = kDetailed | 2U;

bool IsWritten(const SectorRecord& record) {
  switch (record.owner & kOwnerState) {
    case kAtomicOnly:
      return true;
    case kDetailed:
      return record.owner == kDetailedWritten;
    case kManyReaders:
      return false;
    default:
      return record.written != 0;
  }
}

BlockTouches Only(std::uint32_t block, TouchKind kind, std::uint32_t bytes, std::uint32_t site) {
  BlockTouches touches{.block = block};
  touches.Bytes(kind) = bytes;
  touches.Site(kind) = site;
  return touches;
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
  shadow->records_ = static_cast<SectorRecord*>(records);
  shadow->asides_ = {.sites = static_cast<std::uint32_t*>(aside_sites),
                     .seconds = static_cast<std::uint32_t*>(seconds)};
  shadow->touched_ = static_cast<std::uint8_t*>(touched);
  shadow->begin_ = memory.view().begin;
  shadow->entries_.resize(1);
  return shadow;
}

SectorShadow::~SectorShadow() {
  for (const auto& [at, bytes] : mappings_) {
    munmap(at, bytes);
  }
}

void SectorShadow::Begin(BlockOrder order, FindingLog* findings) {
  sequential_ = order == BlockOrder::kSequential;
  findings_ = findings;
}

void SectorShadow::BeginBlock(std::uint64_t position, std::uint32_t linear) {
  if (position != linear) {
    linear_[static_cast<std::uint32_t>(position)] = linear;
  }
  const auto at = static_cast<std::uint32_t>(position);
  running_.insert(std::ranges::upper_bound(running_, at), at);
}

void SectorShadow::EndBlock(std::uint64_t position) {
  std::erase(running_, static_cast<std::uint32_t>(position));
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
  SectorRecord& record = records_[touch.sector];
  const std::uint32_t tag = TagOf(touch.position);
  const bool plain = touch.kind == TouchKind::kRead || touch.kind == TouchKind::kWrite;
  if (record.owner == 0 && (plain || touch.kind == TouchKind::kAtomic)) {
    NotePage(touch.sector * kSectorBytes >> kShadowPageShift);
    const bool write = touch.kind == TouchKind::kWrite;
    record = {.owner = tag | (plain ? kExclusive : kAtomicOnly),
              .read = write ? 0 : touch.mask,
              .written = write ? touch.mask : 0,
              .site = SiteOf(touch) | (write ? 0 : kColdSector)};
    return;
  }
  if ((record.owner & kOwnerState) == kExclusive && (record.owner & kOwnerTag) == tag) {
    if (touch.kind == TouchKind::kRead) {
      if (record.read == 0) {
        asides_.sites[touch.sector] = SiteOf(touch);
      }
      if ((touch.mask & ~record.written) != 0) {
        record.site |= kColdSector;
      }
      record.read |= touch.mask;
      return;
    }
    if (touch.kind == TouchKind::kWrite) {
      if (record.written == 0) {
        asides_.sites[touch.sector] = record.site;
        record.site = SiteOf(touch) | (record.site & kColdSector);
      }
      record.written |= touch.mask;
      return;
    }
  }
  if (record.owner == 0 || !TouchShared(record, touch)) {
    TouchDetailed(record, touch);
  }
}

// What a block does as others have done before. False: the record cannot say it.
bool SectorShadow::TouchShared(SectorRecord& record, const SectorTouch& touch) {
  const std::uint32_t tag = TagOf(touch.position);
  const std::uint32_t owner = record.owner & kOwnerTag;
  const std::uint32_t state = record.owner & kOwnerState;
  std::uint32_t& second = asides_.seconds[touch.sector];
  const auto become_second = [&] {
    record.written = touch.mask;
    second = tag;
    asides_.sites[touch.sector] = SiteOf(touch);
    return true;
  };
  const bool known = (touch.mask & ~record.read) == 0;
  if (state == kExclusive && touch.kind == TouchKind::kRead && record.written == 0) {
    if (known) {
      record.owner |= kManyReaders;
      return become_second();
    }
    if ((record.read & ~touch.mask) == 0) {
      second = owner;
      asides_.sites[touch.sector] = record.site;
      record = {.owner = tag | kManyReaders,
                .read = touch.mask,
                .written = record.read,
                .site = SiteOf(touch) | kColdSector};
      return true;
    }
    return false;
  }
  if (!(state == kManyReaders && touch.kind == TouchKind::kRead) &&
      !(state == kAtomicOnly && touch.kind == TouchKind::kAtomic)) {
    return false;
  }
  if (owner == tag) {
    record.read |= touch.mask;
    return true;
  }
  if (!known) {
    return false;
  }
  if (record.written == 0) {
    return become_second();
  }
  if (sequential_ || second == tag) {
    record.written |= touch.mask;
    return true;
  }
  return (touch.mask & ~record.written) == 0 && tag > owner && tag > second;
}

std::vector<BlockTouches> SectorShadow::Unfold(std::uint64_t sector) const {
  const SectorRecord& record = records_[sector];
  const std::uint32_t state = record.owner & kOwnerState;
  const std::uint32_t block = (record.owner & kOwnerTag) - 1;
  if (record.owner == 0 || state == kDetailed) {
    return {};
  }
  if (state == kExclusive) {
    const bool both = record.read != 0 && record.written != 0;
    BlockTouches touches =
        Only(block, TouchKind::kRead, record.read, both ? asides_.sites[sector] : record.site);
    touches.Bytes(TouchKind::kWrite) = record.written;
    touches.Site(TouchKind::kWrite) = record.site;
    return {touches};
  }
  const TouchKind kind = state == kAtomicOnly ? TouchKind::kAtomic : TouchKind::kRead;
  std::vector<BlockTouches> touches = {Only(block, kind, record.read, record.site)};
  if (record.written != 0 && !sequential_) {
    touches.push_back(
        Only(asides_.seconds[sector] - 1, kind, record.written, asides_.sites[sector]));
    std::ranges::sort(touches, {}, &BlockTouches::block);
  }
  return touches;
}

SectorShadow::Detailed* SectorShadow::MakeDetailed(SectorRecord& record, std::uint64_t sector) {
  const std::uint32_t state = record.owner & kOwnerState;
  if (record.owner != 0 && state == kDetailed) {
    return record.read == kSaturated ? nullptr : &detailed_[record.read];
  }
  const std::uint32_t owner = IsWritten(record) ? kDetailedWritten : kDetailedRead;
  if (detailed_.size() >= kMaxDetailed) {
    record = {.owner = owner, .read = kSaturated, .written = 0, .site = record.site};
    return nullptr;
  }
  Detailed detailed{.sector = sector};
  if (record.owner == 0) {
    NotePage(sector * kSectorBytes >> kShadowPageShift);
  } else if (state == kAtomicOnly) {
    detailed.many_atomic = record.written;
    detailed.written = record.read;
  } else if (state == kManyReaders) {
    detailed.read = record.read;
    detailed.many_read = record.written;
  } else {
    detailed.read = record.read;
    detailed.written = record.written;
  }
  for (const BlockTouches& touches : Unfold(sector)) {
    *FindEntry(detailed, touches.block) = touches;
  }
  record = {.owner = owner,
            .read = static_cast<std::uint32_t>(detailed_.size()),
            .written = 0,
            .site = record.site};
  detailed_.push_back(detailed);
  return &detailed_.back();
}

std::uint32_t SectorShadow::NewEntry(std::uint32_t block, std::uint32_t next) {
  std::uint32_t fresh = free_;
  if (fresh == 0) {
    fresh = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    free_ = entries_[fresh].next;
  }
  entries_[fresh] = {.touches = {.block = block}, .next = next};
  return fresh;
}

void SectorShadow::DropLast(Detailed& detailed) {
  std::uint32_t* last = &detailed.first;
  while (entries_[*last].next != 0) {
    last = &entries_[*last].next;
  }
  entries_[*last].next = free_;
  free_ = *last;
  *last = 0;
  --detailed.entries;
}

// Drops blocks that have ended and of whose accesses two blocks before them made each.
void SectorShadow::Purge(Detailed& detailed) {
  std::array<std::uint32_t, kTouchKinds> once{};
  std::array<std::uint32_t, kTouchKinds> twice{};
  std::uint32_t before = 0;
  for (std::uint32_t at = detailed.first; at != 0;) {
    const std::uint32_t next = entries_[at].next;
    const BlockTouches& touches = entries_[at].touches;
    bool needed = std::ranges::binary_search(running_, touches.block);
    for (std::size_t kind = 0; kind < kTouchKinds; ++kind) {
      needed = needed || (touches.bytes[kind] & ~twice[kind]) != 0;
      twice[kind] |= touches.bytes[kind] & once[kind];
      once[kind] |= touches.bytes[kind];
    }
    if (needed) {
      before = at;
    } else {
      (before == 0 ? detailed.first : entries_[before].next) = next;
      entries_[at].next = free_;
      free_ = at;
      --detailed.entries;
    }
    at = next;
  }
  detailed.purge_at = std::max(kMaxBlocks, 2 * detailed.entries);
}

// kSequential: null for a block above the first ones. One that is dropped is above all that are
// kept from then on, and never comes back.
BlockTouches* SectorShadow::FindEntry(Detailed& detailed, std::uint32_t block) {
  if (!sequential_ && detailed.entries >= detailed.purge_at) {
    Purge(detailed);
  }
  std::uint32_t before = 0;
  std::uint32_t at = detailed.first;
  while (at != 0 && entries_[at].touches.block < block) {
    before = at;
    at = entries_[at].next;
  }
  if (at != 0 && entries_[at].touches.block == block) {
    return &entries_[at].touches;
  }
  if (sequential_ && detailed.entries >= kMaxBlocks) {
    if (at == 0) {
      return nullptr;
    }
    DropLast(detailed);
    return FindEntry(detailed, block);
  }
  const std::uint32_t fresh = NewEntry(block, at);
  (before == 0 ? detailed.first : entries_[before].next) = fresh;
  ++detailed.entries;
  return &entries_[fresh].touches;
}

void SectorShadow::TouchDetailed(SectorRecord& record, const SectorTouch& touch) {
  Detailed* detailed = MakeDetailed(record, touch.sector);
  const bool reads = TouchReads(touch.kind);
  const bool writes = TouchWrites(touch.kind);
  if (writes) {
    record.owner = kDetailedWritten;
  }
  if (detailed == nullptr) {
    if (reads && record.owner == kDetailedRead) {
      record.site |= kColdSector;
    }
    return;
  }
  if (sequential_) {
    ReportRaces(*detailed, touch);
  }
  BlockTouches* entry = FindEntry(*detailed, touch.position);
  std::uint32_t known = detailed->written;
  if (!sequential_ && entry != nullptr) {
    known = entry->Bytes(TouchKind::kWrite) | entry->Bytes(TouchKind::kAtomic) |
            entry->Bytes(TouchKind::kSyncWrite);
  }
  if (reads && (touch.mask & ~known) != 0) {
    record.site |= kColdSector;
  }
  if (writes) {
    detailed->written |= touch.mask;
  }
  if (entry == nullptr) {
    return;
  }
  if (entry->Bytes(touch.kind) == 0) {
    entry->Site(touch.kind) = SiteOf(touch);
  }
  const std::uint32_t fresh = touch.mask & ~entry->Bytes(touch.kind);
  entry->Bytes(touch.kind) |= touch.mask;
  if (touch.kind == TouchKind::kRead && !sequential_) {
    detailed->many_read |= fresh & detailed->read;
    detailed->read |= fresh;
    // Whoever reads these now is not among the first two, and the sector is known to be cold.
    record.written = (record.site & kColdSector) != 0 ? detailed->many_read : 0;
  }
}

void SectorShadow::ReportRaces(const Detailed& detailed, const SectorTouch& touch) {
  // What is worse first.
  constexpr std::array<TouchKind, kTouchKinds> kOrder = {TouchKind::kWrite, TouchKind::kSyncWrite,
                                                         TouchKind::kAtomic, TouchKind::kRead,
                                                         TouchKind::kSyncRead};
  const RaceSide now{.kind = touch.kind, .site = SiteOf(touch), .block = LinearOf(touch.position)};
  bool found = false;
  for (std::uint32_t at = detailed.first; at != 0; at = entries_[at].next) {
    const BlockTouches& earlier = entries_[at].touches;
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
    ReportUnknown(detailed, touch);
  }
}

// Some other block was there, but which one was not kept: says so only where no chain of releases
// can have ordered it.
void SectorShadow::ReportUnknown(const Detailed& detailed, const SectorTouch& touch) {
  if (releases_.HasAcquired(touch.position)) {
    return;
  }
  for (const auto& [kind, many] : {std::pair{TouchKind::kAtomic, detailed.many_atomic},
                                   std::pair{TouchKind::kRead, detailed.many_read}}) {
    const std::uint32_t bytes = many & touch.mask;
    if (bytes == 0 || !TouchesRace(kind, touch.kind)) {
      continue;
    }
    const RaceSide now{
        .kind = touch.kind, .site = SiteOf(touch), .block = LinearOf(touch.position)};
    FindingRecord record = RaceRecord({.kind = kind}, now, bytes,
                                      begin_ + touch.sector * kSectorBytes, touch.position);
    record.other = {.access = record.other.access};
    record.has_other = false;
    findings_->Add(std::move(record));
    return;
  }
}

void SectorShadow::Expand(std::uint64_t sector, std::vector<BlockTouches>& touches) const {
  const SectorRecord& record = records_[sector];
  if (record.owner == 0 || (record.owner & kOwnerState) != kDetailed) {
    std::ranges::copy(Unfold(sector), std::back_inserter(touches));
    return;
  }
  if (record.read == kSaturated) {
    return;
  }
  for (std::uint32_t at = detailed_[record.read].first; at != 0; at = entries_[at].next) {
    touches.push_back(entries_[at].touches);
  }
}

// At most one race of each kind a sector: the one of the blocks that come first.
void SectorShadow::ReportMerged(std::span<SectorShadow* const> workers, std::uint64_t sector,
                                FindingLog& findings) {
  std::vector<BlockTouches> touches;
  for (const SectorShadow* worker : workers) {
    worker->Expand(sector, touches);
  }
  std::ranges::sort(touches, {}, &BlockTouches::block);
  KeepFirstTwo(touches);
  const auto linear = [&](std::uint32_t position) {
    for (const SectorShadow* worker : workers) {
      if (const auto it = worker->linear_.find(position); it != worker->linear_.end()) {
        return it->second;
      }
    }
    return position;
  };
  for (const SectorRace& race : FindRaces(touches)) {
    const auto side = [&](const BlockTouches& block, TouchKind kind) {
      return RaceSide{.kind = kind, .site = block.Site(kind), .block = linear(block.block)};
    };
    const BlockTouches& later = touches[race.later];
    findings.Add(RaceRecord(side(touches[race.earlier], race.earlier_kind),
                            side(later, race.later_kind), race.bytes,
                            workers.front()->begin_ + sector * kSectorBytes, later.block));
  }
}

void SectorShadow::FinishPage(std::span<SectorShadow* const> workers, std::uint64_t page,
                              CompulsoryTraffic& traffic, FindingLog& findings) {
  const std::uint64_t first = page * kRecordsPerPage;
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  for (std::uint64_t sector = first; sector < first + kRecordsPerPage; ++sector) {
    std::uint32_t cold = 0;
    std::uint32_t wrote = 0;
    std::uint32_t touched = 0;
    bool detailed = false;
    for (const SectorShadow* worker : workers) {
      const SectorRecord& record = worker->records_[sector];
      const std::uint32_t state = record.owner & kOwnerState;
      touched += record.owner != 0 ? 1 : 0;
      cold |= record.site & kColdSector;
      wrote |= IsWritten(record) ? 1U : 0U;
      detailed |= state == kDetailed;
    }
    read += cold;
    written += wrote;
    const bool contested = detailed || (touched > 1 && wrote != 0);
    if (contested && !workers.front()->sequential_) {
      ReportMerged(workers, sector, findings);
    }
  }
  traffic.read_sectors += read;
  traffic.written_sectors += written;
}

// Of each kind the first block in schedule order says which instruction it was.
void SectorShadow::AddPage(std::span<SectorShadow* const> workers, std::uint64_t page,
                           Footprint& footprint) {
  std::vector<BlockTouches> touches;
  for (std::uint64_t sector = page * kRecordsPerPage; sector < (page + 1) * kRecordsPerPage;
       ++sector) {
    touches.clear();
    for (const SectorShadow* worker : workers) {
      worker->Expand(sector, touches);
    }
    std::ranges::sort(touches, {}, &BlockTouches::block);
    for (std::size_t kind = 0; kind < kTouchKinds; ++kind) {
      std::uint32_t bytes = 0;
      std::uint32_t site = 0;
      for (const BlockTouches& block : touches) {
        site = bytes == 0 ? block.sites[kind] : site;
        bytes |= block.bytes[kind];
      }
      footprint.AddSector(static_cast<TouchKind>(kind),
                          workers.front()->begin_ + sector * kSectorBytes, bytes, site >> 11);
    }
  }
}

CompulsoryTraffic SectorShadow::Finish(std::span<SectorShadow* const> workers, FindingLog& findings,
                                       Footprint* footprint) {
  CompulsoryTraffic traffic;
  std::vector<std::uint64_t> pages;
  for (const SectorShadow* worker : workers) {
    pages.insert(pages.end(), worker->pages_.begin(), worker->pages_.end());
  }
  std::ranges::sort(pages);
  const auto repeated = std::ranges::unique(pages);
  pages.erase(repeated.begin(), repeated.end());
  std::vector<SectorShadow*> there;
  for (const std::uint64_t page : pages) {
    there.clear();
    for (SectorShadow* worker : workers) {
      if (worker->touched_[page] != 0) {
        there.push_back(worker);
      }
    }
    FinishPage(there, page, traffic, findings);
    if (footprint != nullptr) {
      AddPage(there, page, *footprint);
    }
  }
  for (SectorShadow* worker : workers) {
    worker->Clear();
  }
  return traffic;
}

void SectorShadow::Clear() {
  for (const std::uint64_t page : pages_) {
    std::memset(static_cast<void*>(records_ + page * kRecordsPerPage), 0,
                kRecordsPerPage * sizeof(SectorRecord));
    touched_[page] = 0;
  }
  pages_.clear();
  detailed_.clear();
  entries_.resize(1);
  free_ = 0;
  running_.clear();
  linear_.clear();
  releases_.Clear();
}

}  // namespace assay::gpu
