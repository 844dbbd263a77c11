// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_DEVICE_WORKSPACES_H_
#define ASSAY_EMULATOR_DEVICE_WORKSPACES_H_

#include <cstdint>
#include <memory>

#include "emulator/core/device_error.h"
#include "emulator/core/warp.h"
#include "emulator/exec/device_heap.h"
#include "emulator/memory/footprint.h"
#include "emulator/memory/global_memory.h"

namespace assay::gpu {

/// Device memory that the GPU keeps for launches, not the program: the barrier of a cooperative
/// launch's grid, and the heap of malloc in device code. Each is allocated when a launch first
/// needs it, and stays.
class Workspaces {
 public:
  /// `memory` outlives it.
  explicit Workspaces(GlobalMemory& memory) : memory_(memory) {}

  /// Zeroes the barrier of the grid, for `launch`. Errors: no room in device memory.
  DeviceStatus PrepareGridBarrier(Launch& launch);
  /// The heap for `launch`, with what earlier launches have allocated there.
  DeviceStatus PrepareHeap(Launch& launch);
  /// Takes these out of what a launch has touched.
  void EraseFrom(Footprint& footprint) const;

 private:
  GlobalMemory& memory_;
  std::uint64_t grid_barrier_ = 0;  // An address; 0: not allocated yet.
  std::unique_ptr<DeviceHeap> heap_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_DEVICE_WORKSPACES_H_
