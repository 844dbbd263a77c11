// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_FAKE_DEVICE_H_
#define ASSAY_CUDART_RUNTIME_FAKE_DEVICE_H_

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cudart/fatbin/fat_binary.h"
#include "cudart/runtime/attachment.h"
#include "emulator/core/device_link.h"

namespace assay::gpu::runtime {

/// A device that keeps memory in a map, knows two kernels and one variable of each module, and
/// remembers launches. Addresses are such as a real device has, and nothing is mapped there.
class FakeDevice : public DeviceLink {
 public:
  static constexpr std::string_view kKernel = "kernel";      ///< (int, double), 96 registers.
  static constexpr std::string_view kNothing = "nothing";    ///< ().
  static constexpr std::string_view kPointer = "pointer";    ///< (void*).
  static constexpr std::string_view kVariable = "variable";  ///< 16 bytes.
  static constexpr std::string_view kManaged = "managed";    ///< 8 bytes, holds 7.
  static constexpr std::uint64_t kStaticSharedBytes = 1024;  ///< Of kKernel.

  const GpuModel& model() const override { return model_; }
  DeviceResult<ModuleId> LoadModule(
      std::string_view ptx,
      std::span<const std::pair<std::string, std::uint32_t>> registers_per_thread) override;
  DeviceStatus UnloadModule(ModuleId module) override;
  DeviceResult<KernelInfo> FindKernel(ModuleId module, std::string_view name) override;
  DeviceResult<DeviceVariable> FindVariable(ModuleId module, std::string_view name) override;
  DeviceResult<std::uint64_t> Allocate(std::uint64_t size_bytes) override;
  DeviceStatus Free(std::uint64_t address) override;
  DeviceStatus CopyToDevice(std::uint64_t to, std::span<const std::byte> from) override;
  DeviceStatus CopyFromDevice(std::span<std::byte> to, std::uint64_t from) override;
  DeviceStatus CopyOnDevice(std::uint64_t to, std::uint64_t from,
                            std::uint64_t size_bytes) override;
  DeviceStatus Fill(std::uint64_t to, std::span<const std::byte> pattern,
                    std::uint64_t count) override;
  std::optional<DeviceVariable> AllocationOf(std::uint64_t address) override;
  MemoryInfo Memory() override;
  LaunchOutcome Launch(const LaunchRequest& request) override;
  bool ShareWithHost(std::uint64_t /*address*/, std::uint64_t /*size_bytes*/) override {
    return says_it_shares;
  }

  /// What a kernel of the test does; the device to read and write memory.
  std::function<void(FakeDevice&, const LaunchRequest&)> on_launch;
  LaunchOutcome outcome;  ///< Of the next launches.
  std::vector<LaunchRequest> launches;
  std::vector<std::string> modules;  ///< PTX given to LoadModule.
  std::optional<DeviceError> load_error;
  bool says_it_shares = false;  ///< Though its memory is its own: what is not copied shows.
  std::size_t live_allocations() const { return memory_.size(); }

 private:
  /// Bytes from an address to the end of what holds it; empty: nothing holds it.
  std::span<std::byte> At(std::uint64_t address);

  GpuModel model_ = H100();
  std::map<std::uint64_t, std::vector<std::byte>> memory_;
  std::map<std::string, std::uint64_t, std::less<>> variables_;
  std::uint64_t next_address_ = 0x20'0000'0000 + 0x200;  // Not at a page's start.
};

/// The device that the runtime under test is attached to, and what it was told.
FakeDevice& Fake();
std::vector<std::string>& Notices();
/// What the runtime under test is asked for; at once, and forgotten, at the start of each test.
WorkOrder& Order();
Refusals& KeptRefusals();

/// Starts each test from a device that was just reset, with a program registered: its kernels by
/// the addresses below.
class RuntimeTest : public ::testing::Test {
 protected:
  RuntimeTest();
  ~RuntimeTest() override;

  static const void* kernel();
  static const void* nothing();
  static const void* pointer_kernel();
  static const void* unknown();
  static char variable[16];       ///< The host shadow of FakeDevice::kVariable.
  static std::uint64_t* managed;  ///< Of FakeDevice::kManaged.

  /// Launches kernel() with fitting arguments.
  static cudaError_t Launch(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                            cudaStream_t stream = nullptr);
  /// As code that nvcc 13 compiles does.
  static void* Allocated(std::size_t size_bytes);

  /// Makes the program one whose fat binary has PTX of `version`, in the place of what it was.
  void Register(const PtxVersion& version);
  void Unregister();
  /// Another fat binary of the program, without a kernel.
  static void** RegisterEmpty(const PtxVersion& version);

  void** binary_ = nullptr;
};

/// The PTX that the nvcc of the headers which this test is compiled with writes.
PtxVersion PtxOfTheseHeaders();

/// A fat binary as nvcc writes it, with uncompressed PTX of `arch`.
std::vector<std::byte> FatBinaryOf(std::string_view ptx, std::uint32_t arch,
                                   const PtxVersion& version);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_FAKE_DEVICE_H_
