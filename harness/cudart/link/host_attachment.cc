// SPDX-License-Identifier: Apache-2.0
// The device of a sandboxed host: what its CUDA runtime finds is on the other side of the wire.
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cudart/link/remote_link.h"
#include "cudart/runtime/attachment.h"
#include "emulator/report/cuda_error.h"
#include "host/device.h"

namespace assay::gpu::remote {
namespace {

class OverTheWire : public runtime::Attachment, public Transport {
 public:
  DeviceLink* device() override { return Link(); }

  /// What a submission forgets to wait for must not be there when the suite looks.
  runtime::WorkOrder order() override { return runtime::WorkOrder::kAsLateAsLegal; }

  /// Into the captured text of the host, which decides nothing; and to the trusted side what the
  /// emulated GPU lacks, since nobody may be judged by that.
  void OnNotice(std::string_view function, int code, std::string_view detail) override {
    std::string text(function);
    text.append(function.empty() ? "" : " ").append(detail);
    text.append(" (CUDA error ").append(std::to_string(code)).append(")\n");
    if (code == cuda_error::kNotSupported && Link() != nullptr) {
      link_->TellLack(std::string(function).append(function.empty() ? "" : " ").append(detail));
    }
    // A message that cannot be written is no reason to stop.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  }

  std::optional<std::size_t> Exchange(std::span<const std::byte> head,
                                      std::span<const std::byte> data,
                                      std::span<std::byte> reply) override {
    return host::CallDevice({{head.data(), head.size()}, {data.data(), data.size()}}, reply);
  }

 private:
  /// Connected at the first call that finds a device.
  RemoteLink* Link() {
    if (link_ == nullptr && host::HasDevice()) {
      link_ = RemoteLink::Connect(this);
    }
    return link_.get();
  }

  std::unique_ptr<RemoteLink> link_;
};

}  // namespace
}  // namespace assay::gpu::remote

namespace assay::gpu::runtime {

Attachment& RuntimeAttachment() {
  static auto* const attachment = new remote::OverTheWire;
  return *attachment;
}

}  // namespace assay::gpu::runtime
