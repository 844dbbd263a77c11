// SPDX-License-Identifier: Apache-2.0
// Streams as late as legal: what is done, when, and in what order.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <iterator>
#include <thread>
#include <vector>

#include "cudart/runtime/cuda11_test.h"
#include "cudart/runtime/runtime_for_test.h"

namespace assay::gpu::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Kernels are launched with a number as their first argument; `ran` has those that ran.
class LateTest : public RuntimeTest {
 protected:
  LateTest() {
    Order() = WorkOrder::kAsLateAsLegal;
    Fake().on_launch = [this](FakeDevice&, const LaunchRequest& request) {
      int number = 0;
      std::memcpy(&number, request.parameters.data(), sizeof number);
      ran.push_back(number);
    };
    EXPECT_EQ(cudaStreamCreate(&a), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&b), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
  }

  static cudaError_t Run(int number, cudaStream_t stream) {
    double second = 0;
    void* arguments[] = {&number, &second};
    return cudaLaunchKernel(kernel(), 1, 1, arguments, 0, stream);
  }
  /// The first byte of device memory, when everything else is left as it is.
  static int FirstByte(const void* device) {
    std::byte value{};
    EXPECT_TRUE(Fake().CopyFromDevice({&value, 1}, std::bit_cast<std::uint64_t>(device)));
    return std::to_integer<int>(value);
  }

  static std::byte* Pinned() {
    void* pinned = nullptr;
    EXPECT_EQ(cudaMallocHost(&pinned, 1), cudaSuccess);
    return static_cast<std::byte*>(pinned);
  }

  std::vector<int> ran;
  cudaStream_t a = nullptr;
  cudaStream_t b = nullptr;
  cudaStream_t apart = nullptr;
  cudaEvent_t event = nullptr;
};

TEST_F(LateTest, WorkOnASideStreamIsNotDoneByAnother) {
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(Run(2, b), cudaSuccess);
  EXPECT_EQ(Run(3, a), cudaSuccess);
  EXPECT_THAT(ran, IsEmpty());
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 3));
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 3, 2));
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 3, 2));
}

TEST_F(LateTest, AtOnceWhereNobodyAsksForMore) {
  Order() = WorkOrder::kAtOnce;
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(Run(2, apart), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 2));
  EXPECT_EQ(cudaStreamQuery(a), cudaSuccess);
}

TEST_F(LateTest, LegacyStreamAndBlockingStreamsWaitForEachOther) {
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(Run(2, apart), cudaSuccess);
  EXPECT_EQ(Run(3, nullptr), cudaSuccess);
  EXPECT_EQ(Run(4, b), cudaSuccess);
  EXPECT_EQ(Run(5, a), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 3, 4));
  EXPECT_EQ(cudaStreamSynchronize(apart), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 3, 4, 2));
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 3, 4, 2, 5));
}

/// A stream that joins another did not wait for it before: what the other does comes as early as
/// it may, and both streams keep their own order.
TEST_F(LateTest, WhatIsNotOrderedGoesLatestFirst) {
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(Run(2, a), cudaSuccess);
  EXPECT_EQ(Run(3, apart), cudaSuccess);
  EXPECT_EQ(Run(4, apart), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, apart), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(a, event, 0), cudaSuccess);
  EXPECT_EQ(Run(5, a), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(3, 4, 1, 2, 5));
}

TEST_F(LateTest, AllGoesLatestFirstBehindWhatItWaitsFor) {
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(Run(2, b), cudaSuccess);
  EXPECT_EQ(Run(3, nullptr), cudaSuccess);
  EXPECT_EQ(Run(4, apart), cudaSuccess);
  EXPECT_EQ(Run(5, a), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(4, 2, 1, 3, 5));
}

TEST_F(LateTest, ThreadsOwnStreamIsABlockingOne) {
  EXPECT_EQ(Run(1, cudaStreamPerThread), cudaSuccess);
  EXPECT_EQ(Run(2, nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 2));
}

TEST_F(LateTest, EventsChainStreams) {
  cudaEvent_t second = nullptr;
  ASSERT_EQ(cudaEventCreate(&second), cudaSuccess);
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, a), cudaSuccess);
  EXPECT_EQ(Run(2, a), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(b, event, 0), cudaSuccess);
  EXPECT_EQ(Run(3, b), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(second, b), cudaSuccess);
  // Nothing but the wait is on this stream: synchronising it waits for the event.
  EXPECT_EQ(cudaStreamWaitEvent(apart, second, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(apart), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 3));
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 3, 2));
}

TEST_F(LateTest, WaitIsForTheRecordBeforeIt) {
  EXPECT_EQ(cudaStreamWaitEvent(b, event, 0), cudaSuccess);  // Never recorded: for nothing.
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, a), cudaSuccess);
  EXPECT_EQ(Run(2, b), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(2));
  EXPECT_EQ(cudaStreamWaitEvent(b, event, 0), cudaSuccess);
  EXPECT_EQ(Run(3, apart), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, apart), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(2, 1));
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(2, 1, 3));
}

