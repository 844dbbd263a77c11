// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/core/program.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/l2_cache.h"
#include "emulator/memory/shared_shadow.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

template <class Function>
void ForEachLane(LaneMask lanes, Function function) {
  for (; lanes != 0; lanes &= lanes - 1) {
    function(static_cast<std::uint32_t>(std::countr_zero(lanes)));
  }
}

const char* SpaceName(MemorySpace space) {
  switch (space) {
    case MemorySpace::kShared:
      return "__shared__";
    case MemorySpace::kLocal:
      return "__local__";
    case MemorySpace::kConst:
      return "__constant__";
    case MemorySpace::kParam:
      return "parameter";
    default:
      return "__global__";
  }
}

const char* KindName(TouchKind kind) {
  switch (kind) {
    case TouchKind::kRead:
    case TouchKind::kSyncRead:
      return "read";
    case TouchKind::kWrite:
    case TouchKind::kSyncWrite:
      return "write";
    default:
      return "atomic";
  }
}

// Whether the block has been at a barrier.
bool PassedBarrier(const Block& block, const BlockShadow& shadow) {
  return block.barrier_epoch + shadow.epoch_bias != shadow.first_epoch;
}

// In Warp::local, of all lanes together.
std::uint64_t LocalByte(std::uint64_t offset, std::uint32_t lane) {
  return ((offset >> 2) * kWarpSize + lane) * 4 + (offset & 3U);
}

void ReportLane(const MemoryAccess& access, FindingKind kind, std::uint32_t lane,
                Severity severity = Severity::kError, std::string note = {}) {
  FindingRecord record;
  record.kind = kind;
  record.severity = severity;
  record.site = {.instruction = access.step->instruction,
                 .block = access.warp->block->linear,
                 .thread = access.warp->index * kWarpSize + lane,
                 .access = AccessOf(access.kind)};
  record.space = access.space;
  record.address = access.addresses[lane];
  record.size_bytes = access.size_bytes;
  record.position = access.warp->block->position;
  record.note = std::move(note);
  access.warp->worker->findings.Add(std::move(record));
}

bool EndLaunch(const MemoryAccess& access, int error, std::uint32_t lane) {
  const char* what = error == cuda_error::kMisalignedAddress ? "Misaligned" : "Invalid";
  static_cast<void>(
      Fault(*access.warp, error,
            fmt::format("{} {} {} of size {} bytes at {:#x}", what, SpaceName(access.space),
                        KindName(access.kind), access.size_bytes, access.addresses[lane])));
  return false;
}

// What is wrong with an address that is in no allocation, or not wholly; whether hardware would
// let it pass.
struct Misfit {
  FindingKind kind = FindingKind::kOutOfBounds;
  bool fatal = false;
  const char* note = "";
};

// What an address that is nowhere near device memory may be. Where a program's own memory lies on
// 64-bit Linux: from 0x5500'0000'0000 on its code, data and heap, below 0x8000'0000'0000 its stack.
const char* StrayNote(std::uint64_t address) {
  constexpr std::uint64_t kHostBegin = 0x5500'0000'0000;
  constexpr std::uint64_t kHostEnd = 0x8000'0000'0000;
  if (address < 4096) {
    return "a null pointer";
  }
  return address >= kHostBegin && address < kHostEnd
             ? "this is a host pointer: copy what it points to into device memory first"
             : "no device memory is near it";
}

Misfit Judge(const GlobalMemory& memory, std::uint64_t address, std::uint32_t size_bytes,
             bool writes) {
  const ArenaView& view = memory.view();
  const std::uint64_t offset = address - view.begin;
  const bool mapped = offset < view.mapped_bytes && size_bytes <= view.mapped_bytes - offset;
  if (const Allocation* found = memory.Find(address)) {
    if (found->writable == Allocation::Writable::kNo && writes) {
      return {.kind = FindingKind::kInvalidAddress,
              .fatal = true,
              .note = "__constant__ memory is read-only on the device"};
    }
    return {};  // Runs past the end: the guard is there.
  }
  if (!mapped) {
    return {.kind = FindingKind::kInvalidAddress, .fatal = true, .note = StrayNote(address)};
  }
  if (memory.FindFreed(address) != nullptr) {
    return {.kind = FindingKind::kUseAfterFree};
  }
  return {};
}

