// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include "cudart/runtime/runtime_for_test.h"

namespace assay::gpu::runtime {
namespace {

using StreamTest = RuntimeTest;

TEST_F(StreamTest, HasFlagsAndAPriority) {
  cudaStream_t stream = nullptr;
  int least = -1;
  int greatest = 1;
  ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_EQ(least, 0);
  EXPECT_LT(greatest, least);
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 10),
            cudaSuccess);
  unsigned flags = 0;
  int priority = 0;
  EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, 8), cudaErrorInvalidValue);
}

TEST_F(StreamTest, KnowsTheStreamsThatAreAlwaysThere) {
  for (const cudaStream_t stream : {cudaStream_t{nullptr}, cudaStreamLegacy, cudaStreamPerThread}) {
    EXPECT_EQ(Launch(1, 1, 0, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
  EXPECT_EQ(Fake().launches.size(), 3U);
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(StreamTest, CallsFunctionsWithoutHoldingOthersUp) {
  // The function makes a CUDA call, and waits for another thread's.
  std::atomic<int> calls = 0;
  const auto function = [](void* data) {
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    std::thread([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess); }).join();
    ++*static_cast<std::atomic<int>*>(data);
  };
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, function, &calls), cudaSuccess);
  EXPECT_EQ(calls, 1);
  const auto callback = [](cudaStream_t stream, cudaError_t status, void* data) {
    EXPECT_EQ(stream, cudaStreamPerThread);
    EXPECT_EQ(status, cudaSuccess);
    ++*static_cast<std::atomic<int>*>(data);
  };
  EXPECT_EQ(cudaStreamAddCallback(cudaStreamPerThread, callback, &calls, 0), cudaSuccess);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, nullptr, nullptr), cudaErrorInvalidValue);
}

TEST_F(StreamTest, TakesCallsOfManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        void* pointer = nullptr;
        const bool worked = cudaMalloc(&pointer, 64) == cudaSuccess &&
                            Launch(1, 1, 0, cudaStreamPerThread) == cudaSuccess &&
                            cudaFree(pointer) == cudaSuccess;
        failures += worked ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(Fake().launches.size(), 800U);
}

TEST_F(StreamTest, EventsTakeModelledTime) {
  Fake().outcome.modelled_time_ns = 2e6;
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  float milliseconds = 0;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(start), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(start, nullptr), cudaSuccess);
  EXPECT_EQ(Launch(1, 1), cudaSuccess);
  EXPECT_EQ(Launch(1, 1), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_NEAR(milliseconds, 4.0005F, 1e-5F);
  EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(end), cudaErrorInvalidResourceHandle);
}

TEST_F(StreamTest, EventsCountCopies) {
  // 50 MB over 50 GB/s of an H100's link, and 1 us.
  std::vector<std::byte> host(50'000'000);
  void* const device = Allocated(host.size());
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  float milliseconds = 0;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  cudaEventRecord(start, nullptr);
  EXPECT_EQ(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice), cudaSuccess);
  cudaEventRecord(end, nullptr);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_NEAR(milliseconds, 1.0015F, 1e-4F);
}

TEST_F(StreamTest, EventsWithoutTimingHaveNone) {
  cudaEvent_t event = nullptr;
  float milliseconds = 0;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event, event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, event, 0), cudaSuccess);
  EXPECT_EQ(cudaEventCreateWithFlags(&event, 0x100), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace assay::gpu::runtime
