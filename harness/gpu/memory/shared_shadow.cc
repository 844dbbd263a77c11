// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/shared_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "gpu/exec/program.h"

namespace assay::gpu {
namespace {

constexpr std::uint32_t kWarpMask = 63U << kTagWarpShift;
constexpr std::uint32_t kSyncMask = 0x7ffU << kTagSyncShift;

BlockShadow& ShadowOf(const Warp& warp) {
  return *static_cast<BlockShadow*>(warp.block->shared_shadow);
}

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

ThreadSite EarlierSite(const MemoryAccess& access, std::uint32_t tag, std::uint32_t instruction,
                       AccessKind kind) {
  std::uint32_t warp = (tag & kWarpMask) >> kTagWarpShift;
  if ((tag & kWarpMask) == kTagManyWarps) {
    warp = (tag & kSyncMask) >> kTagSyncShift;
  }
  const std::uint32_t lane = tag & kTagLane;
  return {.instruction = instruction,
          .block = access.warp->block->linear,
          .thread = warp * kWarpSize + (lane < kWarpSize ? lane : 0),
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

void ReportHazard(const MemoryAccess& access, std::uint32_t lane, Clash clash,
                  const ThreadSite& other) {
  const AccessKind now = AccessOf(access.kind);
  FindingRecord record;
  const bool atomic = IsSync(access.kind) || other.access == AccessKind::kAtomic;
  record.kind = atomic                              ? FindingKind::kAtomicMix
                : now == AccessKind::kRead          ? FindingKind::kReadAfterWrite
                : other.access == AccessKind::kRead ? FindingKind::kWriteAfterRead
                                                    : FindingKind::kWriteAfterWrite;
  record.severity = clash == Clash::kInWarp ? Severity::kWarning : Severity::kError;
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

std::uint32_t JoinReader(std::uint32_t was, std::uint32_t now) {
  if ((was ^ now) >> kTagEpochShift != 0) {
    return now;
  }
  if ((was & kWarpMask) == kTagManyWarps) {
    return was;
  }
  if (((was ^ now) & kWarpMask) != 0) {
    const std::uint32_t first_warp = (was & kWarpMask) >> kTagWarpShift;
    return (now & ~(kWarpMask | kSyncMask | kTagLane)) | kTagManyWarps |
           (first_warp << kTagSyncShift) | (was & kTagLane);
  }
  if (((was ^ now) & kSyncMask) != 0 || was == now) {
    return now;
  }
  return (now & ~kTagLane) | kTagManyLanes;
}

// One granule of one lane; whether it found a hazard.
bool CheckGranule(const MemoryAccess& access, BlockShadow& shadow, std::uint32_t g,
                  std::uint32_t lane, std::uint32_t tag) {
  const bool writes = access.kind != TouchKind::kRead && access.kind != TouchKind::kSyncRead;
  const bool sync = IsSync(access.kind);
  std::uint32_t& writer = shadow.writers[g];
  std::uint32_t& reader = shadow.readers[g];
  const bool was_sync = (writer & kTagLane) == kTagAtomic;
  bool found = false;
  if (!(sync && was_sync)) {
    if (const Clash clash = ClashOf(writer, tag | lane); clash != Clash::kNone) {
      ReportHazard(access, lane, clash,
                   EarlierSite(access, writer, shadow.writer_sites[g],
                               was_sync ? AccessKind::kAtomic : AccessKind::kWrite));
      found = true;
    }
  }
  if (writes && !found) {
    // Volatile readers leave their tag as atomics do, so that only plain writes clash with them.
    const bool read_by_sync = (reader & kTagLane) == kTagAtomic;
    const Clash clash = sync && read_by_sync ? Clash::kNone : ClashOf(reader, tag | lane);
    if (clash != Clash::kNone) {
      ReportHazard(access, lane, clash,
                   EarlierSite(access, reader, shadow.reader_sites[g], AccessKind::kRead));
      found = true;
    }
  }
  const std::uint32_t now = tag | (sync ? kTagAtomic : lane);
  if (writes) {
    writer = now;
    shadow.writer_sites[g] = access.step->instruction;
  } else {
    reader = JoinReader(reader, now);
    shadow.reader_sites[g] = access.step->instruction;
  }
  return found;
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
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const auto first = static_cast<std::uint32_t>(access.addresses[lane] >> shadow.granule_shift);
    const auto last = static_cast<std::uint32_t>((access.addresses[lane] + access.size_bytes - 1) >>
                                                 shadow.granule_shift);
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
    if (reads && unwritten != 0) {
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
