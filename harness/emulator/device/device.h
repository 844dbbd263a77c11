// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_DEVICE_DEVICE_H_
#define ASSAY_EMULATOR_DEVICE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "emulator/core/device_error.h"
#include "emulator/core/device_link.h"
#include "emulator/core/device_options.h"
#include "emulator/report/launch_report.h"

namespace assay::gpu {

/// The emulated GPU in this process.
class Device : public DeviceLink {
 public:
  /// Errors: no address space for its memory (2); built for vectors that this machine has not
  /// (100).
  [[nodiscard]] static DeviceResult<std::unique_ptr<Device>> Create(DeviceOptions options);

  /// Allocates at `address`, where a block of just that size was freed, as a caching allocator
  /// does; what the block held is gone. False: no such block is free, or its place is forgotten.
  virtual bool AllocateAt(std::uint64_t address, std::uint64_t size_bytes) = 0;

  /// As CopyToDevice, but the bytes go on counting as what they were, uninitialised in fresh
  /// memory: a pattern that no kernel may read, and by which one knows what was never written.
  virtual DeviceStatus CopyAsUninitialized(std::uint64_t to, std::span<const std::byte> from) = 0;

  /// Called after each launch, and each host-side finding (with a report that has no kernel).
  virtual void OnReport(std::function<void(const LaunchReport&)> callback) = 0;
  /// What was never freed, as findings of kind kLeak; none once a launch has failed for good,
  /// since nothing can be freed after that.
  virtual std::vector<Finding> Leaks() = 0;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_DEVICE_DEVICE_H_
