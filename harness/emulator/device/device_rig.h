// SPDX-License-Identifier: Apache-2.0
// For tests here, in exec/ and above: an emulated device, and one with a module loaded.
#ifndef ASSAY_EMULATOR_DEVICE_DEVICE_RIG_H_
#define ASSAY_EMULATOR_DEVICE_DEVICE_RIG_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/device/device.h"
#include "emulator/ptx/text_for_test.h"

namespace assay::gpu {

// Qualified here: a test of exec/ has a function of this name.
inline std::unique_ptr<gpu::Device> MustCreateDevice(DeviceOptions options) {
  auto device = gpu::Device::Create(std::move(options));
  if (!device) {
    throw std::runtime_error(device.error().detail);
  }
  return *std::move(device);
}

/// A device with one module loaded, and what its launches reported and printed.
class DeviceRig {
 public:
  /// `items` of PTX, which must load. What is printed goes to printed(), not to `options.print`.
  explicit DeviceRig(std::string_view items, DeviceOptions options = {}) {
    options.print = [this](std::string_view text) { printed_ += text; };
    device_ = MustCreateDevice(std::move(options));
    device_->OnReport([this](const LaunchReport& report) { reports_.push_back(report); });
    const auto module = device_->LoadModule(ptx::ModuleText(items), {});
    EXPECT_TRUE(module) << (module ? "" : module.error().detail);
    module_ = module.value_or(0);
  }
  DeviceRig(const DeviceRig&) = delete;
  DeviceRig& operator=(const DeviceRig&) = delete;

  template <class T>
  std::uint64_t Upload(const std::vector<T>& values) {
    const std::uint64_t address = device_->Allocate(values.size() * sizeof(T)).value();
    EXPECT_TRUE(device_->CopyToDevice(address, std::as_bytes(std::span(values))));
    return address;
  }
  template <class T>
  std::vector<T> Download(std::uint64_t address, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_TRUE(device_->CopyFromDevice(std::as_writable_bytes(std::span(values)), address));
    return values;
  }
  /// The module's kernel `name`, which must be there.
  [[nodiscard]] KernelInfo Kernel(std::string_view name) {
    return device_->FindKernel(module_, name).value();
  }
  /// Launches it with its parameters, each of the kernel's size.
  template <class... Arguments>
  LaunchOutcome Launch(std::string_view name, std::uint32_t grid, std::uint32_t block,
                       Arguments... arguments) {
    const KernelInfo kernel = Kernel(name);
    LaunchRequest request{.kernel = kernel.id, .grid = {grid, 1, 1}, .block = {block, 1, 1}};
    request.parameters.resize(kernel.parameter_bytes);
    std::size_t i = 0;
    ((std::memcpy(request.parameters.data() + kernel.parameter_offsets.at(i), &arguments,
                  kernel.parameter_sizes.at(i)),
      ++i),
     ...);
    return device_->Launch(request);
  }

  gpu::Device& device() { return *device_; }
  [[nodiscard]] ModuleId module() const { return module_; }
  [[nodiscard]] const std::vector<LaunchReport>& reports() const { return reports_; }
  [[nodiscard]] const LaunchReport& last() const { return reports_.back(); }
  std::string& printed() { return printed_; }  ///< On both streams.

 private:
  std::vector<LaunchReport> reports_;
  std::string printed_;
  std::unique_ptr<gpu::Device> device_;
  ModuleId module_ = 0;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_DEVICE_DEVICE_RIG_H_