bool CheckGlobalBounds(const MemoryAccess& access) {
  const GlobalMemory& memory = *access.warp->launch->memory;
  MemoryChecker* checker = access.warp->worker->checker;
  const bool writes = TouchWrites(access.kind);
  const ArenaView& view = memory.view();
  const Allocation* last = nullptr;
  bool cached = false;
  std::uint32_t fatal_lane = kWarpSize;
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t address = access.addresses[lane];
    if (checker == nullptr) {
      const std::uint64_t offset = address - view.begin;
      if (offset >= view.mapped_bytes || access.size_bytes > view.mapped_bytes - offset) {
        fatal_lane = std::min(fatal_lane, lane);
      }
      return;
    }
    const auto holds = [&](const Allocation* a) {
      return a != nullptr && address - a->address < a->size_bytes &&
             access.size_bytes <= a->size_bytes - (address - a->address) &&
             (a->writable == Allocation::Writable::kYes || !writes);
    };
    if (!holds(last)) {
      last = memory.Find(address);
    }
    if (holds(last)) {
      if (!cached) {
        checker->state.sites[access.step->instruction] = {.begin = last->address,
                                                          .size_bytes = last->size_bytes};
        cached = true;
      }
      return;
    }
    const Misfit misfit = Judge(memory, address, access.size_bytes, writes);
    ReportLane(access, misfit.kind, lane, Severity::kError, misfit.note);
    if (misfit.fatal) {
      fatal_lane = std::min(fatal_lane, lane);
    }
  });
  return fatal_lane == kWarpSize || EndLaunch(access, cuda_error::kIllegalAddress, fatal_lane);
}

// Shared and local memory end where they end: nothing behind them can be touched.
bool CheckOffsets(const MemoryAccess& access, std::uint64_t limit_bytes) {
  std::uint32_t fatal_lane = kWarpSize;
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t offset = access.addresses[lane];
    if (offset < limit_bytes && access.size_bytes <= limit_bytes - offset) {
      return;
    }
    fatal_lane = std::min(fatal_lane, lane);
    if (access.warp->worker->checker == nullptr) {
      return;
    }
    ReportLane(access, FindingKind::kOutOfBounds, lane, Severity::kError,
               fmt::format("the {} has {} bytes of {} memory",
                           access.space == MemorySpace::kShared ? "block" : "thread", limit_bytes,
                           SpaceName(access.space)));
  });
  return fatal_lane == kWarpSize || EndLaunch(access, cuda_error::kIllegalAddress, fatal_lane);
}

bool CheckAlignment(const MemoryAccess& access) {
  std::uint32_t fatal_lane = kWarpSize;
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    if ((access.addresses[lane] & (access.size_bytes - 1)) == 0) {
      return;
    }
    fatal_lane = std::min(fatal_lane, lane);
    if (access.warp->worker->checker == nullptr) {
      return;
    }
    ReportLane(access, FindingKind::kMisaligned, lane);
  });
  return fatal_lane == kWarpSize || EndLaunch(access, cuda_error::kMisalignedAddress, fatal_lane);
}

std::uint32_t CountDistinct(std::array<std::uint64_t, 4 * kWarpSize>& values, std::size_t count) {
  std::sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<std::uint32_t>(
      std::unique(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)) -
      values.begin());
}