TEST_F(LateTest, EventsHaveTheirTimesWhenTheyAreDone) {
  cudaEvent_t end = nullptr;
  float milliseconds = 0;
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  Fake().outcome.modelled_time_ns = 2e6;
  EXPECT_EQ(cudaEventRecord(event, a), cudaSuccess);
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(end, a), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event, end), cudaErrorNotReady);
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event, end), cudaSuccess);
  EXPECT_NEAR(milliseconds, 2.0005F, 1e-4F);
}

TEST_F(LateTest, DestroyedEventsAndStreamsDropNoWork) {
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, a), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(b, event, 0), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);  // Perhaps where the other one was.
  EXPECT_EQ(cudaStreamDestroy(a), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1));
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event, event), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(Run(2, b), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(b), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 2));
}

TEST_F(LateTest, ProgramsThatPollGetOn) {
  EXPECT_EQ(cudaStreamQuery(a), cudaSuccess);
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(Run(2, a), cudaSuccess);
  EXPECT_EQ(Run(3, b), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(a), cudaErrorNotReady);
  EXPECT_THAT(ran, ElementsAre(1));
  EXPECT_EQ(cudaStreamQuery(a), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(a), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 2));
  EXPECT_EQ(cudaEventRecord(event, b), cudaSuccess);
  int polls = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady && polls < 10) {
    ++polls;
  }
  EXPECT_EQ(polls, 2);
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

TEST_F(LateTest, ParametersAreThoseOfTheCall) {
  int number = 1;
  double second = 0;
  void* arguments[] = {&number, &second};
  EXPECT_EQ(cudaLaunchKernel(kernel(), 1, 1, arguments, 0, a), cudaSuccess);
  number = 9;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1));
}

// ---- Copies and memory --------------------------------------------------------------------------

TEST_F(LateTest, PageableMemoryIsReadAtTheCallAndPinnedMemoryWhenCopied) {
  auto* const device = static_cast<std::byte*>(Allocated(64));
  std::byte pageable{1};
  std::byte* const pinned = Pinned();
  *pinned = std::byte{1};
  EXPECT_EQ(cudaMemcpyAsync(device, &pageable, 1, cudaMemcpyHostToDevice, a), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(device + 1, pinned, 1, cudaMemcpyHostToDevice, a), cudaSuccess);
  pageable = std::byte{2};
  *pinned = std::byte{2};
  EXPECT_NE(FirstByte(device), 1);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_EQ(FirstByte(device), 1);
  EXPECT_EQ(FirstByte(device + 1), 2);
}

TEST_F(LateTest, CopiesToPageableMemoryAreDoneWhenTheyReturn) {
  void* const device = Allocated(64);
  std::byte pageable{};
  std::byte* const pinned = Pinned();
  *pinned = std::byte{};
  EXPECT_EQ(cudaMemsetAsync(device, 5, 64, apart), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(pinned, device, 1, cudaMemcpyDeviceToHost, apart), cudaSuccess);
  EXPECT_EQ(*pinned, std::byte{});
  EXPECT_EQ(cudaMemcpyAsync(&pageable, device, 1, cudaMemcpyDeviceToHost, apart), cudaSuccess);
  EXPECT_EQ(pageable, std::byte{5});
  EXPECT_EQ(*pinned, std::byte{5});
}

