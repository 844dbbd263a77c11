// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks: a block made by hand, without decoder or scheduler.
#ifndef ASSAY_EMULATOR_CORE_BLOCK_RIG_H_
#define ASSAY_EMULATOR_CORE_BLOCK_RIG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/warp.h"

namespace assay::gpu {

/// A block of full warps, all lanes active, and its memory, which begins as zeros. Its launch and
/// worker are the caller's and outlive it.
class BlockRig {
 public:
  /// All in bytes but `warps`.
  struct Shape {
    std::uint32_t warps = 1;
    std::uint32_t registers = 0;  ///< A warp's.
    std::uint32_t shared = 0;
    std::uint32_t local = 0;  ///< A thread's.
  };

  BlockRig(const Shape& shape, const Launch& launch, Worker& worker)
      : registers_(shape.warps * LinesOf(shape.registers)),
        shared_(LinesOf(shape.shared)),
        local_(shape.warps * LinesOf(shape.local * kWarpSize)) {
    block.shared = shared_.front().bytes.data();
    block.warps.resize(shape.warps);
    for (std::uint32_t i = 0; i < shape.warps; ++i) {
      Warp& warp = block.warps[i];
      warp.index = i;
      warp.existing = kAllLanes;
      warp.active = kAllLanes;
      warp.registers = registers_[i * LinesOf(shape.registers)].bytes.data();
      warp.local = local_[i * LinesOf(shape.local * kWarpSize)].bytes.data();
      warp.launch = &launch;
      warp.block = &block;
      warp.worker = &worker;
    }
  }
  BlockRig(const BlockRig&) = delete;
  BlockRig& operator=(const BlockRig&) = delete;

  Block block;

 private:
  struct alignas(128) Line {
    std::array<std::byte, 128> bytes{};
  };
  /// One more than is needed: none is never right.
  static std::size_t LinesOf(std::uint32_t size_bytes) { return size_bytes / sizeof(Line) + 1; }

  std::vector<Line> registers_;
  std::vector<Line> shared_;
  std::vector<Line> local_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_CORE_BLOCK_RIG_H_