// 32 banks of 4 bytes; 8-byte accesses go by half-warps, 16-byte ones by quarter-warps.
std::uint32_t CountWavefronts(const MemoryAccess& access) {
  const std::uint32_t parts = std::max(1U, access.size_bytes / 4);
  const std::uint32_t lanes_each = kWarpSize / parts;
  const std::uint32_t words_each = std::max(1U, access.size_bytes / 4);
  std::uint32_t wavefronts = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const LaneMask of_part =
        parts == 1 ? kAllLanes : ((1U << lanes_each) - 1U) << (part * lanes_each);
    if ((access.lanes & of_part) == 0) {
      continue;
    }
    std::array<std::uint64_t, 4 * kWarpSize> words;
    std::size_t count = 0;
    ForEachLane(access.lanes & of_part, [&](std::uint32_t lane) {
      for (std::uint32_t w = 0; w < words_each; ++w) {
        words[count++] = access.addresses[lane] / 4 + w;
      }
    });
    const std::uint32_t distinct = CountDistinct(words, count);
    std::array<std::uint32_t, 32> banks{};
    for (std::uint32_t i = 0; i < distinct; ++i) {
      ++banks[words[i] % 32];
    }
    wavefronts += *std::ranges::max_element(banks);
  }
  return wavefronts;
}

// Bits first .. first + count of a map of bits; count at most 16.
std::uint32_t LoadBits(const std::byte* bits, std::uint64_t first, std::uint32_t count) {
  std::uint32_t word = 0;
  std::memcpy(&word, bits + first / 8, 3);
  return (word >> (first % 8)) & ((1U << count) - 1U);
}

// Blocks on other workers may own other bits of the same byte.
void SetBits(std::byte* bits, std::uint64_t first, std::uint32_t count) {
  std::uint32_t mask = ((1U << count) - 1U) << (first % 8);
  auto* at = reinterpret_cast<std::uint8_t*>(bits + first / 8);
  for (; mask != 0; mask >>= 8, ++at) {
    const auto byte = static_cast<std::uint8_t>(mask);
    const std::atomic_ref<std::uint8_t> ref(*at);
    if ((ref.load(std::memory_order_relaxed) & byte) == byte) {
      continue;
    }
    ref.fetch_or(byte, std::memory_order_relaxed);
  }
}

void ReportUnwritten(const MemoryAccess& access, std::uint32_t lane, std::uint32_t written_bytes) {
  if (written_bytes == access.size_bytes || !UsesLoad(*access.warp, *access.step, lane)) {
    return;
  }
  // Vector loads of a tail read bytes that nobody looks at.
  const bool partly = written_bytes > 0;
  ReportLane(
      access, FindingKind::kUninitialized, lane, partly ? Severity::kWarning : Severity::kError,
      partly ? fmt::format("{} of its {} bytes were written", written_bytes, access.size_bytes)
             : std::string());
}

std::byte* LocalBits(const MemoryAccess& access) {
  const auto* shadow = access.warp->block->shared_shadow;
  return shadow->local_written + access.warp->index * shadow->local_stride_bytes;
}

void CheckLocalContents(const MemoryAccess& access) {
  std::byte* bits = LocalBits(access);
  const std::uint32_t piece = std::min(4U, access.size_bytes);
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    std::uint32_t written = 0;
    for (std::uint32_t byte = 0; byte < access.size_bytes; byte += piece) {
      const std::uint64_t first = LocalByte(access.addresses[lane] + byte, lane);
      if (TouchWrites(access.kind)) {
        SetBits(bits, first, piece);
      } else {
        written += static_cast<std::uint32_t>(std::popcount(LoadBits(bits, first, piece)));
      }
    }
    if (!TouchWrites(access.kind)) {
      ReportUnwritten(access, lane, written);
    }
  });
}

}  // namespace

AccessKind AccessOf(TouchKind kind) {
  switch (kind) {
    case TouchKind::kRead:
    case TouchKind::kSyncRead:
      return AccessKind::kRead;
    case TouchKind::kWrite:
    case TouchKind::kSyncWrite:
      return AccessKind::kWrite;
    default:
      return AccessKind::kAtomic;
  }
}

