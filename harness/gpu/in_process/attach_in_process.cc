// SPDX-License-Identifier: Apache-2.0
// The device in the program's own process, made from ASSAY_CUDA_OPTIONS at the first CUDA call, and
// its reports as lines of JSON to the descriptor named there, each written when it happens.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cudart/runtime/attachment.h"
#include "cudart/runtime/options.h"
#include "emulator/device/device.h"
#include "emulator/report/json.h"
#include "gpu/in_process/stop_signals.h"

namespace assay::gpu::runtime {
namespace {

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return;  // Nobody reads: the program goes on.
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

class InProcess : public Attachment {
 public:
  InProcess() {
    if (const char* const text = std::getenv(kOptionsVariable)) {
      options_ = FromJson(text);
    }
    if (options_) {
      report_fd_ = options_->report_fd;
    }
  }

  DeviceLink* device() override {
    if (!options_) {
      WriteAll(STDERR_FILENO, fmt::format("assay: {}\n", ToString(options_.error())));
      return nullptr;
    }
    if (report_fd_ >= 0) {
      options_->device.stop = CatchStopSignals();
    }
    auto created = Device::Create(options_->device);
    if (!created) {
      OnNotice("", created.error().code, created.error().detail);
      return nullptr;
    }
    device_ = *std::move(created);
    if (report_fd_ >= 0) {
      device_->OnReport([fd = report_fd_](const LaunchReport& report) {
        WriteAll(fd, ToJsonLine(report));
        HeedStopSignal();
      });
    }
    return device_.get();
  }

  void OnNotice(std::string_view function, int code, std::string_view detail) override {
    const std::string text =
        function.empty() ? std::string(detail) : fmt::format("{} {}", function, detail);
    if (report_fd_ >= 0) {
      LaunchReport report;  // Of no kernel: a call's error.
      report.error = code;
      report.error_detail = text;
      WriteAll(report_fd_, ToJsonLine(report));
    } else {
      WriteAll(STDERR_FILENO, fmt::format("assay: {}\n", text));
    }
  }

  /// Nobody checks its results but the program itself.
  Refusals refusals() override { return Refusals::kStay; }

  void OnReset() override { ReportLeaks(); }

  void ReportLeaks() {
    if (device_ == nullptr || report_fd_ < 0 || options_->leak_check == LeakCheck::kOff) {
      return;
    }
    LaunchReport report;
    report.findings = device_->Leaks();
    if (!report.findings.empty()) {
      WriteAll(report_fd_, ToJsonLine(report));
    }
  }

 private:
  std::unique_ptr<Device> device_;
  Result<RunOptions> options_;
  /// Of the options: what is refused before there is a device goes there too.
  int report_fd_ = -1;
};

InProcess& Attached() {
  static InProcess* const attached = new InProcess;
  return *attached;
}

// After the program's static destructors, which may still free.
[[gnu::destructor]] void ReportAtExit() { Attached().ReportLeaks(); }

}  // namespace

Attachment& RuntimeAttachment() { return Attached(); }

}  // namespace assay::gpu::runtime
