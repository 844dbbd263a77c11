// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_DEVICE_PROVIDER_H_
#define ASSAY_CLIENT_DEVICE_PROVIDER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "client/device_service.h"
#include "client/run_flags.h"

namespace assay {

/// How the host of one role differs from what all hosts of a run are.
struct RoleSetup {
  DeviceFactory device{};  ///< None: a host without a device.
  /// As HostOptions::device_limit; for a host with a device.
  std::chrono::nanoseconds device_limit = std::chrono::seconds(60);
  /// Runs the executable of --assay_baseline. What becomes of such a host says nothing of the one
  /// that is judged: its failures are judge_error.
  bool is_baseline = false;
};

/// Says which roles of a suite's run have a device. This layer knows devices by their messages
/// alone; a layer above makes them.
class DeviceProvider {
 public:
  virtual ~DeviceProvider() = default;
  /// Asked each time a host of that role is looked for, so equal for equal roles.
  [[nodiscard]] virtual RoleSetup SetupOf(std::string_view role) = 0;
};

/// Makes the provider of one run, once its command line is known. An error is a bad command line.
using DeviceProviderFactory =
    std::function<Result<std::unique_ptr<DeviceProvider>>(const RunFlags&)>;

}  // namespace assay

#endif  // ASSAY_CLIENT_DEVICE_PROVIDER_H_
