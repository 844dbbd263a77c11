// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_LINK_REMOTE_LINK_H_
#define ASSAY_CUDART_LINK_REMOTE_LINK_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cudart/link/messages.h"
#include "emulator/core/device_link.h"

namespace assay::gpu::remote {

/// Carries a message to a DeviceServer and its reply back.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Sends `head` and `data`, one after the other, and copies the reply to the start of `reply`,
  /// which has room for kMaxMessageBytes. Returns its size; nothing: the device cannot be reached
  /// now.
  virtual std::optional<std::size_t> Exchange(std::span<const std::byte> head,
                                              std::span<const std::byte> data,
                                              std::span<std::byte> reply) = 0;
};

/// The host's end: a device that is elsewhere. Copies and module texts longer than kChunkBytes
/// travel in parts; the first part that fails ends them. Where the device cannot be reached, calls
/// fail with cudaErrorCudartUnloading (4), which CUDA says of calls after main.
class RemoteLink : public DeviceLink {
 public:
  /// Asks for the model. Nothing: the device cannot be reached. `transport` must outlive the link.
  [[nodiscard]] static std::unique_ptr<RemoteLink> Connect(Transport* transport);

  const GpuModel& model() const override { return model_; }
  DeviceResult<ModuleId> LoadModule(std::string_view ptx,
                                    std::span<const MachineCode> machine_code) override;
  DeviceStatus UnloadModule(ModuleId module) override;
  DeviceResult<KernelInfo> FindKernel(ModuleId module, std::string_view name) override;
  DeviceResult<DeviceVariable> FindVariable(ModuleId module, std::string_view name) override;
  DeviceResult<std::uint64_t> Allocate(std::uint64_t size_bytes) override;
  DeviceStatus Free(std::uint64_t address) override;
  DeviceStatus CopyToDevice(std::uint64_t to, std::span<const std::byte> from) override;
  DeviceStatus CopyFromDevice(std::span<std::byte> to, std::uint64_t from) override;
  DeviceStatus CopyOnDevice(std::uint64_t to, std::uint64_t from,
                            std::uint64_t size_bytes) override;
  DeviceStatus Fill(std::uint64_t to, std::span<const std::byte> pattern,
                    std::uint64_t count) override;
  std::optional<DeviceVariable> AllocationOf(std::uint64_t address) override;
  MemoryInfo Memory() override;
  LaunchOutcome Launch(const LaunchRequest& request) override;

  /// Tells the trusted side that the program asked for what the emulated GPU lacks, so that it is
  /// not judged by what it does without. Characters that are not printable are left out.
  void TellLack(std::string_view what);

 private:
  explicit RemoteLink(Transport* transport);

  /// Starts the next message.
  Writer Begin(Call call);
  /// Sends it, with `data` behind it. The reader stands behind the error code, which was 0; it
  /// reads from memory that the next call overwrites.
  DeviceResult<Reader> Send(std::span<const std::byte> data = {});
  DeviceStatus SendAndExpectNothing(std::span<const std::byte> data = {});

  Transport* transport_;
  GpuModel model_;
  std::vector<std::byte> request_;
  std::vector<std::byte> reply_;
};

}  // namespace assay::gpu::remote

#endif  // ASSAY_CUDART_LINK_REMOTE_LINK_H_