TEST_F(LateTest, CopiesOfTheHostAreOrderedByTheLegacyStream) {
  void* const device = Allocated(64);
  std::byte value{};
  EXPECT_EQ(cudaMemsetAsync(device, 5, 64, a), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(device, 6, 64, apart), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(&value, device, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, std::byte{5});
  EXPECT_EQ(cudaStreamSynchronize(apart), cudaSuccess);
  EXPECT_EQ(FirstByte(device), 6);
}

TEST_F(LateTest, FillsAndCopiesOnTheDeviceDoNotHoldTheHostUp) {
  auto* const device = static_cast<std::byte*>(Allocated(64));
  EXPECT_EQ(cudaMemset(device, 1, 64), cudaSuccess);
  EXPECT_EQ(cudaMemset(device, 7, 32), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device + 32, device, 32, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_NE(FirstByte(device), 7);
  EXPECT_EQ(Run(1, apart), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(apart), cudaSuccess);
  EXPECT_NE(FirstByte(device), 7);
  EXPECT_EQ(Run(2, a), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_EQ(FirstByte(device), 7);
  EXPECT_EQ(FirstByte(device + 32), 7);
}

TEST_F(LateTest, SymbolsAreCopiedWhenTheCallReturns) {
  std::array<char, sizeof variable> read{};
  EXPECT_EQ(cudaMemcpyToSymbol(variable, "123456789012345", sizeof variable), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(read.data(), variable, sizeof variable), cudaSuccess);
  EXPECT_STREQ(read.data(), "123456789012345");
}

TEST_F(LateTest, FreeingWaitsForAllStreams) {
  void* const device = Allocated(64);
  EXPECT_EQ(Run(1, apart), cudaSuccess);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_THAT(ran, IsEmpty());
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1));
}

TEST_F(LateTest, StreamOrderedFreesKeepTheirPlace) {
  void* device = nullptr;
  ASSERT_EQ(cudaMallocAsync(&device, 64, a), cudaSuccess);
  EXPECT_EQ(Run(0, b), cudaSuccess);  // Loads the module, with its variables.
  const std::size_t live = Fake().live_allocations();
  EXPECT_EQ(cudaMemsetAsync(device, 1, 64, a), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(device, a), cudaSuccess);
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(Fake().live_allocations(), live);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_EQ(Fake().live_allocations(), live - 1);
  EXPECT_EQ(cudaFreeAsync(device, a), cudaErrorInvalidValue);
}

// ---- Graphs and host functions ------------------------------------------------------------------

TEST_F(LateTest, GraphsAreQueuedAsTheyWereWhenLaunched) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(Run(2, a), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(a, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_THAT(ran, IsEmpty());
  EXPECT_EQ(Run(3, b), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, b), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_THAT(ran, IsEmpty());
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(3, 1, 2));
}

TEST_F(LateTest, HostFunctionsRunAtTheirPlace) {
  EXPECT_EQ(Run(1, a), cudaSuccess);
  const auto function = [](void* data) { static_cast<std::vector<int>*>(data)->push_back(100); };
  EXPECT_EQ(cudaLaunchHostFunc(a, function, &ran), cudaSuccess);
  EXPECT_EQ(Run(2, a), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(1, 100, 2));
}

TEST_F(LateTest, HostFunctionMayNotWaitForItself) {
  cudaError_t error = cudaSuccess;
  const auto function = [](void* data) {
    *static_cast<cudaError_t*>(data) = cudaDeviceSynchronize();
  };
  EXPECT_EQ(cudaLaunchHostFunc(a, function, &error), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_EQ(error, cudaErrorNotPermitted);
}

TEST_F(LateTest, WhatIsBehindAHostFunctionWaitsForIt) {
  struct Shared {
    std::atomic<bool> started = false;
    std::atomic<bool> go_on = false;
  } shared;
  const auto function = [](void* data) {
    auto& both = *static_cast<Shared*>(data);
    both.started = true;
    both.started.notify_one();
    both.go_on.wait(false);
  };
  EXPECT_EQ(cudaLaunchHostFunc(a, function, &shared), cudaSuccess);
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(Run(2, b), cudaSuccess);
  std::thread first([&] { EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess); });
  shared.started.wait(false);
  EXPECT_EQ(cudaStreamQuery(a), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_THAT(ran, ElementsAre(2));
  std::thread second([&] { EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess); });
  shared.go_on = true;
  shared.go_on.notify_one();
  first.join();
  second.join();
  EXPECT_THAT(ran, ElementsAre(2, 1));
}

// ---- Errors -------------------------------------------------------------------------------------

TEST_F(LateTest, FaultsShowWhenSomethingWaits) {
  Fake().outcome = {.error = cudaErrorIllegalAddress, .sticky = true};
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(Run(2, a), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaErrorIllegalAddress);
  EXPECT_THAT(ran, ElementsAre(1));
  EXPECT_EQ(Run(3, b), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST_F(LateTest, BadCallsFailAtTheCall) {
  void* const device = Allocated(64);
  std::vector<std::byte> host(65);
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(device, host.data(), 65, cudaMemcpyHostToDevice, a),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemsetAsync(device, 0, 65, a), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemsetAsync(host.data(), 0, 65, a), cudaErrorInvalidValue);
  EXPECT_EQ(Launch(1, 2000, 0, a), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
}

TEST_F(LateTest, LaunchesWithoutEndAreDoneInTheEnd) {
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(Run(i, i % 2 == 0 ? a : apart), cudaSuccess);
  }
  EXPECT_EQ(ran.size(), 2000U - 1024U);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(ran.size(), 2000U);
  for (const int parity : {0, 1}) {
    std::vector<int> of_stream;
    std::ranges::copy_if(ran, std::back_inserter(of_stream),
                         [parity](int number) { return number % 2 == parity; });
    EXPECT_TRUE(std::ranges::is_sorted(of_stream));
  }
}

TEST_F(LateTest, WhatIsQueuedAtAResetNeverHappens) {
  EXPECT_EQ(Run(1, a), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(ran, IsEmpty());
}

}  // namespace
}  // namespace assay::gpu::runtime
