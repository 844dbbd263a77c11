// SPDX-License-Identifier: Apache-2.0
#include "gpu/server/emulated_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "emulator/report/cuda_error.h"

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

/// What a request was refused with, from the reply that the host gets.
std::optional<Refusal> RefusalOf(std::span<const std::byte> request,
                                 std::span<const std::byte> reply) {
  Refusal refusal{.call = static_cast<Call>(Reader(request).Number<std::uint32_t>())};
  Reader reader(reply);
  refusal.error = reader.Number<std::int32_t>();
  if (refusal.error == 0 && refusal.call == Call::kLaunch) {
    LaunchOutcome outcome = ReadOutcome(reader);
    refusal.error = outcome.error;
    refusal.detail = std::move(outcome.detail);
  } else if (refusal.error != 0) {
    refusal.detail = reader.Text(kMaxDetailBytes);
  }
  return refusal.error == 0 ? std::nullopt : std::optional(std::move(refusal));
}

}  // namespace

Result<std::unique_ptr<EmulatedGpu>> EmulatedGpu::Create(DeviceOptions options,
                                                         DeviceRecord* record, RecordLimits limits,
                                                         std::uint64_t host_memory_bytes) {
  options.print = [record, limits](std::string_view text) {
    const std::size_t kept = std::min(
        text.size(), limits.printed_bytes - std::min(limits.printed_bytes, record->printed.size()));
    record->printed += text.substr(0, kept);
    record->printed_left_out_bytes += text.size() - kept;
  };
  auto device = Device::Create(std::move(options));
  if (!device) {
    const bool of_memory = device.error().code == cuda_error::kMemoryAllocation;
    return std::unexpected(Error{
        .kind = ErrorKind::kJudge,
        .where = "emulated GPU",
        .cause = std::move(device.error().detail),
        .remedy = of_memory ? "free memory, or limit the device's" : "build it for this machine"});
  }
  return std::unique_ptr<EmulatedGpu>(
      new EmulatedGpu(*std::move(device), record, limits, host_memory_bytes));
}

EmulatedGpu::EmulatedGpu(std::unique_ptr<Device> device, DeviceRecord* record, RecordLimits limits,
                         std::uint64_t host_memory_bytes)
    : device_(std::move(device)),
      view_(device_.get(), host_memory_bytes),
      server_(&view_),
      record_(record) {
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

std::expected<void, std::string> EmulatedGpu::Serve(std::span<const std::byte> request,
                                                    std::vector<std::byte>* reply) {
  auto served = server_.Serve(request, reply);
  record_->copied += view_.TakeCopied();
  if (!served || record_->refusals.size() >= DeviceRecord::kMostRefusals) {
    return served;
  }
  auto refusal = RefusalOf(request, *reply);
  if (refusal && std::ranges::find(record_->refusals, *refusal) == record_->refusals.end()) {
    record_->refusals.push_back(*std::move(refusal));
  }
  return served;
}

}  // namespace assay::gpu::remote
