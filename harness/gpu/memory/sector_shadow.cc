// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/sector_shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>

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

bool IsWrite(TouchKind kind) {
  return kind == TouchKind::kWrite || kind == TouchKind::kAtomic || kind == TouchKind::kSyncWrite;
}

AccessKind AccessOf(TouchKind kind) {
  switch (kind) {
    case TouchKind::kRead:
      return AccessKind::kRead;
    case TouchKind::kWrite:
      return AccessKind::kWrite;
    default:
      return AccessKind::kAtomic;
  }
}

ThreadSite SiteIn(std::uint32_t site, std::uint32_t block, AccessKind access) {
  return {
      .instruction = site >> 11, .block = block, .thread = (site >> 1) & 1023U, .access = access};
}

// Of an earlier access and a later one to the same bytes.
FindingKind RaceKind(AccessKind earlier, AccessKind later) {
  if (earlier == AccessKind::kAtomic || later == AccessKind::kAtomic) {
    return FindingKind::kAtomicMix;
  }
  if (later == AccessKind::kRead) {
    return FindingKind::kReadAfterWrite;
  }
  return earlier == AccessKind::kRead ? FindingKind::kWriteAfterRead
                                      : FindingKind::kWriteAfterWrite;
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
  if (records == nullptr || touched == nullptr) {
    return nullptr;
  }
  madvise(records, record_bytes, MADV_HUGEPAGE);
  shadow->records_ = static_cast<SectorRecord*>(records);
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
  const bool own = (record.owner & kOwnerTag) == tag;
  switch (record.owner & kOwnerState) {
    case kExclusive:
      if (own && touch.kind == TouchKind::kRead) {
        if ((touch.mask & ~record.written) != 0) {
          record.site |= kColdSector;
        }
        record.read |= touch.mask;
        return;
      }
      if (own && touch.kind == TouchKind::kWrite) {
        if (record.written == 0) {
          record.site = SiteOf(touch) | (record.site & kColdSector);
        }
        record.written |= touch.mask;
        return;
      }
      if (!own && record.owner != 0 && touch.kind == TouchKind::kRead && record.written == 0) {
        if ((touch.mask & ~record.read) == 0) {
          record.owner |= kManyReaders;
          record.written = touch.mask;
          return;
        }
        if ((record.read & ~touch.mask) == 0) {
          record = {.owner = tag | kManyReaders,
                    .read = touch.mask,
                    .written = record.read,
                    .site = SiteOf(touch) | kColdSector};
          return;
        }
      }
      break;
    case kManyReaders:
      if (touch.kind == TouchKind::kRead && (own || (touch.mask & ~record.read) == 0)) {
        record.read |= touch.mask;
        if (!own) {
          record.written |= touch.mask;
        }
        return;
      }
      break;
    case kAtomicOnly:
      if (touch.kind == TouchKind::kAtomic && (own || (touch.mask & ~record.read) == 0)) {
        record.read |= touch.mask;
        if (!own) {
          record.written |= touch.mask;
        }
        return;
      }
      break;
    default:
      break;
  }
  TouchDetailed(record, touch);
}

SectorShadow::Detailed* SectorShadow::MakeDetailed(SectorRecord& record, std::uint64_t sector) {
  const std::uint32_t state = record.owner & kOwnerState;
  if (record.owner != 0 && state == kDetailed) {
    return record.read == kSaturated ? nullptr : &detailed_[record.read];
  }
  const bool wrote =
      record.owner != 0 && (state == kAtomicOnly || (state == kExclusive && record.written != 0));
  if (detailed_.size() >= kMaxDetailed) {
    record = {.owner = 1U | kDetailed,
              .read = kSaturated,
              .written = wrote ? 1U : 0U,
              .site = record.site};
    return nullptr;
  }
  Detailed detailed{.sector = sector, .site = record.site};
  if (record.owner != 0) {
    Entry entry{.block = (record.owner & kOwnerTag) - 1};
    if (state == kAtomicOnly) {
      entry.sync_written = record.read;
      detailed.many_atomic = record.written;
      detailed.written = record.read;
    } else {
      entry.read = record.read;
      entry.written = state == kExclusive ? record.written : 0;
      detailed.many_read = state == kManyReaders ? record.written : 0;
      detailed.written = entry.written;
    }
    entry.read_site = entry.write_site = record.site;
    detailed.first = static_cast<std::uint32_t>(entries_.size());
    detailed.entries = 1;
    entries_.push_back(entry);
  } else {
    NotePage(sector * kSectorBytes >> kShadowPageShift);
  }
  record = {.owner = 1U | kDetailed,
            .read = static_cast<std::uint32_t>(detailed_.size()),
            .written = wrote ? 1U : 0U,
            .site = record.site};
  detailed_.push_back(detailed);
  return &detailed_.back();
}

