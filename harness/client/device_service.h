// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_DEVICE_SERVICE_H_
#define ASSAY_CLIENT_DEVICE_SERVICE_H_

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace assay {

/// A device that one host has, on this side of the wire: what answers its messages while it
/// computes. This layer carries bytes and knows nothing of what they say.
class DeviceService {
 public:
  virtual ~DeviceService() = default;

  /// Answers one message. `request`: a private copy of up to wire::kDeviceMessageBytes that a
  /// hostile host chose. `reply`: empty; filled with at most that much. An error says what is
  /// malformed, and the host is rejected. Called by the thread that calls the host, one call at a
  /// time. What it throws is our own failure.
  [[nodiscard]] virtual std::expected<void, std::string> Serve(std::span<const std::byte> request,
                                                               std::vector<std::byte>* reply) = 0;
};

/// Makes the device of one host, which is gone when the host is: what a host leaves on its device
/// no other host finds. An error is our own failure.
using DeviceFactory = std::function<Result<std::unique_ptr<DeviceService>>()>;

}  // namespace assay

#endif  // ASSAY_CLIENT_DEVICE_SERVICE_H_
