// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SERVER_HOST_VIEW_H_
#define ASSAY_GPU_SERVER_HOST_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/device/device.h"

namespace assay::gpu::remote {

/// Bytes that a host had copied without a launch, so that no launch's counters have them.
struct CopiedBytes {
  std::uint64_t on_device = 0;  ///< From device memory to device memory.
  std::uint64_t to_host = 0;
  std::uint64_t from_host = 0;                                              ///< Copies and fills.
  [[nodiscard]] std::uint64_t Read() const { return on_device + to_host; }  ///< Device memory.
  [[nodiscard]] std::uint64_t Written() const { return on_device + from_host; }
  CopiedBytes& operator+=(const CopiedBytes& other) {
    on_device += other.on_device;
    to_host += other.to_host;
    from_host += other.from_host;
    return *this;
  }
  bool operator==(const CopiedBytes&) const = default;
};

/// A device as its host sees it: with the memory that the host may take, and with a count of what
/// it copies. What the trusted side allocates or copies on the device itself does not count.
class HostView final : public DeviceLink {
 public:
  /// `device` must outlive it.
  HostView(DeviceLink* device, std::uint64_t memory_bytes)
      : device_(device), memory_bytes_(memory_bytes) {}

  const GpuModel& model() const override { return device_->model(); }
  DeviceResult<ModuleId> LoadModule(std::string_view ptx,
                                    std::span<const MachineCode> machine_code) override {
    return device_->LoadModule(ptx, machine_code);
  }
  DeviceStatus UnloadModule(ModuleId module) override { return device_->UnloadModule(module); }
  DeviceResult<KernelInfo> FindKernel(ModuleId module, std::string_view name) override {
    return device_->FindKernel(module, name);
  }
  DeviceResult<DeviceVariable> FindVariable(ModuleId module, std::string_view name) override {
    return device_->FindVariable(module, name);
  }
  /// Error 2 beyond the limit, as from a device that is full.
  DeviceResult<std::uint64_t> Allocate(std::uint64_t size_bytes) override;
  DeviceStatus Free(std::uint64_t address) override;
  DeviceStatus CopyToDevice(std::uint64_t to, std::span<const std::byte> from) override;
  DeviceStatus CopyFromDevice(std::span<std::byte> to, std::uint64_t from) override;
  DeviceStatus CopyOnDevice(std::uint64_t to, std::uint64_t from,
                            std::uint64_t size_bytes) override;
  DeviceStatus Fill(std::uint64_t to, std::span<const std::byte> pattern,
                    std::uint64_t count) override;
  std::optional<DeviceVariable> AllocationOf(std::uint64_t address) override {
    return device_->AllocationOf(address);
  }
  MemoryInfo Memory() override;
  LaunchOutcome Launch(const LaunchRequest& request) override { return device_->Launch(request); }

  /// What was copied since this was asked last, without copies that failed.
  [[nodiscard]] CopiedBytes TakeCopied() { return std::exchange(copied_, {}); }

 private:
  DeviceLink* device_;
  CopiedBytes copied_;
  std::uint64_t memory_bytes_;
  std::uint64_t taken_bytes_ = 0;
  std::map<std::uint64_t, std::uint64_t> taken_;  ///< Bytes by address.
};

}  // namespace assay::gpu::remote

#endif  // ASSAY_GPU_SERVER_HOST_VIEW_H_
