// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/lane_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "emulator/memory/access.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {
namespace {

constexpr std::uint64_t kWindowMask = ~std::uint64_t{0} << kWindowShift;

// The part of a request that lies in one space, with what its addresses are there.
struct Part {
  MemorySpace space = MemorySpace::kGlobal;
  LaneMask lanes = 0;
  std::array<std::uint64_t, kWarpSize> addresses{};
};

MemorySpace SpaceOf(ptx::Space space) {
  switch (space) {
    case ptx::Space::kShared:
      return MemorySpace::kShared;
    case ptx::Space::kLocal:
      return MemorySpace::kLocal;
    case ptx::Space::kConst:
      return MemorySpace::kConst;
    case ptx::Space::kParam:
      return MemorySpace::kParam;
    default:
      return MemorySpace::kGlobal;
  }
}

// Of the lowest lane of `lanes`, and all lanes that are in the same space.
Part TakePart(ptx::Space space, LaneMask lanes, const std::uint64_t* addresses) {
  Part part;
  if (space != ptx::Space::kGeneric) {
    part.space = SpaceOf(space);
    part.lanes = lanes;
    // A pointer into a space is an offset there, with or without its window's tag.
    const std::uint64_t window = part.space == MemorySpace::kShared  ? kSharedWindow
                                 : part.space == MemorySpace::kLocal ? kLocalWindow
                                 : part.space == MemorySpace::kParam ? kParamWindow
                                                                     : 0;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t address = addresses[lane];
      const bool tagged = window != 0 && (address & kWindowMask) == window;
      part.addresses[lane] = tagged ? address & ~kWindowMask : address;
    }
    return part;
  }
  const std::uint64_t window = addresses[std::countr_zero(lanes)] & kWindowMask;
  part.space = window == kSharedWindow  ? MemorySpace::kShared
               : window == kLocalWindow ? MemorySpace::kLocal
               : window == kParamWindow ? MemorySpace::kParam
                                        : MemorySpace::kGlobal;
  const bool known = part.space != MemorySpace::kGlobal;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (((lanes >> lane) & 1U) == 0 || (addresses[lane] & kWindowMask) != window) {
      continue;
    }
    part.lanes |= 1U << lane;
    part.addresses[lane] = known ? addresses[lane] & ~kWindowMask : addresses[lane];
  }
  return part;
}

bool ReadParameters(Warp& warp, const Step* step, const Part& part, std::uint32_t size_bytes,
                    std::byte* values) {
  const Launch& launch = *warp.launch;
  AccessCounters& counters = warp.worker->accesses[step->instruction];
  ++counters.requests;
  for (LaneMask left = part.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint64_t offset = part.addresses[lane];
    if (offset >= launch.parameter_bytes || size_bytes > launch.parameter_bytes - offset) {
      Report(warp, step, FindingKind::kOutOfBounds, Severity::kError, lane, MemorySpace::kParam,
             offset, size_bytes,
             fmt::format("the kernel has {} bytes of parameters", launch.parameter_bytes));
      static_cast<void>(
          Fault(warp, cuda_error::kIllegalAddress,
                fmt::format("Invalid read of size {} bytes at byte {} of the kernel's "
                            "{} bytes of parameters",
                            size_bytes, offset, launch.parameter_bytes)));
      return false;
    }
    std::memcpy(values + std::size_t{lane} * size_bytes, launch.parameters + offset, size_bytes);
    ++counters.threads;
    counters.bytes += size_bytes;
  }
  return true;
}

bool RefuseParameterWrite(Warp& warp, const Step* step, const Part& part,
                          std::uint32_t size_bytes) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(part.lanes));
  Report(warp, step, FindingKind::kInvalidAddress, Severity::kError, lane, MemorySpace::kParam,
         part.addresses[lane], size_bytes, "a kernel's parameters are read-only");
  static_cast<void>(Fault(warp, cuda_error::kIllegalAddress,
                          "Invalid write to the kernel's parameters, which are read-only"));
  return false;
}

