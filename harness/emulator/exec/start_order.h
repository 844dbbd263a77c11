// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_START_ORDER_H_
#define ASSAY_EMULATOR_EXEC_START_ORDER_H_

#include <cstdint>
#include <vector>

#include "emulator/core/device_options.h"

namespace assay::gpu {

/// In which order the blocks of a grid start. Hardware hands out blocks from the lowest, and those
/// that are resident together run in any order; so schedules permute blocks within windows of the
/// number that the GPU holds.
class StartOrder {
 public:
  StartOrder(Schedule schedule, std::uint64_t seed, std::uint64_t blocks, std::uint64_t window);

  [[nodiscard]] std::uint64_t size() const { return blocks_; }
  [[nodiscard]] std::uint64_t window() const { return window_; }
  /// The linear index of the block that is `position`-th to start.
  [[nodiscard]] std::uint64_t BlockAt(std::uint64_t position) const;

 private:
  Schedule schedule_;
  std::uint64_t blocks_;
  std::uint64_t window_;
  std::vector<std::uint32_t> shuffled_;  // Of one window; the last may be shorter.
};

/// splitmix64: what seeds are spread with.
[[nodiscard]] std::uint64_t MixSeed(std::uint64_t value);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_START_ORDER_H_