bool CheckBounds(const MemoryAccess& access) {
  const bool aligned = CheckAlignment(access);
  switch (access.space) {
    case MemorySpace::kShared:
      return CheckOffsets(access, access.warp->launch->shared_bytes) && aligned;
    case MemorySpace::kLocal:
      return CheckOffsets(access, access.warp->launch->local_bytes) && aligned;
    default:
      return CheckGlobalBounds(access) && aligned;
  }
}

RequestCount CountRequest(const MemoryAccess& access) {
  const auto threads = static_cast<std::uint32_t>(std::popcount(access.lanes));
  RequestCount count;
  const std::uint32_t unit = access.space == MemorySpace::kShared ? 128 : kSectorBytes;
  count.ideal = (threads * access.size_bytes + unit - 1) / unit;
  if (access.space == MemorySpace::kShared) {
    count.count = CountWavefronts(access);
  } else {
    std::array<std::uint64_t, 4 * kWarpSize> sectors;
    std::size_t touched = 0;
    const bool local = access.space == MemorySpace::kLocal;
    const std::uint32_t piece = local ? 4 : access.size_bytes;
    ForEachLane(access.lanes, [&](std::uint32_t lane) {
      for (std::uint32_t byte = 0; byte < access.size_bytes; byte += piece) {
        const std::uint64_t address = access.addresses[lane] + byte;
        sectors[touched++] = (local ? LocalByte(address, lane) : address) / kSectorBytes;
      }
    });
    count.count = CountDistinct(sectors, touched);
  }
  count.ideal = std::min(count.ideal, count.count);
  return count;
}

void AddRequest(const MemoryAccess& access, RequestCount count) {
  AccessCounters& counters = access.warp->worker->accesses[access.step->instruction];
  const auto threads = static_cast<std::uint32_t>(std::popcount(access.lanes));
  ++counters.requests;
  counters.threads += threads;
  counters.bytes += std::uint64_t{threads} * access.size_bytes;
  const bool shared = access.space == MemorySpace::kShared;
  (shared ? counters.wavefronts : counters.sectors) += count.count;
  (shared ? counters.ideal_wavefronts : counters.ideal_sectors) += count.ideal;
}

void CheckContents(const MemoryAccess& access) {
  if (access.warp->worker->checker == nullptr) {
    return;
  }
  switch (access.space) {
    case MemorySpace::kShared:
      CheckSharedContents(access);
      break;
    case MemorySpace::kLocal:
      CheckLocalContents(access);
      break;
    case MemorySpace::kConst:
      CheckWritten(access);
      break;
    default:
      if (TouchReads(access.kind)) {
        CheckWritten(access);
      }
      if (TouchWrites(access.kind)) {
        MarkWritten(access);
      }
      TouchSectors(access);
      if (access.warp->worker->checker->state.trace_l2) {
        TraceSectors(access);
      }
      break;
  }
}

void CheckWritten(const MemoryAccess& access) {
  const GlobalMemory& memory = *access.warp->launch->memory;
  const ArenaView& view = memory.view();
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t offset = access.addresses[lane] - view.begin;
    const std::uint32_t bits = LoadBits(view.written_bits, offset, access.size_bytes);
    const auto written = static_cast<std::uint32_t>(std::popcount(bits));
    if (written == access.size_bytes) {
      return;
    }
    // What is out of bounds has been reported as that.
    if (memory.Find(access.addresses[lane]) == nullptr) {
      return;
    }
    ReportUnwritten(access, lane, written);
  });
}

void MarkWritten(const MemoryAccess& access) {
  const ArenaView& view = access.warp->launch->memory->view();
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    SetBits(view.written_bits, access.addresses[lane] - view.begin, access.size_bytes);
  });
}

