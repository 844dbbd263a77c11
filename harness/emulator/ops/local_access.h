// SPDX-License-Identifier: Apache-2.0
// The quick way of requests to local memory: all lanes at one offset, whole words. Included only by
// the sources of ops/ (see lanes.h).
//
// Local memory is interleaved, as on a GPU: word w of lane l is at 4 * (32 * w + l) of its warp's
// part. Lanes at one offset are therefore 128 consecutive bytes for each word, 4 sectors. The bits
// of what is written lie the same way, 128 a word.
#ifndef ASSAY_EMULATOR_OPS_LOCAL_ACCESS_H_
#define ASSAY_EMULATOR_OPS_LOCAL_ACCESS_H_

#include <cstring>

#include "emulator/ops/lane_layout.h"
#include "emulator/ops/sector_touch.h"

namespace assay::gpu::ASSAY_GPU_ISA {

/// Of kSize bytes at offset `first` of each lane: notes that they are written, or is false where
/// some that are read never were. `bits` are those of the lanes' bytes of one word.
template <std::uint32_t kSize, TouchKind kKind>
ASSAY_GPU_INLINE bool CheckLocalWritten(const Warp& warp, std::uint64_t first,
                                        const std::uint64_t (&bits)[2]) {
  const auto* shadow = warp.block->shared_shadow;
  std::byte* written = shadow->local_written + warp.index * shadow->local_stride_bytes +
                       (first / 4) * (kWarpSize / 2);
  for (std::uint32_t word = 0; word < kSize / 4; ++word) {
    std::uint64_t was[2];
    std::memcpy(was, written + 16 * word, sizeof(was));
    if constexpr (kKind == TouchKind::kRead) {
      if (((bits[0] & ~was[0]) | (bits[1] & ~was[1])) != 0) {
        return false;
      }
    } else {
      was[0] |= bits[0];
      was[1] |= bits[1];
      std::memcpy(written + 16 * word, was, sizeof(was));
    }
  }
  return true;
}

/// Resolved::at is where word 0 of lane 0 is; a lane's next word is 128 bytes on.
template <std::uint32_t kSize, TouchKind kKind, bool kFull, class A>
[[gnu::noinline]] Layout ResolveLocal(Warp& warp, const Step* step, std::uint32_t base_operand,
                                      LaneMask lanes, Resolved& resolved) {
  const A* base = Lanes<A>(warp, base_operand);
  const std::uint32_t leader = kFull ? 0 : FirstLane(lanes);
  const std::uint64_t room = warp.launch->local_bytes;
  const std::uint64_t first = WithoutWindow<A>(
      static_cast<A>(base[leader] + static_cast<A>(step->immediate)), kLocalWindow);
  FillAddresses(base, step->immediate, resolved.addresses);
  if (kSize < 4 || first % kSize != 0 || first >= room || kSize > room - first ||
      !IsRun<0>(base, base[leader], lanes)) {
    return Layout::kSlow;
  }
  std::uint64_t bits[2] = {~std::uint64_t{0}, ~std::uint64_t{0}};
  std::uint32_t sectors = 4;
  if constexpr (!kFull) {
    ByteMask<4>(lanes, bits);
    sectors = 0;
    for (std::uint32_t s = 0; s < 4; ++s) {
      sectors += (lanes >> (8 * s) & 0xffU) != 0 ? 1U : 0U;
    }
  }
  if (warp.worker->checker != nullptr && !CheckLocalWritten<kSize, kKind>(warp, first, bits)) {
    return Layout::kSlow;
  }
  CountSectors<kSize>(warp, step, kFull ? kWarpSize : CountLanes(lanes), sectors * (kSize / 4));
  resolved.at = warp.local + (first / 4) * (4 * kWarpSize);
  return Layout::kConsecutive;
}

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_LOCAL_ACCESS_H_
