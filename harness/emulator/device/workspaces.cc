// SPDX-License-Identifier: Apache-2.0
#include "emulator/device/workspaces.h"

#include <cstddef>
#include <utility>

namespace assay::gpu {
namespace {

// Of the barrier that cooperative groups keep for a grid, and what they keep beside it.
constexpr std::uint64_t kGridBarrierBytes = 1024;

}  // namespace

DeviceStatus Workspaces::PrepareGridBarrier(Launch& launch) {
  if (grid_barrier_ == 0) {
    auto address =
        memory_.AllocateVariable("grid barrier", kGridBarrierBytes, Allocation::Writable::kYes);
    if (!address) {
      return std::unexpected(std::move(address.error()));
    }
    grid_barrier_ = *address;
  }
  const std::byte zero{0};
  launch.grid_workspace = grid_barrier_;
  return memory_.Fill(grid_barrier_, {&zero, 1}, kGridBarrierBytes);
}

DeviceStatus Workspaces::PrepareHeap(Launch& launch) {
  if (heap_ == nullptr) {
    auto address =
        memory_.AllocateVariable("device heap", DeviceHeap::kSizeBytes, Allocation::Writable::kYes);
    if (!address) {
      return std::unexpected(std::move(address.error()));
    }
    heap_ = std::make_unique<DeviceHeap>(*address);
  }
  launch.heap = heap_.get();
  return {};
}

void Workspaces::EraseFrom(Footprint& footprint) const {
  if (grid_barrier_ != 0) {
    footprint.Erase(grid_barrier_, grid_barrier_ + kGridBarrierBytes);
  }
  if (heap_ != nullptr) {
    footprint.Erase(heap_->address(), heap_->address() + DeviceHeap::kSizeBytes);
  }
}

}  // namespace assay::gpu
