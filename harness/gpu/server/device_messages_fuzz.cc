// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever messages a host sends, in whatever order, the server answers or says what is
// malformed, asks the device for nothing beyond its contract, and answers the same once more.
//
// Input: messages, each behind its length as u16.
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "fuzz/fuzz_input.h"
#include "gpu/server/loopback_for_test.h"

namespace assay::gpu::remote {
namespace {

using fuzz::Require;

constexpr ServerLimits kLimits = {.modules = 4, .module_text_bytes = 4096, .allocations = 8};

/// Counts what it is asked, and checks what it may be asked. Small, so that a run is short.
class StrictDevice : public ServedDevice {
 public:
  static constexpr std::uint64_t kLargestAllocation_bytes = std::uint64_t{64} << 10;

  DeviceResult<ModuleId> LoadModule(std::string_view ptx,
                                    std::span<const MachineCode> machine_code) override {
    ++asked;
    Require(modules.size() - unloaded.size() < kLimits.modules, "modules are limited");
    Require(ptx.size() <= kLimits.module_text_bytes, "text of modules is limited");
    if (ptx == "bad") {
      return std::unexpected(DeviceError{218, std::string(10'000, 'x')});
    }
    return FakeDevice::LoadModule(ptx, machine_code);
  }
  DeviceStatus UnloadModule(ModuleId module) override {
    ++asked;
    return FakeDevice::UnloadModule(module);
  }
  DeviceResult<KernelInfo> FindKernel(ModuleId module, std::string_view name) override {
    ++asked;
    Require(name.size() <= kMaxNameBytes, "names are limited");
    any_kernel->parameter_offsets.assign(name.size(), 7);  // Its PTX decides how many it has.
    return FakeDevice::FindKernel(module, name);
  }
  DeviceResult<DeviceVariable> FindVariable(ModuleId module, std::string_view name) override {
    ++asked;
    return FakeDevice::FindVariable(module, name);
  }
  DeviceResult<std::uint64_t> Allocate(std::uint64_t size_bytes) override {
    ++asked;
    Require(live_allocations() < kLimits.allocations, "allocations are limited");
    if (size_bytes > kLargestAllocation_bytes) {
      return std::unexpected(DeviceError{2, "out of memory"});
    }
    return FakeDevice::Allocate(size_bytes);
  }
  DeviceStatus Free(std::uint64_t address) override {
    ++asked;
    return FakeDevice::Free(address);
  }
  DeviceStatus CopyToDevice(std::uint64_t to, std::span<const std::byte> from) override {
    ++asked;
    return FakeDevice::CopyToDevice(to, from);
  }
  DeviceStatus CopyFromDevice(std::span<std::byte> to, std::uint64_t from) override {
    ++asked;
    Require(to.size() <= kChunkBytes, "copies in one message are limited");
    return FakeDevice::CopyFromDevice(to, from);
  }
  DeviceStatus CopyOnDevice(std::uint64_t to, std::uint64_t from,
                            std::uint64_t size_bytes) override {
    ++asked;
    return FakeDevice::CopyOnDevice(to, from, size_bytes);
  }
  DeviceStatus Fill(std::uint64_t to, std::span<const std::byte> pattern,
                    std::uint64_t count) override {
    ++asked;
    Require(pattern.size() == 1 || pattern.size() == 2 || pattern.size() == 4,
            "a pattern has 1, 2 or 4 bytes");
    Require(count <= ~std::uint64_t{0} / pattern.size(), "a fill ends at an address");
    return FakeDevice::Fill(to, pattern, count);
  }
  LaunchOutcome Launch(const LaunchRequest& request) override {
    ++asked;
    Require(request.parameters.size() <= kMaxParameterBytes, "parameters are limited");
    return FakeDevice::Launch(request);
  }

  std::size_t asked = 0;
};

struct Answer {
  bool is_malformed = false;
  std::vector<std::byte> reply;
  bool operator==(const Answer&) const = default;
};

/// A launch that was read is the same when it is written and read again.
void CheckLaunch(std::string_view message) {
  Reader reader(fuzz::BytesOf(message).subspan(sizeof(Call)));
  const LaunchRequest launch = ReadLaunch(reader);
  if (!reader.IsDone()) {
    return;
  }
  std::vector<std::byte> again;
  Writer writer(&again);
  Write(writer, launch);
  Require(again.size() == message.size() - sizeof(Call), "a launch keeps its length");
  Reader second(again);
  const LaunchRequest reread = ReadLaunch(second);
  Require(second.IsDone() && reread.kernel == launch.kernel && reread.grid == launch.grid &&
              reread.block == launch.block && reread.parameters == launch.parameters &&
              reread.dynamic_shared_bytes == launch.dynamic_shared_bytes &&
              reread.cooperative == launch.cooperative,
          "a launch that is written again reads the same");
}

std::vector<Answer> Converse(fuzz::FuzzInput input) {
  StrictDevice device;
  DeviceServer server(&device, kLimits);
  std::vector<Answer> answers;
  while (!input.empty()) {
    const std::string_view message = input.Text(input.Number<std::uint16_t>());
    if (message.size() >= sizeof(Call)) {
      CheckLaunch(message);
    }
    const std::size_t asked = device.asked;
    Answer answer;
    const auto served = server.Serve(fuzz::BytesOf(message), &answer.reply);
    answer.is_malformed = !served;
    Require(served || (!served.error().empty() && device.asked == asked),
            "a malformed message is explained, and asks the device for nothing");
    Require(answer.reply.size() <= kMaxMessageBytes, "replies are limited");
    Require(!served || answer.reply.size() >= sizeof(std::int32_t), "a reply begins with a code");
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace
}  // namespace assay::gpu::remote

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const assay::fuzz::FuzzInput input(data, size);
  assay::fuzz::Require(assay::gpu::remote::Converse(input) == assay::gpu::remote::Converse(input),
                       "the same messages have the same answers");
  return 0;
}
