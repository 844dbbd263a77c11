// SPDX-License-Identifier: Apache-2.0
// memcheck: whether a request is aligned and where its lanes' addresses lead.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/memory/access_lanes.h"
#include "emulator/memory/global_memory.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

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

bool IsMapped(const ArenaView& view, std::uint64_t address, std::uint32_t size_bytes) {
  const std::uint64_t offset = address - view.begin;
  return offset < view.mapped_bytes && size_bytes <= view.mapped_bytes - offset;
}

bool IsConstant(const Allocation& allocation) {
  return allocation.writable == Allocation::Writable::kNo;
}

// Whether hardware lets it at what is there. Const loads go through a cache of their own, which
// leads to constants alone; they are counted nowhere, so what they read elsewhere would be free.
bool MayTouch(const MemoryAccess& access, const Allocation& allocation) {
  return IsConstant(allocation) ? !TouchWrites(access.kind) : access.space != MemorySpace::kConst;
}

Misfit Judge(const GlobalMemory& memory, const MemoryAccess& access, std::uint64_t address) {
  const Allocation* const found = memory.Find(address);
  if (found != nullptr && MayTouch(access, *found)) {
    return {};  // Runs past the end: the guard is there.
  }
  if (found == nullptr && !IsMapped(memory.view(), address, access.size_bytes)) {
    return {.kind = FindingKind::kInvalidAddress, .fatal = true, .note = StrayNote(address)};
  }
  if (access.space == MemorySpace::kConst) {
    return {.kind = FindingKind::kInvalidAddress,
            .fatal = true,
            .note = "a const load reaches __constant__ memory alone"};
  }
  if (found != nullptr) {
    return {.kind = FindingKind::kInvalidAddress,
            .fatal = true,
            .note = "__constant__ memory is read-only on the device"};
  }
  if (memory.FindFreed(address) != nullptr) {
    return {.kind = FindingKind::kUseAfterFree};
  }
  return {};
}

// Without checks: what hardware would let pass.
bool CheckMapped(const MemoryAccess& access) {
  const GlobalMemory& memory = *access.warp->launch->memory;
  const auto passes = [&](std::uint64_t address) {
    if (access.space == MemorySpace::kConst) {
      const Allocation* const found = memory.Find(address);
      return found != nullptr && IsConstant(*found);  // A guard is behind it.
    }
    return IsMapped(memory.view(), address, access.size_bytes);
  };
  std::uint32_t fatal_lane = kWarpSize;
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    if (!passes(access.addresses[lane])) {
      fatal_lane = std::min(fatal_lane, lane);
    }
  });
  return fatal_lane == kWarpSize || EndLaunch(access, cuda_error::kIllegalAddress, fatal_lane);
}

bool CheckAllocations(const MemoryAccess& access) {
  const GlobalMemory& memory = *access.warp->launch->memory;
  SiteCache& cache = access.warp->worker->checker->state.sites[access.step->instruction];
  const Allocation* last = nullptr;
  bool cached = false;
  std::uint32_t fatal_lane = kWarpSize;
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t address = access.addresses[lane];
    const auto holds = [&](const Allocation* a) {
      return a != nullptr && address - a->address < a->size_bytes &&
             access.size_bytes <= a->size_bytes - (address - a->address) && MayTouch(access, *a);
    };
    if (!holds(last)) {
      last = memory.Find(address);
    }
    if (holds(last)) {
      if (!cached) {
        cache = {.begin = last->address, .size_bytes = last->size_bytes};
        cached = true;
      }
      return;
    }
    const Misfit misfit = Judge(memory, access, address);
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

}  // namespace

bool CheckBounds(const MemoryAccess& access) {
  const bool aligned = CheckAlignment(access);
  switch (access.space) {
    case MemorySpace::kShared:
      return CheckOffsets(access, access.warp->launch->shared_bytes) && aligned;
    case MemorySpace::kLocal:
      return CheckOffsets(access, access.warp->launch->local_bytes) && aligned;
    default:
      return (access.warp->worker->checker == nullptr ? CheckMapped(access)
                                                      : CheckAllocations(access)) &&
             aligned;
  }
}

}  // namespace assay::gpu
