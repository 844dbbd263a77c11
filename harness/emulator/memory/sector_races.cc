// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/sector_races.h"

#include <bit>
#include <utility>

namespace assay::gpu {
namespace {

constexpr std::array<TouchKind, kTouchKinds> kKinds = {TouchKind::kRead, TouchKind::kWrite,
                                                       TouchKind::kAtomic, TouchKind::kSyncRead,
                                                       TouchKind::kSyncWrite};

bool IsPlain(TouchKind kind) { return kind == TouchKind::kRead || kind == TouchKind::kWrite; }

AccessKind AccessOfTouch(TouchKind kind) {
  if (kind == TouchKind::kAtomic) {
    return AccessKind::kAtomic;
  }
  return TouchWrites(kind) ? AccessKind::kWrite : AccessKind::kRead;
}

ThreadSite SiteOfSide(const RaceSide& side) {
  return {.instruction = side.site >> 11,
          .block = side.block,
          .thread = (side.site >> 1) & 1023U,
          .access = AccessOfTouch(side.kind)};
}

}  // namespace

bool TouchReads(TouchKind kind) {
  return kind != TouchKind::kWrite && kind != TouchKind::kSyncWrite;
}

bool TouchWrites(TouchKind kind) {
  return kind != TouchKind::kRead && kind != TouchKind::kSyncRead;
}

bool TouchesRace(TouchKind a, TouchKind b) {
  return (TouchWrites(a) || TouchWrites(b)) && (IsPlain(a) || IsPlain(b));
}

Severity RaceSeverity(TouchKind a, TouchKind b) {
  const bool looks = (a == TouchKind::kRead && b == TouchKind::kAtomic) ||
                     (a == TouchKind::kAtomic && b == TouchKind::kRead);
  return looks ? Severity::kWarning : Severity::kError;
}

FindingKind RaceKind(TouchKind earlier, TouchKind later) {
  if (!IsPlain(earlier) || !IsPlain(later)) {
    return FindingKind::kAtomicMix;
  }
  if (later == TouchKind::kRead) {
    return FindingKind::kReadAfterWrite;
  }
  return earlier == TouchKind::kRead ? FindingKind::kWriteAfterRead : FindingKind::kWriteAfterWrite;
}

const char* RaceNote(TouchKind a, TouchKind b) {
  return RaceSeverity(a, b) == Severity::kWarning
             ? "the read may give an old value: make it atomic or volatile"
             : "";
}

FindingRecord RaceRecord(const RaceSide& earlier, const RaceSide& later, std::uint32_t bytes,
                         std::uint64_t address, std::uint32_t position) {
  FindingRecord record;
  record.kind = RaceKind(earlier.kind, later.kind);
  record.severity = RaceSeverity(earlier.kind, later.kind);
  record.note = RaceNote(earlier.kind, later.kind);
  record.site = SiteOfSide(later);
  record.other = SiteOfSide(earlier);
  record.has_other = true;
  record.space = MemorySpace::kGlobal;
  const auto first = static_cast<unsigned>(std::countr_zero(bytes));
  record.address = address + first;
  record.size_bytes = static_cast<std::uint32_t>(std::countr_one(bytes >> first));
  record.position = position;
  return record;
}

void KeepFirstTwo(std::vector<BlockTouches>& touches) {
  std::array<std::uint32_t, kTouchKinds> once{};
  std::array<std::uint32_t, kTouchKinds> twice{};
  for (BlockTouches& block : touches) {
    for (std::size_t kind = 0; kind < kTouchKinds; ++kind) {
      const std::uint32_t bytes = block.bytes[kind] & ~twice[kind];
      twice[kind] |= bytes & once[kind];
      once[kind] |= bytes;
      block.bytes[kind] = bytes;
    }
  }
  std::erase_if(touches, [](const BlockTouches& block) {
    return block.bytes == std::array<std::uint32_t, kTouchKinds>{};
  });
}

std::vector<SectorRace> FindRaces(const std::vector<BlockTouches>& touches) {
  std::vector<SectorRace> races;
  std::array<std::uint32_t, kTouchKinds> before{};
  std::vector<std::pair<FindingKind, Severity>> known;
  const auto is_known = [&](TouchKind earlier, TouchKind later) {
    for (const auto& [kind, severity] : known) {
      if (kind == RaceKind(earlier, later) && severity == RaceSeverity(earlier, later)) {
        return true;
      }
    }
    return false;
  };
  for (std::size_t l = 0; l < touches.size(); ++l) {
    for (const TouchKind later : kKinds) {
      for (const TouchKind earlier : kKinds) {
        const std::uint32_t bytes =
            touches[l].Bytes(later) & before[static_cast<std::size_t>(earlier)];
        if (bytes == 0 || !TouchesRace(earlier, later) || is_known(earlier, later)) {
          continue;
        }
        std::size_t e = 0;
        while ((touches[e].Bytes(earlier) & bytes) == 0) {
          ++e;
        }
        known.emplace_back(RaceKind(earlier, later), RaceSeverity(earlier, later));
        races.push_back({.earlier = e,
                         .later = l,
                         .earlier_kind = earlier,
                         .later_kind = later,
                         .bytes = touches[e].Bytes(earlier) & bytes});
      }
    }
    for (std::size_t kind = 0; kind < kTouchKinds; ++kind) {
      before[kind] |= touches[l].bytes[kind];
    }
  }
  return races;
}

}  // namespace assay::gpu
