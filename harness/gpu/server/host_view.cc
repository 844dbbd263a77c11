// SPDX-License-Identifier: Apache-2.0
#include "gpu/server/host_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/report/cuda_error.h"

namespace assay::gpu::remote {

DeviceResult<std::uint64_t> HostView::Allocate(std::uint64_t size_bytes) {
  if (const std::uint64_t left = memory_bytes_ - taken_bytes_; size_bytes > left) {
    return std::unexpected(DeviceError{
        .code = cuda_error::kMemoryAllocation,
        .detail = fmt::format("an allocation of {} bytes: {} of the device's {} bytes are free",
                              size_bytes, left, memory_bytes_)});
  }
  auto address = device_->Allocate(size_bytes);
  if (address && size_bytes > 0) {
    taken_[*address] = size_bytes;
    taken_bytes_ += size_bytes;
  }
  return address;
}

DeviceStatus HostView::Free(std::uint64_t address) {
  auto freed = device_->Free(address);
  // What was lent to it is not among what it took.
  if (const auto taken = taken_.find(address); freed && taken != taken_.end()) {
    taken_bytes_ -= taken->second;
    taken_.erase(taken);
  }
  return freed;
}

DeviceStatus HostView::CopyToDevice(std::uint64_t to, std::span<const std::byte> from) {
  auto done = device_->CopyToDevice(to, from);
  copied_.from_host += done ? from.size() : 0;
  return done;
}

DeviceStatus HostView::CopyFromDevice(std::span<std::byte> to, std::uint64_t from) {
  auto done = device_->CopyFromDevice(to, from);
  copied_.to_host += done ? to.size() : 0;
  return done;
}

DeviceStatus HostView::CopyOnDevice(std::uint64_t to, std::uint64_t from,
                                    std::uint64_t size_bytes) {
  auto done = device_->CopyOnDevice(to, from, size_bytes);
  copied_.on_device += done ? size_bytes : 0;
  return done;
}

DeviceStatus HostView::Fill(std::uint64_t to, std::span<const std::byte> pattern,
                            std::uint64_t count) {
  auto done = device_->Fill(to, pattern, count);
  copied_.from_host += done ? count * pattern.size() : 0;
  return done;
}

MemoryInfo HostView::Memory() {
  const MemoryInfo all = device_->Memory();
  return {.free_bytes = std::min(all.free_bytes, memory_bytes_ - taken_bytes_),
          .total_bytes = std::min(all.total_bytes, memory_bytes_)};
}

}  // namespace assay::gpu::remote
