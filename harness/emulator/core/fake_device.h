// SPDX-License-Identifier: Apache-2.0
// For tests of what calls a device: the CUDA runtime, the link to a device and its server.
#ifndef ASSAY_EMULATOR_CORE_FAKE_DEVICE_H_
#define ASSAY_EMULATOR_CORE_FAKE_DEVICE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/core/device_link.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu {

/// A device that keeps memory in a map, executes nothing and remembers what it was given. Addresses
/// are such as a real device has, and nothing is mapped there.
class FakeDevice : public DeviceLink {
 public:
  FakeDevice(GpuModel model, std::uint64_t memory_bytes)
      : model_(std::move(model)), memory_bytes_(memory_bytes) {}

  const GpuModel& model() const override { return model_; }
  DeviceResult<ModuleId> LoadModule(std::string_view ptx,
                                    std::span<const MachineCode> machine_code) override {
    if (load_error) {
      return std::unexpected(*load_error);
    }
    modules.emplace_back(ptx);
    code.assign(machine_code.begin(), machine_code.end());
    for (const auto& [name, bytes] : variables) {
      const std::uint64_t address = *Allocate(bytes.size());
      memory_.at(address) = bytes;
      loaded_variables_[name] = address;
    }
    return static_cast<ModuleId>(modules.size());
  }
  DeviceStatus UnloadModule(ModuleId module) override {
    unloaded.push_back(module);
    for (const auto& [name, address] : std::exchange(loaded_variables_, {})) {
      Release(address);
    }
    return {};
  }
  DeviceResult<KernelInfo> FindKernel(ModuleId module, std::string_view name) override {
    const auto found = kernels.find(name);
    if (found == kernels.end() && !any_kernel) {
      return Fault(cuda_error::kInvalidDeviceFunction);
    }
    KernelInfo info = found == kernels.end() ? *any_kernel : found->second;
    info.id += module * 100;
    info.name = name;
    return info;
  }
  DeviceResult<DeviceVariable> FindVariable(ModuleId module, std::string_view name) override {
    if (any_kernel) {
      return DeviceVariable{module * std::uint64_t{4096}, name.size()};
    }
    const auto found = loaded_variables_.find(name);
    if (found == loaded_variables_.end()) {
      return Fault(cuda_error::kInvalidSymbol);
    }
    return DeviceVariable{found->second, memory_.at(found->second).size()};
  }
  DeviceResult<std::uint64_t> Allocate(std::uint64_t size_bytes) override {
    if (size_bytes > memory_bytes_ - used_bytes_) {
      return Fault(cuda_error::kMemoryAllocation, "no room");
    }
    if (size_bytes == 0) {
      return 0;
    }
    const std::uint64_t address = next_address_;
    next_address_ += (size_bytes + 0x3ff) / 0x200 * 0x200;
    memory_[address].assign(size_bytes, kUnwritten);
    used_bytes_ += size_bytes;
    return address;
  }
  DeviceStatus Free(std::uint64_t address) override {
    if (address != 0 && !Release(address)) {
      return Fault(cuda_error::kInvalidValue, "freed what is not allocated");
    }
    return {};
  }
  DeviceStatus CopyToDevice(std::uint64_t to, std::span<const std::byte> from) override {
    const auto there = At(to, from.size());
    if (!there) {
      return PastTheEnd();
    }
    std::ranges::copy(from, there->begin());
    return {};
  }
  DeviceStatus CopyFromDevice(std::span<std::byte> to, std::uint64_t from) override {
    const auto there = At(from, to.size());
    if (!there) {
      return PastTheEnd();
    }
    std::ranges::copy(*there, to.begin());
    return {};
  }
  DeviceStatus CopyOnDevice(std::uint64_t to, std::uint64_t from,
                            std::uint64_t size_bytes) override {
    const auto source = At(from, size_bytes);
    const auto target = At(to, size_bytes);
    if (!source || !target) {
      return PastTheEnd();
    }
    std::memmove(target->data(), source->data(), size_bytes);
    return {};
  }
  DeviceStatus Fill(std::uint64_t to, std::span<const std::byte> pattern,
                    std::uint64_t count) override {
    const auto there = At(to, pattern.size() * count);
    if (!there) {
      return PastTheEnd();
    }
    for (std::size_t i = 0; i < there->size(); ++i) {
      (*there)[i] = pattern[i % pattern.size()];
    }
    return {};
  }
  std::optional<DeviceVariable> AllocationOf(std::uint64_t address) override {
    const auto next = memory_.upper_bound(address);
    if (next == memory_.begin()) {
      return std::nullopt;
    }
    const auto& [base, bytes] = *std::prev(next);
    return address - base < bytes.size() ? std::optional(DeviceVariable{base, bytes.size()})
                                         : std::nullopt;
  }
  MemoryInfo Memory() override { return {memory_bytes_ - used_bytes_, memory_bytes_}; }
  bool ShareWithHost(std::uint64_t /*address*/, std::uint64_t /*size_bytes*/) override {
    return says_it_shares;
  }
  LaunchOutcome Launch(const LaunchRequest& request) override {
    launches.push_back(request);
    if (on_launch) {
      on_launch(*this, request);
    }
    return outcome;
  }

  [[nodiscard]] std::uint64_t used_bytes() const { return used_bytes_; }
  [[nodiscard]] std::size_t live_allocations() const { return memory_.size(); }

  /// What each module has: kernels by name, with ids below 100, to which the module's hundreds are
  /// added; variables with what they hold when it is loaded.
  std::map<std::string, KernelInfo, std::less<>> kernels;
  std::map<std::string, std::vector<std::byte>, std::less<>> variables;
  /// Set: every other name is such a kernel, and each a variable, at 4096 times its module, of as
  /// many bytes as it has letters.
  std::optional<KernelInfo> any_kernel;
  std::optional<DeviceError> load_error;
  /// What a kernel of the test does; the device to read and write memory.
  std::function<void(FakeDevice&, const LaunchRequest&)> on_launch;
  LaunchOutcome outcome;        ///< Of the next launches.
  bool says_it_shares = false;  ///< Though its memory is its own: what is not copied shows.

  /// What it was given.
  std::vector<std::string> modules;
  std::vector<MachineCode> code;  ///< With the last module.
  std::vector<ModuleId> unloaded;
  std::vector<LaunchRequest> launches;

 private:
  static constexpr std::byte kUnwritten{0xfb};

  static std::unexpected<DeviceError> Fault(int code, std::string detail = {}) {
    return std::unexpected(DeviceError{.code = code, .detail = std::move(detail)});
  }
  static std::unexpected<DeviceError> PastTheEnd() {
    return Fault(cuda_error::kInvalidValue, "past the end of an allocation");
  }
  /// Whether there was one.
  bool Release(std::uint64_t address) {
    const auto found = memory_.find(address);
    if (found == memory_.end()) {
      return false;
    }
    used_bytes_ -= found->second.size();
    memory_.erase(found);
    return true;
  }
  std::optional<std::span<std::byte>> At(std::uint64_t address, std::uint64_t size_bytes) {
    const auto held = AllocationOf(address);
    if (!held || size_bytes > held->address + held->size_bytes - address) {
      return std::nullopt;
    }
    return std::span(memory_.at(held->address)).subspan(address - held->address, size_bytes);
  }

  GpuModel model_;
  std::uint64_t memory_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::map<std::uint64_t, std::vector<std::byte>> memory_;
  std::map<std::string, std::uint64_t, std::less<>> loaded_variables_;
  std::uint64_t next_address_ = 0x20'0000'0000 + 0x200;  // Not at a page's start.
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_CORE_FAKE_DEVICE_H_
