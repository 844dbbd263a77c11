// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/sector_details.h"

#include <algorithm>
#include <array>

namespace assay::gpu {

void SectorDetails::BeginBlock(std::uint32_t position) {
  running_.insert(std::ranges::upper_bound(running_, position), position);
}

void SectorDetails::EndBlock(std::uint32_t position) { std::erase(running_, position); }

void SectorDetails::Clear() {
  sectors_.clear();
  entries_.resize(1);
  free_ = 0;
  running_.clear();
}

std::uint32_t SectorDetails::Add(const SectorState& state) {
  if (sectors_.size() >= kMaxSectors) {
    return kNoRoom;
  }
  Sector sector;
  switch (state.sharing) {
    case Sharing::kOneBlock:
      sector.read = state.first.bytes;
      sector.written = state.second.bytes;
      break;
    case Sharing::kReaders:
      sector.read = state.first.bytes;
      sector.many_read = state.second.bytes;
      break;
    case Sharing::kUpdaters:
      sector.written = state.first.bytes;
      sector.many_atomic = state.second.bytes;
      break;
    default:
      break;
  }
  for (const BlockTouches& touches : TouchesOf(state, order_)) {
    *Find(sector, touches.block) = touches;
  }
  sectors_.push_back(sector);
  return static_cast<std::uint32_t>(sectors_.size() - 1);
}

std::uint32_t SectorDetails::NewEntry(std::uint32_t block, std::uint32_t next) {
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

void SectorDetails::DropLast(Sector& sector) {
  std::uint32_t* last = &sector.first;
  while (entries_[*last].next != 0) {
    last = &entries_[*last].next;
  }
  entries_[*last].next = free_;
  free_ = *last;
  *last = 0;
  --sector.entries;
}

// Drops blocks that have ended and of whose accesses two blocks before them made each.
void SectorDetails::Purge(Sector& sector) {
  std::array<std::uint32_t, kTouchKinds> once{};
  std::array<std::uint32_t, kTouchKinds> twice{};
  std::uint32_t before = 0;
  for (std::uint32_t at = sector.first; at != 0;) {
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
      (before == 0 ? sector.first : entries_[before].next) = next;
      entries_[at].next = free_;
      free_ = at;
      --sector.entries;
    }
    at = next;
  }
  sector.purge_at = std::max(kMaxBlocks, 2 * sector.entries);
}

BlockTouches* SectorDetails::Find(Sector& sector, std::uint32_t block) {
  const bool sequential = order_ == BlockOrder::kSequential;
  if (!sequential && sector.entries >= sector.purge_at) {
    Purge(sector);
  }
  std::uint32_t before = 0;
  std::uint32_t at = sector.first;
  while (at != 0 && entries_[at].touches.block < block) {
    before = at;
    at = entries_[at].next;
  }
  if (at != 0 && entries_[at].touches.block == block) {
    return &entries_[at].touches;
  }
  if (sequential && sector.entries >= kMaxBlocks) {
    if (at == 0) {
      return nullptr;
    }
    DropLast(sector);
    return Find(sector, block);
  }
  const std::uint32_t fresh = NewEntry(block, at);
  (before == 0 ? sector.first : entries_[before].next) = fresh;
  ++sector.entries;
  return &entries_[fresh].touches;
}

}  // namespace assay::gpu