// Keeps the lowest blocks, whatever the order in which they come: one that is dropped is above all
// that are kept from then on, and never comes back.
SectorShadow::Entry* SectorShadow::FindEntry(Detailed& detailed, std::uint32_t block) {
  std::uint32_t before = 0;
  std::uint32_t at = detailed.first;
  while (at != 0 && entries_[at].block < block) {
    before = at;
    at = entries_[at].next;
  }
  if (at != 0 && entries_[at].block == block) {
    return &entries_[at];
  }
  std::uint32_t fresh = 0;
  if (detailed.entries < kMaxBlocks) {
    fresh = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
    ++detailed.entries;
  } else {
    if (at == 0) {
      return nullptr;
    }
    std::uint32_t last_but_one = before;
    std::uint32_t last = at;
    while (entries_[last].next != 0) {
      last_but_one = last;
      last = entries_[last].next;
    }
    if (last_but_one == 0) {
      detailed.first = 0;
    } else {
      entries_[last_but_one].next = 0;
    }
    fresh = last;
    if (at == last) {
      at = 0;
    }
  }
  entries_[fresh] = {.block = block, .next = at};
  (before == 0 ? detailed.first : entries_[before].next) = fresh;
  return &entries_[fresh];
}

void SectorShadow::TouchDetailed(SectorRecord& record, const SectorTouch& touch) {
  Detailed* detailed = MakeDetailed(record, touch.sector);
  const bool reads = touch.kind != TouchKind::kWrite && touch.kind != TouchKind::kSyncWrite;
  if (IsWrite(touch.kind)) {
    record.written = 1;
  }
  if (detailed == nullptr) {
    if (reads && record.written == 0) {
      record.site |= kColdSector;
    }
    return;
  }
  if (sequential_) {
    ReportRaces(*detailed, touch);
  }
  Entry* entry = FindEntry(*detailed, touch.position);
  const std::uint32_t known =
      sequential_ || entry == nullptr ? detailed->written : entry->written | entry->sync_written;
  if (reads && (touch.mask & ~known) != 0) {
    record.site |= kColdSector;
  }
  if (IsWrite(touch.kind)) {
    detailed->written |= touch.mask;
  }
  if (entry == nullptr) {
    return;
  }
  const std::uint32_t site = SiteOf(touch);
  if (IsWrite(touch.kind)) {
    if ((entry->written | entry->sync_written) == 0) {
      entry->write_site = site;
    }
    (touch.kind == TouchKind::kWrite ? entry->written : entry->sync_written) |= touch.mask;
  } else {
    if ((entry->read | entry->sync_read) == 0) {
      entry->read_site = site;
    }
    (touch.kind == TouchKind::kRead ? entry->read : entry->sync_read) |= touch.mask;
  }
}

