// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/sector_state.h"

#include <algorithm>
#include <utility>

namespace assay::gpu {
namespace {

static_assert(std::uint32_t{static_cast<std::uint8_t>(Sharing::kOneBlock)} << 30 == kExclusive);
static_assert(std::uint32_t{static_cast<std::uint8_t>(Sharing::kReaders)} << 30 == kManyReaders);
static_assert(std::uint32_t{static_cast<std::uint8_t>(Sharing::kUpdaters)} << 30 == kAtomicOnly);
static_assert(std::uint32_t{static_cast<std::uint8_t>(Sharing::kDetails)} << 30 == kDetailed);

// Of the two parts, the one whose site is in the record; the other's is an aside.
bool SecondHasRecordsSite(const SectorState& state) {
  return state.sharing == Sharing::kOneBlock && state.second.bytes != 0;
}

}  // namespace

std::vector<BlockTouches> TouchesOf(const SectorState& state, BlockOrder order) {
  if (state.sharing == Sharing::kUntouched || state.sharing == Sharing::kDetails) {
    return {};
  }
  const bool one_block = state.sharing == Sharing::kOneBlock;
  const bool updated = state.sharing == Sharing::kUpdaters;
  const auto touches_of = [](TouchKind kind, const SectorPart& part) {
    BlockTouches touches{.block = PositionOf(part.tag)};
    touches.Bytes(kind) = part.bytes;
    touches.Site(kind) = part.site;
    return touches;
  };
  const TouchKind kind = updated ? TouchKind::kAtomic : TouchKind::kRead;
  std::vector<BlockTouches> touches = {touches_of(kind, state.first)};
  if (one_block) {
    touches.front().Bytes(TouchKind::kWrite) = state.second.bytes;
    touches.front().Site(TouchKind::kWrite) = state.second.site;
  } else if (state.second.bytes != 0 && order != BlockOrder::kSequential) {
    touches.push_back(touches_of(kind, state.second));
    std::ranges::sort(touches, {}, &BlockTouches::block);
  }
  return touches;
}

SectorState PackedSectors::Get(std::uint64_t sector) const {
  const SectorRecord& record = records[sector];
  SectorState state{.sharing = SharingOf(record), .cold = IsCold(record)};
  if (state.sharing == Sharing::kUntouched || state.sharing == Sharing::kDetails) {
    return state;
  }
  state.first = {.tag = record.owner & kOwnerTag, .bytes = record.read};
  state.second.bytes = record.written;
  if (state.sharing == Sharing::kOneBlock) {
    state.second.tag = state.first.tag;
  } else if (record.written != 0) {
    state.second.tag = asides.seconds[sector];
  }
  const bool second = SecondHasRecordsSite(state);
  (second ? state.second : state.first).site = record.site & ~kColdSector;
  if (record.read != 0 && record.written != 0) {
    (second ? state.first : state.second).site = asides.sites[sector] & ~kColdSector;
  }
  return state;
}

DetailedSector PackedSectors::GetDetailed(std::uint64_t sector) const {
  const SectorRecord& record = records[sector];
  return {.index = record.read,
          .settled = record.written,
          .written = IsWritten(record),
          .cold = IsCold(record)};
}

void PackedSectors::PutDetailed(std::uint64_t sector, const DetailedSector& detailed) const {
  records[sector] = {.owner = detailed.written ? kDetailedWritten : kDetailedRead,
                     .read = detailed.index,
                     .written = detailed.settled,
                     .site = detailed.cold ? kColdSector : 0};
}

}  // namespace assay::gpu
