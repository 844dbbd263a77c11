// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SERVER_FAKE_LINK_H_
#define ASSAY_GPU_SERVER_FAKE_LINK_H_

// For the tests of this part.

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cudart/link/remote_link.h"
#include "emulator/core/device_link.h"
#include "gpu/server/device_server.h"

namespace assay::gpu::remote {

/// A device that keeps memory in a map, finds a kernel and a variable in each module, and remembers
/// what it was given.
class FakeLink : public DeviceLink {
 public:
  static constexpr std::uint64_t kMemoryBytes = std::uint64_t{64} << 20;

  const GpuModel& model() const override { return model_; }
  DeviceResult<ModuleId> LoadModule(
      std::string_view ptx,
      std::span<const std::pair<std::string, std::uint32_t>> registers_per_thread) override {
    if (ptx == "bad") {
      return std::unexpected(DeviceError{218, std::string(10'000, 'x')});
    }
    modules.emplace_back(ptx);
    registers.assign(registers_per_thread.begin(), registers_per_thread.end());
    return static_cast<ModuleId>(modules.size());
  }
  DeviceStatus UnloadModule(ModuleId module) override {
    unloaded.push_back(module);
    return {};
  }
  DeviceResult<KernelInfo> FindKernel(ModuleId module, std::string_view name) override {
    kernel.id = module * 100;
    kernel.name = name;
    return kernel;
  }
  DeviceResult<DeviceVariable> FindVariable(ModuleId module, std::string_view name) override {
    return DeviceVariable{module * std::uint64_t{4096}, name.size()};
  }
  DeviceResult<std::uint64_t> Allocate(std::uint64_t size_bytes) override {
    if (size_bytes > kMemoryBytes - used_bytes) {
      return std::unexpected(DeviceError{2, "out of memory"});
    }
    if (size_bytes == 0) {
      return 0;
    }
    used_bytes += size_bytes;
    const std::uint64_t address = next_address_;
    next_address_ += size_bytes + 4096;
    memory[address].resize(size_bytes);
    return address;
  }
  DeviceStatus Free(std::uint64_t address) override {
    const auto found = memory.find(address);
    if (address != 0 && found == memory.end()) {
      return Invalid();
    }
    if (address != 0) {
      used_bytes -= found->second.size();
      memory.erase(found);
    }
    return {};
  }
  DeviceStatus CopyToDevice(std::uint64_t to, std::span<const std::byte> from) override {
    const auto there = At(to, from.size());
    if (!there) {
      return Invalid();
    }
    std::ranges::copy(from, there->begin());
    return {};
  }
  DeviceStatus CopyFromDevice(std::span<std::byte> to, std::uint64_t from) override {
    const auto there = At(from, to.size());
    if (!there) {
      return Invalid();
    }
    std::ranges::copy(*there, to.begin());
    return {};
  }
  DeviceStatus CopyOnDevice(std::uint64_t to, std::uint64_t from,
                            std::uint64_t size_bytes) override {
    const auto source = At(from, size_bytes);
    const auto target = At(to, size_bytes);
    if (!source || !target) {
      return Invalid();
    }
    std::memmove(target->data(), source->data(), size_bytes);
    return {};
  }
  DeviceStatus Fill(std::uint64_t to, std::span<const std::byte> pattern,
                    std::uint64_t count) override {
    const auto there = At(to, pattern.size() * count);
    if (!there) {
      return Invalid();
    }
    for (std::size_t i = 0; i < there->size(); ++i) {
      (*there)[i] = pattern[i % pattern.size()];
    }
    return {};
  }
  std::optional<DeviceVariable> AllocationOf(std::uint64_t address) override {
    const auto next = memory.upper_bound(address);
    if (next == memory.begin()) {
      return std::nullopt;
    }
    const auto& [base, bytes] = *std::prev(next);
    return address - base < bytes.size() ? std::optional(DeviceVariable{base, bytes.size()})
                                         : std::nullopt;
  }
  MemoryInfo Memory() override { return {kMemoryBytes - used_bytes, kMemoryBytes}; }
  LaunchOutcome Launch(const LaunchRequest& request) override {
    launches.push_back(request);
    return outcome;
  }

  KernelInfo kernel;
  LaunchOutcome outcome;
  std::vector<std::string> modules;
  std::vector<std::pair<std::string, std::uint32_t>> registers;
  std::vector<ModuleId> unloaded;
  std::vector<LaunchRequest> launches;
  std::map<std::uint64_t, std::vector<std::byte>> memory;
  std::uint64_t used_bytes = 0;

 private:
  static DeviceStatus Invalid() { return std::unexpected(DeviceError{1, "no such memory"}); }
  std::optional<std::span<std::byte>> At(std::uint64_t address, std::uint64_t size_bytes) {
    const auto held = AllocationOf(address);
    if (!held || size_bytes > held->address + held->size_bytes - address) {
      return std::nullopt;
    }
    return std::span(memory[held->address]).subspan(address - held->address, size_bytes);
  }

  GpuModel model_ = Rtx4090();
  std::uint64_t next_address_ = 0x2000'0000'0000;
};

/// A link and its server in one process: what one puts in comes out at the other.
class Loopback : public Transport {
 public:
  explicit Loopback(DeviceService* server) : server_(server) {}

  std::optional<std::size_t> Exchange(std::span<const std::byte> head,
                                      std::span<const std::byte> data,
                                      std::span<std::byte> reply) override {
    if (!reachable) {
      return std::nullopt;
    }
    std::vector<std::byte> request(head.begin(), head.end());
    request.insert(request.end(), data.begin(), data.end());
    longest_bytes = std::max(longest_bytes, request.size());
    ++messages;
    std::vector<std::byte> answer;
    if (auto served = server_->Serve(request, &answer); !served) {
      faults.push_back(served.error());
    }
    longest_bytes = std::max(longest_bytes, answer.size());
    std::ranges::copy(answer, reply.begin());
    return answer.size();
  }

  bool reachable = true;
  std::size_t longest_bytes = 0;
  std::size_t messages = 0;
  std::vector<std::string> faults;

 private:
  DeviceService* server_;
};

}  // namespace assay::gpu::remote

#endif  // ASSAY_GPU_SERVER_FAKE_LINK_H_