void TouchSectors(const MemoryAccess& access) {
  const Warp& warp = *access.warp;
  CheckerState& state = warp.worker->checker->state;
  SectorShadow& shadow = *state.shadow;
  const std::uint64_t begin = warp.launch->memory->view().begin;
  SectorTouch touch{.kind = access.kind,
                    .position = static_cast<std::uint32_t>(warp.block->position),
                    .instruction = access.step->instruction};
  const bool orders = state.sequential && access.kind != TouchKind::kRead;
  const auto& block = *warp.block->shared_shadow;
  // What a flag says depends on what its block has read, so that a barrier is enough for reads.
  const bool told = access.kind == TouchKind::kSyncWrite && PassedBarrier(*warp.block, block);
  const bool releases = orders && TouchWrites(access.kind) && (block.fenced || told) &&
                        (access.kind != TouchKind::kWrite || std::has_single_bit(access.lanes));
  if (orders && TouchReads(access.kind)) {
    ForEachLane(access.lanes, [&](std::uint32_t lane) {
      shadow.releases().Acquire(touch.position, access.addresses[lane]);
    });
  }
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t offset = access.addresses[lane] - begin;
    const std::uint32_t mask = ((1U << access.size_bytes) - 1U) << (offset % kSectorBytes);
    if (offset / kSectorBytes == touch.sector && touch.mask != 0) {
      touch.mask |= mask;
      return;
    }
    if (touch.mask != 0) {
      shadow.Touch(touch);
    }
    touch.sector = offset / kSectorBytes;
    touch.mask = mask;
    touch.thread = warp.index * kWarpSize + lane;
  });
  if (touch.mask != 0) {
    shadow.Touch(touch);
  }
  if (releases) {
    state.released = true;
    ForEachLane(access.lanes, [&](std::uint32_t lane) {
      shadow.releases().Release(touch.position, access.addresses[lane],
                                block.fenced ? Settled::kAll : Settled::kReads);
    });
  }
}

void TraceSectors(const MemoryAccess& access) {
  auto& shadow = *access.warp->block->shared_shadow;
  if (shadow.trace_end - shadow.trace_at < static_cast<std::ptrdiff_t>(kMaxTraced)) {
    FlushTrace(*access.warp);
  }
  const std::uint64_t begin = access.warp->launch->memory->view().begin;
  const std::uint64_t flags =
      (TouchReads(access.kind) ? kL2Read : 0U) | (TouchWrites(access.kind) ? kL2Write : 0U);
  const std::uint64_t skip = access.warp->worker->checker->state.l2_skip_mask;
  std::uint64_t* const first = shadow.trace_at;
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t offset = access.addresses[lane] - begin;
    const std::uint64_t line = offset >> kL2LineBytesShift;
    if ((L2LineChoice(line) & skip) != 0) {
      return;
    }
    const std::uint64_t sector = std::uint64_t{1} << (kL2SectorShift + offset / kSectorBytes % 4);
    for (std::uint64_t* at = shadow.trace_at; at != first; --at) {
      if (at[-1] >> kL2LineShift != line) {
        continue;
      }
      at[-1] |= sector;
      return;
    }
    *shadow.trace_at++ = line << kL2LineShift | sector | flags;
  });
}

void FlushTrace(Warp& warp) {
  auto& shadow = *warp.block->shared_shadow;
  const auto count = static_cast<std::size_t>(shadow.trace_at - shadow.trace);
  warp.launch->memory->l2().Push(warp.block->position, {shadow.trace, count},
                                 L2Replay::Part::kMore);
  shadow.trace_at = shadow.trace;
}

std::byte* HostAddress(const MemoryAccess& access, std::uint32_t lane, std::uint32_t byte) {
  const Warp& warp = *access.warp;
  const std::uint64_t address = access.addresses[lane] + byte;
  switch (access.space) {
    case MemorySpace::kShared:
      return warp.block->shared + address;
    case MemorySpace::kLocal:
      return warp.local + LocalByte(address, lane);
    default: {
      const ArenaView& view = warp.launch->memory->view();
      return view.host + (address - view.begin);
    }
  }
}

void NoteFence(Warp& warp) {
  if (warp.worker->checker == nullptr) {
    return;
  }
  warp.block->shared_shadow->fenced = true;
}

}  // namespace assay::gpu
