// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <thread>

#include "cudart/runtime/runtime_for_test.h"

namespace assay::gpu::runtime {
namespace {

using ErrorTest = RuntimeTest;

TEST_F(ErrorTest, HasCudasNamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress),
               "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorUnknown), "cudaErrorUnknown");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(10)), "unrecognized error code");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(9999)), "unrecognized error code");
}

TEST_F(ErrorTest, IsKeptUntilItIsGot) {
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(0x1234)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(ErrorTest, IsOneThreadsOwn) {
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(0x1234)), cudaErrorInvalidValue);
  cudaError_t elsewhere = cudaErrorUnknown;
  std::thread([&] { elsewhere = cudaGetLastError(); }).join();
  EXPECT_EQ(elsewhere, cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(ErrorTest, OfAKernelShowsAtTheNextCallAndEachAfterIt) {
  Fake().outcome = {.error = cudaErrorIllegalAddress, .sticky = true, .detail = "fault"};
  EXPECT_EQ(Launch(1, 32), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(Launch(1, 32), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "it is told once";
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress) << "but stays";
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(Fake().launches.size(), 1U);
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaSuccess);
}

TEST_F(ErrorTest, OfALaunchIsNotSticky) {
  Fake().outcome = {.error = cudaErrorLaunchOutOfResources, .sticky = false, .detail = "why"};
  EXPECT_EQ(Launch(1, 32), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchOutOfResources);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(Notices(), ::testing::ElementsAre("kernel: why"));
}

TEST_F(ErrorTest, OfAModuleIsToldOnceByItsCause) {
  Fake().load_error = {.code = cudaErrorNotSupported, .detail = "a.cu:7: wgmma is not supported"};
  EXPECT_EQ(Launch(1, 32), cudaErrorNotSupported);
  EXPECT_EQ(Launch(1, 32), cudaErrorNotSupported);
  EXPECT_THAT(Notices(), ::testing::ElementsAre(": a.cu:7: wgmma is not supported"));
}

TEST_F(ErrorTest, OfALackingFunctionNamesIt) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc channel =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  EXPECT_EQ(cudaMallocArray(&array, &channel, 4, 4, 0), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_THAT(Notices(),
              ::testing::ElementsAre("cudaMallocArray: is not supported by the emulated GPU"));
}

// In a process of its own, since it stays until that ends.
TEST_F(ErrorTest, OfWhatIsLackingStaysWhereNobodyElseLooks) {
  const auto refuse_and_look = [] {
    const auto refuse = [] {
      cudaArray_t array = nullptr;
      const cudaChannelFormatDesc channel =
          cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
      EXPECT_EQ(cudaMallocArray(&array, &channel, 4, 4, 0), cudaErrorNotSupported);
    };
    refuse();
    EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "the program may do without it";
    KeptRefusals() = Refusals::kStay;
    refuse();
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorNotSupported);
      EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorNotSupported);
    }
    EXPECT_EQ(Launch(1, 32), cudaSuccess) << "other work goes on";
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorNotSupported) << "until the program ends";
    std::_Exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(refuse_and_look(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace assay::gpu::runtime
