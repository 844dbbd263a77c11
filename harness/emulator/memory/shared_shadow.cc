// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/shared_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "emulator/core/program.h"
#include "emulator/memory/access_lanes.h"
#include "emulator/memory/warp_chains.h"

namespace assay::gpu {
namespace {

constexpr std::uint32_t kWarpMask = 63U << kTagWarpShift;
constexpr std::uint32_t kSyncMask = 0x7ffU << kTagSyncShift;

BlockShadow& ShadowOf(const Warp& warp) { return *warp.block->shared_shadow; }

// The epochs are used up: forgets all accesses, which are before the barrier, but what is written.
void Renormalise(const Block& block, BlockShadow& shadow) {
  const std::uint32_t first = shadow.first_epoch << kTagEpochShift;
  for (std::uint32_t g = 0; g < shadow.granules; ++g) {
    shadow.writers[g] = shadow.writers[g] >= first ? 1U << kTagEpochShift : 0;
    shadow.readers[g] = 0;
  }
  shadow.first_epoch = 1;
  shadow.epoch_bias = 2U - block.barrier_epoch;
}

enum class Clash : std::uint8_t { kNone, kInWarp, kBetweenWarps };

// Whether an access with tag `was` may be at the same time as one with tag `now`.
Clash ClashOf(std::uint32_t was, std::uint32_t now) {
  if ((was ^ now) >> kTagEpochShift != 0) {
    return Clash::kNone;
  }
  if (((was ^ now) & kWarpMask) != 0) {
    return Clash::kBetweenWarps;
  }
  if (((was ^ now) & kSyncMask) != 0) {
    return Clash::kNone;
  }
  const std::uint32_t lane = was & kTagLane;
  if (lane == (now & kTagLane) || lane == kTagAtomic) {
    return Clash::kNone;
  }
  return Clash::kInWarp;
}

// The warp's full sync epoch of which a tag has the low bits: the last that it can be.
std::uint32_t SyncEpochOf(const Warp& warp, std::uint32_t tag) {
  const std::uint32_t low = (tag & kSyncMask) >> kTagSyncShift;
  return warp.sync_epoch - ((warp.sync_epoch - low) & (kSyncMask >> kTagSyncShift));
}

// Whether the warp has heard, by flags, that an access of another with tag `was` is over. Of
// readers in several warps the first stands for all, so that races may be missed, none invented.
bool IsOrdered(const MemoryAccess& access, const BlockShadow& shadow, std::uint32_t was) {
  if (shadow.fenced_warps == 0) {
    return false;
  }
  const Block& block = *access.warp->block;
  const std::uint32_t later = access.warp->index;
  if ((was & kWarpMask) == kTagManyWarps) {
    const std::uint32_t first = (was & kSyncMask) >> kTagSyncShift;
    return shadow.chains->HasHeard(block.barrier_epoch, first, later);
  }
  const std::uint32_t earlier = (was & kWarpMask) >> kTagWarpShift;
  return shadow.chains->Ordered(block.barrier_epoch, earlier,
                                SyncEpochOf(block.warps[earlier], was), later);
}

// ClashOf, but for warps that told each other.
Clash UnorderedClash(const MemoryAccess& access, const BlockShadow& shadow, std::uint32_t was,
                     std::uint32_t now) {
  const Clash clash = ClashOf(was, now);
  return clash == Clash::kBetweenWarps && IsOrdered(access, shadow, was) ? Clash::kNone : clash;
}

std::uint32_t SharedSite(std::uint32_t instruction, std::uint32_t first, std::uint32_t second) {
  return (instruction & kSiteInstruction) | first << kFirstLaneShift | second << kSecondLaneShift;
}

std::uint32_t FirstLaneOf(std::uint32_t site) { return (site >> kFirstLaneShift) & 31U; }
std::uint32_t SecondLaneOf(std::uint32_t site) { return site >> kSecondLaneShift; }

// Who left `tag` and `site`; where that were several lanes, one that is not `lane` of `access`.
ThreadSite EarlierSite(const MemoryAccess& access, std::uint32_t lane, std::uint32_t tag,
                       std::uint32_t site, AccessKind kind) {
  std::uint32_t warp = (tag & kWarpMask) >> kTagWarpShift;
  if ((tag & kWarpMask) == kTagManyWarps) {
    warp = (tag & kSyncMask) >> kTagSyncShift;
  }
  std::uint32_t other = tag & kTagLane;
  if (other >= kWarpSize) {
    const bool is_own = warp == access.warp->index && FirstLaneOf(site) == lane;
    other = is_own ? SecondLaneOf(site) : FirstLaneOf(site);
  }
  return {.instruction = site & kSiteInstruction,
          .block = access.warp->block->linear,
          .thread = warp * kWarpSize + other,
          .access = kind};
}

ThreadSite SiteNow(const MemoryAccess& access, std::uint32_t lane) {
  return {.instruction = access.step->instruction,
          .block = access.warp->block->linear,
          .thread = access.warp->index * kWarpSize + lane,
          .access = AccessOf(access.kind)};
}

bool IsSync(TouchKind kind) { return kind != TouchKind::kRead && kind != TouchKind::kWrite; }

// Whether `lane` writes what is there already: from before, or by a lower lane just now.
bool SameValue(const MemoryAccess& access, std::uint32_t lane) {
  if (access.values == nullptr) {
    return false;
  }
  const std::byte* value = access.values + lane * access.size_bytes;
  for (std::uint32_t other = lane; other-- > 0;) {
    if (((access.lanes >> other) & 1U) == 0) {
      continue;
    }
    if (access.addresses[other] != access.addresses[lane]) {
      continue;
    }
    return std::memcmp(access.values + other * access.size_bytes, value, access.size_bytes) == 0;
  }
  return std::memcmp(HostAddress(access, lane), value, access.size_bytes) == 0;
}

void ReportHazard(const MemoryAccess& access, std::uint32_t lane, Clash clash, TouchKind earlier,
                  const ThreadSite& other) {
  FindingRecord record;
  record.kind = RaceKind(earlier, access.kind);
  record.severity =
      clash == Clash::kInWarp ? Severity::kWarning : RaceSeverity(earlier, access.kind);
  record.note = RaceNote(earlier, access.kind);
  if (record.kind == FindingKind::kWriteAfterWrite && SameValue(access, lane)) {
    record.severity = Severity::kInfo;
    record.note = "both write the same value";
  }
  record.site = SiteNow(access, lane);
  record.other = other;
  record.has_other = true;
  record.space = MemorySpace::kShared;
  record.address = access.addresses[lane];
  record.size_bytes = access.size_bytes;
  record.position = access.warp->block->position;
  access.warp->worker->findings.Add(std::move(record));
}

struct Mark {
  std::uint32_t tag = 0;
  std::uint32_t site = 0;
};

// Of readers in several warps the first is named, of those in one the last instruction.
Mark JoinReader(Mark was, Mark now) {
  if ((was.tag ^ now.tag) >> kTagEpochShift != 0) {
    return now;
  }
  if ((was.tag & kWarpMask) == kTagManyWarps) {
    return was;
  }
  if (((was.tag ^ now.tag) & kWarpMask) != 0) {
    const std::uint32_t first_warp = (was.tag & kWarpMask) >> kTagWarpShift;
    return {.tag = (now.tag & ~(kWarpMask | kSyncMask | kTagLane)) | kTagManyWarps |
                   (first_warp << kTagSyncShift) | (was.tag & kTagLane),
            .site = was.site};
  }
  if (((was.tag ^ now.tag) & kSyncMask) != 0 || was.tag == now.tag) {
    return now;
  }
  const std::uint32_t lane = was.tag & kTagLane;
  const std::uint32_t first = lane < kWarpSize ? lane : FirstLaneOf(was.site);
  std::uint32_t second = FirstLaneOf(now.site);
  second = second == first && lane >= kWarpSize ? SecondLaneOf(was.site) : second;
  return {.tag = (now.tag & ~kTagLane) | kTagManyLanes,
          .site = SharedSite(now.site, first, second)};
}

// Volatile stores leave the tag that atomics do.
TouchKind WriterKind(const MemoryAccess& access, std::uint32_t tag, std::uint32_t site) {
  if ((tag & kTagLane) != kTagAtomic) {
    return TouchKind::kWrite;
  }
  const InstructionInfo& writer =
      access.warp->launch->program->instructions[site & kSiteInstruction];
  return writer.opcode == ptx::Opcode::kSt ? TouchKind::kSyncWrite : TouchKind::kAtomic;
}

// One granule of one lane; whether it found a hazard.
bool CheckGranule(const MemoryAccess& access, BlockShadow& shadow, std::uint32_t g,
                  std::uint32_t lane, std::uint32_t tag) {
  const bool writes = access.kind != TouchKind::kRead && access.kind != TouchKind::kSyncRead;
  const bool sync = IsSync(access.kind);
  std::uint32_t& writer = shadow.writers[g];
  std::uint32_t& writer_site = shadow.writer_sites[g];
  std::uint32_t& reader = shadow.readers[g];
  std::uint32_t& reader_site = shadow.reader_sites[g];
  bool found = false;
  if (!(sync && (writer & kTagLane) == kTagAtomic)) {
    if (const Clash clash = UnorderedClash(access, shadow, writer, tag | lane);
        clash != Clash::kNone) {
      const TouchKind kind = WriterKind(access, writer, writer_site);
      const AccessKind how = kind == TouchKind::kAtomic ? AccessKind::kAtomic : AccessKind::kWrite;
      ReportHazard(access, lane, clash, kind, EarlierSite(access, lane, writer, writer_site, how));
      found = true;
    }
  }
  if (writes && !found) {
    // Volatile readers leave their tag as atomics do, so that only plain writes clash with them.
    const bool read_by_sync = (reader & kTagLane) == kTagAtomic;
    const Clash clash =
        sync && read_by_sync ? Clash::kNone : UnorderedClash(access, shadow, reader, tag | lane);
    if (clash != Clash::kNone) {
      ReportHazard(access, lane, clash, read_by_sync ? TouchKind::kSyncRead : TouchKind::kRead,
                   EarlierSite(access, lane, reader, reader_site, AccessKind::kRead));
      found = true;
    }
  }
  const Mark now{.tag = tag | (sync ? kTagAtomic : lane),
                 .site = SharedSite(access.step->instruction, lane, lane)};
  if (writes) {
    writer = now.tag;
    writer_site = now.site;
  } else {
    const Mark joined = JoinReader({.tag = reader, .site = reader_site}, now);
    reader = joined.tag;
    reader_site = joined.site;
  }
  return found;
}

void AcquireFlags(const MemoryAccess& access, BlockShadow& shadow) {
  const Warp& warp = *access.warp;
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    shadow.chains->Acquire(warp.block->barrier_epoch, warp.index, access.addresses[lane]);
  });
}

