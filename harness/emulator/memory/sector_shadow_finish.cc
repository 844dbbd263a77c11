// SPDX-License-Identifier: Apache-2.0
// The end of a launch: what the workers noted, taken together.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "emulator/memory/sector_shadow.h"

namespace assay::gpu {
namespace {

constexpr std::uint32_t kRecordsPerPage = (1U << kShadowPageShift) / kSectorBytes;

}  // namespace

void SectorShadow::Expand(std::uint64_t sector, std::vector<BlockTouches>& touches) const {
  if (SharingOf(packed_.records[sector]) != Sharing::kDetails) {
    std::ranges::copy(TouchesOf(packed_.Get(sector), order_), std::back_inserter(touches));
    return;
  }
  const std::uint32_t index = packed_.GetDetailed(sector).index;
  if (index == SectorDetails::kNoRoom) {
    return;
  }
  for (std::uint32_t at = details_.at(index).first; at != 0; at = details_.Next(at)) {
    touches.push_back(details_.touches(at));
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
      const SectorRecord& record = worker->packed_.records[sector];
      const Sharing sharing = SharingOf(record);
      touched += sharing != Sharing::kUntouched ? 1 : 0;
      cold |= IsCold(record) ? 1U : 0U;
      wrote |= IsWritten(record) ? 1U : 0U;
      detailed |= sharing == Sharing::kDetails;
    }
    read += cold;
    written += wrote;
    const bool contested = detailed || (touched > 1 && wrote != 0);
    if (contested && workers.front()->order_ != BlockOrder::kSequential) {
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
    std::memset(static_cast<void*>(packed_.records + page * kRecordsPerPage), 0,
                kRecordsPerPage * sizeof(SectorRecord));
    touched_[page] = 0;
  }
  pages_.clear();
  details_.Clear();
  linear_.clear();
  releases_.Clear();
}

}  // namespace assay::gpu
