// SPDX-License-Identifier: Apache-2.0
#include "gpu/remote/emulated_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::gpu::remote {
namespace {

/// About what a report takes, without allocations too small to matter.
std::size_t BytesOf(const LaunchReport& report) {
  std::size_t bytes = sizeof report + report.kernel.size() + report.error_detail.size();
  for (const LineCounters& line : report.lines) {
    bytes += sizeof line + line.file.size();
  }
  for (const Finding& finding : report.findings) {
    bytes += sizeof finding + finding.note.size();
  }
  return bytes;
}

}  // namespace

Result<std::unique_ptr<DeviceService>> EmulatedGpu::Create(DeviceOptions options,
                                                           DeviceRecord* record,
                                                           RecordLimits limits) {
  options.print = [record, limits](std::string_view text) {
    const std::size_t kept = std::min(
        text.size(), limits.printed_bytes - std::min(limits.printed_bytes, record->printed.size()));
    record->printed += text.substr(0, kept);
    record->printed_left_out_bytes += text.size() - kept;
  };
  auto device = Device::Create(std::move(options));
  if (!device) {
    return std::unexpected(Error{.kind = ErrorKind::kJudge,
                                 .where = "emulated GPU",
                                 .cause = std::move(device.error().detail),
                                 .remedy = "free memory, or limit the device's"});
  }
  return std::unique_ptr<DeviceService>(new EmulatedGpu(*std::move(device), record, limits));
}

EmulatedGpu::EmulatedGpu(std::unique_ptr<Device> device, DeviceRecord* record, RecordLimits limits)
    : device_(std::move(device)), server_(device_.get()) {
  device_->OnReport([this, record, limits](const LaunchReport& report) {
    const std::size_t bytes = BytesOf(report);
    if (record->reports.empty()) {
      report_bytes_ = 0;
    }
    if (record->reports_left_out > 0 || bytes > limits.report_bytes - report_bytes_) {
      ++record->reports_left_out;
      return;
    }
    report_bytes_ += bytes;
    record->reports.push_back(report);
  });
}

}  // namespace assay::gpu::remote
