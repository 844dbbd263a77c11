// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_REMOTE_EMULATED_GPU_H_
#define ASSAY_GPU_REMOTE_EMULATED_GPU_H_

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
#include "gpu/device/device.h"
#include "gpu/remote/device_server.h"
#include "gpu/report/launch_report.h"

namespace assay::gpu::remote {

/// How much of what a hostile host makes its device say is kept.
struct RecordLimits {
  std::size_t report_bytes = std::size_t{64} << 20;  ///< Of all reports, in this process's memory.
  std::size_t printed_bytes = std::size_t{1} << 20;
};

/// What a device has said, in order: for a suite to read, and to clear, between calls of its host.
struct DeviceRecord {
  std::vector<LaunchReport> reports;   ///< Launches, and findings about calls from the host's side.
  std::uint64_t reports_left_out = 0;  ///< Behind those, over the limit.
  std::string printed;                 ///< By kernels.
  std::uint64_t printed_left_out_bytes = 0;
};

/// The emulated GPU of one host: a Device with a DeviceServer in front of it.
class EmulatedGpu : public DeviceService {
 public:
  /// `options.print` is replaced. `record` must outlive the device; it is added to by Serve alone.
  /// For HostOptions::device.
  [[nodiscard]] static Result<std::unique_ptr<DeviceService>> Create(DeviceOptions options,
                                                                     DeviceRecord* record,
                                                                     RecordLimits limits = {});

  [[nodiscard]] std::expected<void, std::string> Serve(std::span<const std::byte> request,
                                                       std::vector<std::byte>* reply) override {
    return server_.Serve(request, reply);
  }

 private:
  EmulatedGpu(std::unique_ptr<Device> device, DeviceRecord* record, RecordLimits limits);

  std::unique_ptr<Device> device_;
  DeviceServer server_;
  std::size_t report_bytes_ = 0;
};

}  // namespace assay::gpu::remote

#endif  // ASSAY_GPU_REMOTE_EMULATED_GPU_H_
