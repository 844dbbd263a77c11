// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "cudart/runtime/runtime_for_test.h"

extern "C" char __cudaInitModule(void** handle);

namespace assay::gpu::runtime {
namespace {

using ManagedTest = RuntimeTest;

/// A kernel that adds one to the int that its pointer names.
void Increment(FakeDevice& device, const LaunchRequest& request) {
  std::uint64_t address = 0;
  std::memcpy(&address, request.parameters.data(), sizeof address);
  int value = 0;
  ASSERT_TRUE(device.CopyFromDevice(std::as_writable_bytes(std::span(&value, 1)), address));
  ++value;
  ASSERT_TRUE(device.CopyToDevice(address, std::as_bytes(std::span(&value, 1))));
}

cudaError_t LaunchWith(const void* kernel, void* pointer) {
  void* arguments[] = {&pointer};
  return cudaLaunchKernel(kernel, 1, 1, arguments, 0, nullptr);
}

TEST_F(ManagedTest, IsOnePointerForHostAndDevice) {
  Fake().on_launch = Increment;
  int* pointer = nullptr;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&pointer), 4096 * 3, cudaMemAttachGlobal),
            cudaSuccess);
  EXPECT_EQ(pointer[0], 0);
  pointer[3071] = 41;
  EXPECT_EQ(LaunchWith(pointer_kernel(), &pointer[3071]), cudaSuccess);
  EXPECT_EQ(pointer[3071], 42);
  EXPECT_EQ(cudaMemset(pointer, 1, 4), cudaSuccess);
  EXPECT_EQ(pointer[0], 0x01010101);
  int out = 0;
  EXPECT_EQ(cudaMemcpy(&out, &pointer[3071], sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, 42);
  EXPECT_EQ(cudaMemcpy(&pointer[3070], &pointer[3071], 8, cudaMemcpyDefault),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(&pointer[3071], 0, 5), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(Fake().live_allocations(), 2U);  // The module's variables.
}

// Pages that the device shares are not copied for a launch; what lies on pages of several is.
TEST_F(ManagedTest, LaunchesCopyWhatIsNotShared) {
  Fake().says_it_shares = true;
  constexpr std::size_t kBytes = 4096 * 5;
  char* pointer = nullptr;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&pointer), kBytes, cudaMemAttachGlobal),
            cudaSuccess);
  std::memset(pointer, 'x', kBytes);
  std::string seen(kBytes, '\0');
  Fake().on_launch = [&](FakeDevice& device, const LaunchRequest&) {
    ASSERT_TRUE(device.CopyFromDevice(std::as_writable_bytes(std::span(seen)),
                                      std::bit_cast<std::uint64_t>(pointer)));
  };
  EXPECT_EQ(LaunchWith(pointer_kernel(), pointer), cudaSuccess);
  Fake().says_it_shares = false;
  EXPECT_EQ(seen.front(), 'x');
  EXPECT_EQ(seen.back(), 'x');
  EXPECT_EQ(std::ranges::count(seen, '\0'), 4096 * 4);
  EXPECT_EQ(pointer[kBytes / 2], 'x');
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
}

TEST_F(ManagedTest, SharesPages) {
  std::vector<char*> pointers(20);
  for (char*& pointer : pointers) {
    ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&pointer), 300, cudaMemAttachGlobal),
              cudaSuccess);
    pointer[299] = 'x';
  }
  for (std::size_t i = 0; i < pointers.size(); i += 2) {
    EXPECT_EQ(cudaFree(pointers[i]), cudaSuccess);
  }
  for (std::size_t i = 1; i < pointers.size(); i += 2) {
    EXPECT_EQ(pointers[i][299], 'x');
    EXPECT_EQ(cudaFree(pointers[i]), cudaSuccess);
  }
}

TEST_F(ManagedTest, VariableHasItsInitialValue) {
  EXPECT_EQ(__cudaInitModule(binary_), 1);
  ASSERT_NE(managed, nullptr);
  EXPECT_EQ(*managed, 7U);
  std::uint64_t in = 8;
  EXPECT_EQ(cudaMemcpyToSymbol(managed, &in, sizeof in, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(*managed, 8U);
}

TEST_F(ManagedTest, TakesAdviceForManagedMemoryAlone) {
  void* pointer = nullptr;
  ASSERT_EQ(cudaMallocManaged(&pointer, 64, cudaMemAttachGlobal), cudaSuccess);
  [[maybe_unused]] void* const device = Allocated(64);
  [[maybe_unused]] const cudaMemLocation home{.type = cudaMemLocationTypeDevice, .id = 0};
#if CUDART_VERSION >= 13000
  EXPECT_EQ(cudaMemPrefetchAsync(pointer, 64, home, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(pointer, 65, home, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(device, 64, home, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemAdvise(pointer, 64, cudaMemAdviseSetReadMostly, home), cudaSuccess);
#endif
  EXPECT_EQ(cudaMallocManaged(&pointer, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&pointer, 4, 99), cudaErrorInvalidValue);
}

TEST_F(ManagedTest, PinnedMemoryIsSeenByKernels) {
  Fake().on_launch = Increment;
  int* host = nullptr;
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&host), 64, cudaHostAllocMapped), cudaSuccess);
  host[2] = 10;
  void* device = nullptr;
  ASSERT_EQ(cudaHostGetDevicePointer(&device, &host[2], 0), cudaSuccess);
  EXPECT_EQ(LaunchWith(pointer_kernel(), device), cudaSuccess);
  EXPECT_EQ(host[2], 11);
  EXPECT_EQ(LaunchWith(pointer_kernel(), &host[2]), cudaSuccess);  // Unified addressing.
  EXPECT_EQ(host[2], 12);
  int out = 0;
  EXPECT_EQ(cudaMemcpy(&out, device, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, 12);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
  EXPECT_EQ(Fake().live_allocations(), 2U);
}

TEST_F(ManagedTest, RegisteredMemoryIsSeenByKernels) {
  Fake().on_launch = Increment;
  std::vector<int> host(16, 1);
  ASSERT_EQ(cudaHostRegister(host.data(), 64, cudaHostRegisterDefault), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(&host[2], 8, cudaHostRegisterDefault),
            cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(LaunchWith(pointer_kernel(), host.data()), cudaSuccess);
  EXPECT_EQ(host[0], 2);
  EXPECT_EQ(cudaFreeHost(host.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaErrorHostMemoryNotRegistered);
}

}  // namespace
}  // namespace assay::gpu::runtime
