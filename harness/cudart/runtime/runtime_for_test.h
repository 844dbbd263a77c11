// SPDX-License-Identifier: Apache-2.0
// The runtime under test, attached to a fake device, and a program that is registered with it.
#ifndef ASSAY_CUDART_RUNTIME_RUNTIME_FOR_TEST_H_
#define ASSAY_CUDART_RUNTIME_RUNTIME_FOR_TEST_H_

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cudart/fatbin/fat_binary.h"
#include "cudart/runtime/attachment.h"
#include "emulator/core/fake_device.h"

namespace assay::gpu::runtime {

/// The device that the runtime under test is attached to, and what it was told.
FakeDevice& Fake();
std::vector<std::string>& Notices();
/// What the runtime under test is asked for; at once, and forgotten, at the start of each test.
WorkOrder& Order();
Refusals& KeptRefusals();

/// What the device has of each module of the program.
inline constexpr std::string_view kKernel = "kernel";      ///< (int, double), 96 registers.
inline constexpr std::string_view kNothing = "nothing";    ///< ().
inline constexpr std::string_view kPointer = "pointer";    ///< (void*).
inline constexpr std::string_view kVariable = "variable";  ///< 16 bytes.
inline constexpr std::string_view kManaged = "managed";    ///< 8 bytes, holds 7.
inline constexpr std::uint64_t kStaticSharedBytes = 1024;  ///< Of kKernel.

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
  static char variable[16];       ///< The host shadow of kVariable.
  static std::uint64_t* managed;  ///< Of kManaged.

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

#endif  // ASSAY_CUDART_RUNTIME_RUNTIME_FOR_TEST_H_