void ReleaseFlags(const MemoryAccess& access, BlockShadow& shadow) {
  const Warp& warp = *access.warp;
  if (((shadow.fenced_warps >> warp.index) & 1U) == 0) {
    return;
  }
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    shadow.chains->Release(warp.block->barrier_epoch, warp.index, warp.sync_epoch,
                           access.addresses[lane]);
  });
}

}  // namespace

std::uint32_t SharedTag(const Warp& warp) {
  BlockShadow& shadow = ShadowOf(warp);
  std::uint32_t epoch = warp.block->barrier_epoch + shadow.epoch_bias;
  if (epoch > kTagMaxEpoch) {
    Renormalise(*warp.block, shadow);
    epoch = 2;
  }
  return epoch << kTagEpochShift | warp.index << kTagWarpShift |
         (warp.sync_epoch & 0x7ffU) << kTagSyncShift;
}

void CheckSharedContents(const MemoryAccess& access) {
  BlockShadow& shadow = ShadowOf(*access.warp);
  const std::uint32_t tag = SharedTag(*access.warp);
  const std::uint32_t first_tag = shadow.first_epoch << kTagEpochShift;
  const bool reads = access.kind != TouchKind::kWrite && access.kind != TouchKind::kSyncWrite;
  const bool orders = shadow.fenced_warps != 0 && IsSync(access.kind);
  if (orders && reads) {
    AcquireFlags(access, shadow);
  }
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const auto first = static_cast<std::uint32_t>(access.addresses[lane] >> shadow.granule_shift);
    const auto last = static_cast<std::uint32_t>((access.addresses[lane] + access.size_bytes - 1) >>
                                                 shadow.granule_shift);
    if (access.addresses[lane] >= shadow.reserved_begin) {
      continue;
    }
    bool found = false;
    std::uint32_t unwritten = 0;
    for (std::uint32_t g = first; g <= last; ++g) {
      if (shadow.writers[g] < first_tag) {
        ++unwritten;
      }
      if (!found) {
        found = CheckGranule(access, shadow, g, lane, tag);
      }
    }
    if (reads && unwritten != 0 && UsesLoad(*access.warp, *access.step, lane)) {
      const bool partly = unwritten <= last - first;
      FindingRecord record;
      record.kind = FindingKind::kUninitialized;
      record.severity = partly ? Severity::kWarning : Severity::kError;
      record.site = SiteNow(access, lane);
      record.space = MemorySpace::kShared;
      record.address = access.addresses[lane];
      record.size_bytes = access.size_bytes;
      record.position = access.warp->block->position;
      record.note = partly ? "a part of its bytes was written" : "";
      access.warp->worker->findings.Add(std::move(record));
    }
  }
  if (orders && access.kind != TouchKind::kSyncRead) {
    ReleaseFlags(access, shadow);
  }
}

std::uint32_t SharedGranuleShift(const Program& program) {
  std::uint32_t shift = 2;
  for (const InstructionInfo& instruction : program.instructions) {
    const bool matrix = instruction.opcode == ptx::Opcode::kWmma;
    const bool plain =
        instruction.opcode == ptx::Opcode::kLd || instruction.opcode == ptx::Opcode::kSt ||
        instruction.opcode == ptx::Opcode::kAtom || instruction.opcode == ptx::Opcode::kRed;
    if (!plain && !matrix) {
      continue;
    }
    if (plain && instruction.space != ptx::Space::kShared &&
        instruction.space != ptx::Space::kGeneric) {
      continue;
    }
    const std::string_view spelling = instruction.spelling;
    const auto ends_with = [&](std::string_view type) { return spelling.ends_with(type); };
    const bool byte = ends_with(".u8") || ends_with(".s8") || ends_with(".b8");
    const bool half = ends_with(".u16") || ends_with(".s16") || ends_with(".b16") ||
                      ends_with(".f16") || ends_with(".bf16");
    if (byte) {
      return 0;
    }
    if (half || matrix) {
      shift = 1;
    }
  }
  return shift;
}

}  // namespace assay::gpu