void SectorShadow::ReportRaces(const Detailed& detailed, const SectorTouch& touch) {
  const auto report = [&](std::uint32_t bytes, const ThreadSite& other, bool known) {
    FindingRecord record;
    record.kind = RaceKind(other.access, AccessOf(touch.kind));
    record.site = {.instruction = touch.instruction,
                   .block = LinearOf(touch.position),
                   .thread = touch.thread,
                   .access = AccessOf(touch.kind)};
    record.other = other;
    record.has_other = known;
    record.space = MemorySpace::kGlobal;
    const auto first = static_cast<unsigned>(std::countr_zero(bytes));
    record.address = begin_ + touch.sector * kSectorBytes + first;
    record.size_bytes = static_cast<std::uint32_t>(std::countr_one(bytes >> first));
    record.position = touch.position;
    findings_->Add(std::move(record));
  };
  const bool plain = touch.kind == TouchKind::kRead || touch.kind == TouchKind::kWrite;
  const bool writes = IsWrite(touch.kind);
  for (std::uint32_t at = detailed.first; at != 0; at = entries_[at].next) {
    const Entry& entry = entries_[at];
    if (entry.block == touch.position) {
      continue;
    }
    const std::uint32_t read = writes ? entry.read & touch.mask : 0;
    const std::uint32_t written = entry.written & touch.mask;
    const std::uint32_t sync_read =
        touch.kind == TouchKind::kWrite ? entry.sync_read & touch.mask : 0;
    const std::uint32_t sync_written = plain ? entry.sync_written & touch.mask : 0;
    if ((read | written | sync_read | sync_written) == 0) {
      continue;
    }
    if (Ordered(entry.block, touch.position)) {
      continue;
    }
    const ThreadSite write = SiteIn(entry.write_site, LinearOf(entry.block), AccessKind::kWrite);
    if (written != 0) {
      report(written, write, true);
    } else if (sync_written != 0) {
      ThreadSite site = write;
      site.access = AccessKind::kAtomic;
      report(sync_written, site, true);
    } else {
      const AccessKind access = read != 0 ? AccessKind::kRead : AccessKind::kAtomic;
      report(read | sync_read, SiteIn(entry.read_site, LinearOf(entry.block), access), true);
    }
    return;
  }
  // Some other block was there, but which one was not kept: say so only where no chain of releases
  // can have ordered it.
  const std::uint32_t many =
      ((writes ? detailed.many_read : 0U) | (plain ? detailed.many_atomic : 0U)) & touch.mask;
  if (many != 0 && !HasAcquired(touch.position)) {
    const bool atomic = (many & detailed.many_atomic) != 0;
    report(many, {.access = atomic ? AccessKind::kAtomic : AccessKind::kRead}, false);
  }
}

void SectorShadow::Release(std::uint32_t block, std::uint64_t address) {
  Releases& releases = releases_[address];
  const auto index = static_cast<std::uint32_t>(releases.chain.size());
  if (releases.first.try_emplace(block, index).second) {
    releases.chain.push_back(block);
  }
}

void SectorShadow::Acquire(std::uint32_t block, std::uint64_t address) {
  const auto it = releases_.find(address);
  if (it == releases_.end()) {
    return;
  }
  acquired_[block][address] = static_cast<std::uint32_t>(it->second.chain.size());
}

bool SectorShadow::Ordered(std::uint32_t earlier, std::uint32_t later) const {
  // Breadth first through the blocks that `later` has heard from; a search this long means that
  // nearly everyone has spoken, and then silence is the better answer.
  constexpr std::size_t kMaxVisited = 4096;
  std::vector<std::uint32_t> queue{later};
  std::unordered_map<std::uint32_t, bool> seen{{later, true}};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto acquired = acquired_.find(queue[i]);
    if (acquired == acquired_.end()) {
      continue;
    }
    for (const auto& [address, count] : acquired->second) {
      const Releases& releases = releases_.at(address);
      const auto first = releases.first.find(earlier);
      if (first != releases.first.end() && first->second < count) {
        return true;
      }
      for (std::uint32_t c = 0; c < count; ++c) {
        if (seen.size() >= kMaxVisited) {
          return true;
        }
        if (seen.try_emplace(releases.chain[c], true).second) {
          queue.push_back(releases.chain[c]);
        }
      }
    }
  }
  return false;
}

// All that the workers know of one sector.
struct SectorShadow::Merged {
  std::vector<Entry> entries;
  std::uint32_t many_read = 0, many_atomic = 0;
};

void SectorShadow::Expand(std::uint64_t sector, Merged& merged) const {
  const SectorRecord& record = records_[sector];
  const std::uint32_t state = record.owner & kOwnerState;
  if (record.owner == 0) {
    return;
  }
  if (state == kDetailed) {
    if (record.read == kSaturated) {
      return;
    }
    const Detailed& detailed = detailed_[record.read];
    merged.many_read |= detailed.many_read;
    merged.many_atomic |= detailed.many_atomic;
    for (std::uint32_t at = detailed.first; at != 0; at = entries_[at].next) {
      merged.entries.push_back(entries_[at]);
    }
    return;
  }
  Entry entry{.block = (record.owner & kOwnerTag) - 1};
  entry.read_site = entry.write_site = record.site;
  if (state == kAtomicOnly) {
    entry.sync_written = record.read;
    merged.many_atomic |= record.written;
  } else {
    entry.read = record.read;
    entry.written = state == kExclusive ? record.written : 0;
    merged.many_read |= state == kManyReaders ? record.written : 0;
  }
  merged.entries.push_back(entry);
}

