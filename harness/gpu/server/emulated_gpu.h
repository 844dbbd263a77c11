// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SERVER_EMULATED_GPU_H_
#define ASSAY_GPU_SERVER_EMULATED_GPU_H_

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "client/device_service.h"
#include "cudart/link/messages.h"
#include "emulator/device/device.h"
#include "emulator/report/launch_report.h"
#include "gpu/server/device_server.h"
#include "gpu/server/host_view.h"

namespace assay::gpu::remote {

/// How much of what a hostile host makes its device say is kept.
struct RecordLimits {
  std::size_t report_bytes = std::size_t{64} << 20;  ///< Of all reports, in this process's memory.
  std::size_t printed_bytes = std::size_t{1} << 20;
};

/// An operation that failed, or a launch that was refused, as the host was told.
struct Refusal {
  Call call = Call::kModel;
  int error = 0;  ///< cudaError_t's number.
  std::string detail = {};
  bool operator==(const Refusal&) const = default;
};

/// What a device has said, in order: for a suite to read, and to clear, between calls of its host.
struct DeviceRecord {
  static constexpr std::size_t kMostRefusals = 64;
  std::vector<LaunchReport> reports;   ///< Launches, and findings about calls from the host's side.
  std::uint64_t reports_left_out = 0;  ///< Behind those, over the limit.
  std::vector<Refusal> refusals;       ///< Without repetitions, up to kMostRefusals.
  CopiedBytes copied;                  ///< By calls, not by kernels.
  std::string printed;                 ///< By kernels.
  std::uint64_t printed_left_out_bytes = 0;
};

/// The emulated GPU of one host: a Device with a DeviceServer in front of it.
class EmulatedGpu : public DeviceService {
 public:
  /// `options.print` is replaced. `record` must outlive the device; it is added to by Serve alone.
  /// `host_memory_bytes` is what the host may allocate; the rest is for device(). For
  /// HostOptions::device.
  [[nodiscard]] static Result<std::unique_ptr<EmulatedGpu>> Create(
      DeviceOptions options, DeviceRecord* record, RecordLimits limits = {},
      std::uint64_t host_memory_bytes = ~std::uint64_t{0});

  [[nodiscard]] std::expected<void, std::string> Serve(std::span<const std::byte> request,
                                                       std::vector<std::byte>* reply) override;

  /// The device itself, for the side that owns it, between messages. What is done to it here is not
  /// in the record, but for findings.
  [[nodiscard]] Device& device() { return *device_; }

 private:
  EmulatedGpu(std::unique_ptr<Device> device, DeviceRecord* record, RecordLimits limits,
              std::uint64_t host_memory_bytes);

  std::unique_ptr<Device> device_;
  HostView view_;
  DeviceServer server_;
  DeviceRecord* record_;
  std::size_t report_bytes_ = 0;
};

}  // namespace assay::gpu::remote

#endif  // ASSAY_GPU_SERVER_EMULATED_GPU_H_