void CopyLane(const MemoryAccess& access, std::uint32_t lane, std::byte* value, bool to_memory) {
  const std::uint32_t piece =
      access.space == MemorySpace::kLocal ? std::min(4U, access.size_bytes) : access.size_bytes;
  for (std::uint32_t byte = 0; byte < access.size_bytes; byte += piece) {
    std::byte* at = HostAddress(access, lane, byte);
    std::memcpy(to_memory ? at : value + byte, to_memory ? value + byte : at, piece);
  }
}

bool Prepare(const MemoryAccess& access) {
  if (!CheckBounds(access)) {
    return false;
  }
  AddRequest(access, CountRequest(access));
  CheckContents(access);
  return true;
}

}  // namespace

bool PerformLanes(Warp& warp, const Step* step, ptx::Space space, LaneMask lanes,
                  const std::uint64_t* addresses, std::uint32_t size_bytes, TouchKind kind,
                  std::byte* values) {
  const bool writes = kind == TouchKind::kWrite || kind == TouchKind::kSyncWrite;
  while (lanes != 0) {
    const Part part = TakePart(space, lanes, addresses);
    lanes &= ~part.lanes;
    if (part.space == MemorySpace::kParam) {
      const bool done = writes ? RefuseParameterWrite(warp, step, part, size_bytes)
                               : ReadParameters(warp, step, part, size_bytes, values);
      if (!done) {
        return false;
      }
      continue;
    }
    const MemoryAccess access{.warp = &warp,
                              .step = step,
                              .lanes = part.lanes,
                              .addresses = part.addresses.data(),
                              .size_bytes = size_bytes,
                              .space = part.space,
                              .kind = kind,
                              .values = writes ? values : nullptr};
    if (!Prepare(access)) {
      return false;
    }
    for (LaneMask left = part.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      CopyLane(access, lane, values + std::size_t{lane} * size_bytes, writes);
    }
  }
  return true;
}

bool PerformAtomic(Warp& warp, const Step* step, ptx::Space space, LaneMask lanes,
                   const std::uint64_t* addresses, std::uint32_t size_bytes, AtomicLane perform,
                   void* context) {
  while (lanes != 0) {
    const Part part = TakePart(space, lanes, addresses);
    lanes &= ~part.lanes;
    if (part.space == MemorySpace::kParam) {
      return RefuseParameterWrite(warp, step, part, size_bytes);
    }
    const MemoryAccess access{.warp = &warp,
                              .step = step,
                              .lanes = part.lanes,
                              .addresses = part.addresses.data(),
                              .size_bytes = size_bytes,
                              .space = part.space,
                              .kind = TouchKind::kAtomic,
                              .values = nullptr};
    if (!Prepare(access)) {
      return false;
    }
    for (LaneMask left = part.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      // Local memory is one thread's: an atomic there works on a copy.
      alignas(16) std::array<std::byte, 16> copy{};
      const bool local = part.space == MemorySpace::kLocal;
      if (local) {
        CopyLane(access, lane, copy.data(), false);
      }
      perform(local ? copy.data() : HostAddress(access, lane), lane, context);
      if (local) {
        CopyLane(access, lane, copy.data(), true);
      }
    }
  }
  return true;
}

bool ReadLanes(Warp& warp, const Step* step, ptx::Space space, LaneMask lanes,
               const std::uint64_t* addresses, std::uint32_t size_bytes, void* values) {
  return PerformLanes(warp, step, space, lanes, addresses, size_bytes, TouchKind::kRead,
                      static_cast<std::byte*>(values));
}

bool WriteLanes(Warp& warp, const Step* step, ptx::Space space, LaneMask lanes,
                const std::uint64_t* addresses, std::uint32_t size_bytes, const void* values) {
  // A write only reads them.
  return PerformLanes(warp, step, space, lanes, addresses, size_bytes, TouchKind::kWrite,
                      const_cast<std::byte*>(static_cast<const std::byte*>(values)));
}

}  // namespace assay::gpu
