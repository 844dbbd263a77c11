// SPDX-License-Identifier: Apache-2.0
// initcheck: whether what a request reads was ever written.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/core/program.h"
#include "emulator/memory/access_lanes.h"
#include "emulator/memory/global_memory.h"
#include "emulator/memory/written_bits.h"

namespace assay::gpu {
namespace {

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

}  // namespace

void CheckLocalContents(const MemoryAccess& access) {
  std::byte* bits = LocalBits(access);
  const std::uint32_t piece = std::min(4U, access.size_bytes);
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    std::uint32_t written = 0;
    for (std::uint32_t byte = 0; byte < access.size_bytes; byte += piece) {
      const std::uint64_t first = LocalByte(access.addresses[lane] + byte, lane);
      if (TouchWrites(access.kind)) {
        SetFewBits(bits, first, piece);
      } else {
        written += static_cast<std::uint32_t>(std::popcount(LoadFewBits(bits, first, piece)));
      }
    }
    if (!TouchWrites(access.kind)) {
      ReportUnwritten(access, lane, written);
    }
  });
}

void CheckWritten(const MemoryAccess& access) {
  const GlobalMemory& memory = *access.warp->launch->memory;
  const ArenaView& view = memory.view();
  ForEachLane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t offset = access.addresses[lane] - view.begin;
    const std::uint32_t bits = LoadFewBits(view.written_bits, offset, access.size_bytes);
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
    SetFewBits(view.written_bits, access.addresses[lane] - view.begin, access.size_bytes);
  });
}

}  // namespace assay::gpu
