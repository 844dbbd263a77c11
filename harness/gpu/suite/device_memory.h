// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SUITE_DEVICE_MEMORY_H_
#define ASSAY_GPU_SUITE_DEVICE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>

#include "client/host.h"
#include "emulator/device/device.h"

namespace assay::gpu {

/// The device memory of one host, as the trusted side uses it between calls. Addresses are device
/// addresses. A HostFailure says what a failure means for the case; verdict kJudgeError: ours.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  /// Uninitialised memory, aligned to 256 bytes. Nothing: the device has none left. Of size 0: the
  /// address 0.
  [[nodiscard]] virtual std::expected<std::optional<std::uint64_t>, HostFailure> Allocate(
      std::uint64_t size_bytes) = 0;
  /// Memory where a buffer of just that size was freed, uninitialised as any; false: that place
  /// cannot be had.
  [[nodiscard]] virtual bool AllocateAt(std::uint64_t address, std::uint64_t size_bytes) = 0;
  [[nodiscard]] virtual std::expected<void, HostFailure> Free(std::uint64_t address) = 0;
  [[nodiscard]] virtual std::expected<void, HostFailure> Write(std::uint64_t to,
                                                               std::span<const std::byte> from) = 0;
  /// As Write, but for a checker of uninitialised memory nothing was written.
  [[nodiscard]] virtual std::expected<void, HostFailure> WriteAsUninitialized(
      std::uint64_t to, std::span<const std::byte> from) = 0;
  [[nodiscard]] virtual std::expected<void, HostFailure> Read(std::span<std::byte> to,
                                                              std::uint64_t from) = 0;
  /// What to keep around buffers to see that nothing strays there: 0 where a checker sees it.
  [[nodiscard]] virtual std::uint64_t guard_bytes() const = 0;
};

/// The emulated GPU of a host, in this process: the host has no part in it.
class EmulatedMemory final : public DeviceMemory {
 public:
  /// `device` must outlive it.
  explicit EmulatedMemory(Device* device) : device_(device) {}

  std::expected<std::optional<std::uint64_t>, HostFailure> Allocate(
      std::uint64_t size_bytes) override;
  bool AllocateAt(std::uint64_t address, std::uint64_t size_bytes) override {
    return device_->AllocateAt(address, size_bytes);
  }
  std::expected<void, HostFailure> Free(std::uint64_t address) override;
  std::expected<void, HostFailure> Write(std::uint64_t to,
                                         std::span<const std::byte> from) override;
  std::expected<void, HostFailure> WriteAsUninitialized(std::uint64_t to,
                                                        std::span<const std::byte> from) override;
  std::expected<void, HostFailure> Read(std::span<std::byte> to, std::uint64_t from) override;
  [[nodiscard]] std::uint64_t guard_bytes() const override { return 0; }

 private:
  Device* device_;
};

/// Hardware, which only the host can reach: operations of the host itself, by these names, each of
/// which returns a cudaError_t,
///
///     assay_device_allocate(u64 bytes, u64* address)
///     assay_device_free(u64 address)
///     assay_device_write(u64 address, const u8* data, u64 bytes)
///     assay_device_read(u64 address, u8* data, u64 bytes)
///
/// A submission that lies there harms itself alone: outputs are judged by their content, and an
/// input that is not what it says was changed is its own fault.
class HostMemory final : public DeviceMemory {
 public:
  static constexpr std::uint64_t kGuardBytes = 256;

  /// `host` must outlive it.
  explicit HostMemory(Host* host) : host_(host) {}

  std::expected<std::optional<std::uint64_t>, HostFailure> Allocate(
      std::uint64_t size_bytes) override;
  /// CUDA's allocator decides, which gives freed places again.
  bool AllocateAt(std::uint64_t /*address*/, std::uint64_t /*size_bytes*/) override {
    return false;
  }
  std::expected<void, HostFailure> Free(std::uint64_t address) override;
  std::expected<void, HostFailure> Write(std::uint64_t to,
                                         std::span<const std::byte> from) override;
  std::expected<void, HostFailure> WriteAsUninitialized(std::uint64_t to,
                                                        std::span<const std::byte> from) override {
    return Write(to, from);
  }
  std::expected<void, HostFailure> Read(std::span<std::byte> to, std::uint64_t from) override;
  [[nodiscard]] std::uint64_t guard_bytes() const override { return kGuardBytes; }

 private:
  std::expected<void, HostFailure> Run(const Invocation& invocation);

  Host* host_;
};

}  // namespace assay::gpu

#endif  // ASSAY_GPU_SUITE_DEVICE_MEMORY_H_