// At most one race of each kind a sector: the one of the blocks that come first.
void SectorShadow::ReportMerged(std::span<SectorShadow* const> workers, std::uint64_t sector,
                                FindingLog& findings) {
  Merged merged;
  for (const SectorShadow* worker : workers) {
    worker->Expand(sector, merged);
  }
  std::ranges::sort(merged.entries, {}, &Entry::block);
  if (merged.entries.size() > kMaxBlocks) {
    merged.entries.resize(kMaxBlocks);
  }
  const auto linear = [&](std::uint32_t position) {
    for (const SectorShadow* worker : workers) {
      if (const auto it = worker->linear_.find(position); it != worker->linear_.end()) {
        return it->second;
      }
    }
    return position;
  };
  std::uint32_t reported = 0;
  const auto report = [&](std::uint32_t bytes, const ThreadSite& site, const ThreadSite& other,
                          std::uint32_t position) {
    if (bytes == 0) {
      return;
    }
    const FindingKind kind = RaceKind(other.access, site.access);
    const std::uint32_t bit = 1U << (static_cast<unsigned>(kind) & 31U);
    if ((reported & bit) != 0) {
      return;
    }
    reported |= bit;
    FindingRecord record;
    record.kind = kind;
    record.site = site;
    record.other = other;
    record.has_other = other.instruction != kNoInstruction;
    record.space = MemorySpace::kGlobal;
    const auto first = static_cast<unsigned>(std::countr_zero(bytes));
    record.address = workers.front()->begin_ + sector * kSectorBytes + first;
    record.size_bytes = static_cast<std::uint32_t>(std::countr_one(bytes >> first));
    record.position = position;
    findings.Add(std::move(record));
  };
  const auto site = [&](const Entry& entry, AccessKind access, std::uint32_t which) {
    return SiteIn(which, linear(entry.block), access);
  };
  for (std::size_t l = 0; l < merged.entries.size(); ++l) {
    const Entry& later = merged.entries[l];
    const ThreadSite read = site(later, AccessKind::kRead, later.read_site);
    const ThreadSite write = site(later, AccessKind::kWrite, later.write_site);
    const ThreadSite atomic = site(later, AccessKind::kAtomic, later.write_site);
    for (std::size_t e = 0; e < l; ++e) {
      const Entry& earlier = merged.entries[e];
      const ThreadSite was_read = site(earlier, AccessKind::kRead, earlier.read_site);
      const ThreadSite was_written = site(earlier, AccessKind::kWrite, earlier.write_site);
      const ThreadSite was_atomic = site(earlier, AccessKind::kAtomic, earlier.write_site);
      report(later.read & earlier.written, read, was_written, later.block);
      report(later.written & earlier.read, write, was_read, later.block);
      report(later.written & earlier.written, write, was_written, later.block);
      report(later.read & earlier.sync_written, read, was_atomic, later.block);
      report(later.written & earlier.sync_written, write, was_atomic, later.block);
      report(later.sync_written & earlier.read, atomic, was_read, later.block);
      report(later.sync_written & earlier.written, atomic, was_written, later.block);
    }
    report(later.written & merged.many_read, write, {.access = AccessKind::kRead}, later.block);
    report(later.written & merged.many_atomic, write, {.access = AccessKind::kAtomic}, later.block);
    report(later.read & merged.many_atomic, read, {.access = AccessKind::kAtomic}, later.block);
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
      wrote |= state == kAtomicOnly || (state != kManyReaders && record.written != 0) ? 1U : 0U;
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

CompulsoryTraffic SectorShadow::Finish(std::span<SectorShadow* const> workers,
                                       FindingLog& findings) {
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
  linear_.clear();
  releases_.clear();
  acquired_.clear();
}

}  // namespace assay::gpu
