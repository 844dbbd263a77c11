// SPDX-License-Identifier: Apache-2.0
// Everything that CUDA counts as order between streams, each with work that would race without it.
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr int kSize = 256;

__global__ void Fill(int* to, int value) { to[threadIdx.x] = value; }

__global__ void Add(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] + 1; }

__global__ void Count(int* counter) { atomicAdd(counter, 1); }

struct Work {
  int* a = nullptr;
  int* b = nullptr;
  cudaStream_t blocking = nullptr;
  cudaStream_t other_blocking = nullptr;
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  cudaStream_t third = nullptr;
};

/// Writes a on `writer`, reads it on `reader` behind what `order` does.
template <class Order>
void Ordered(const char* name, const Work& work, cudaStream_t writer, cudaStream_t reader,
             Order order) {
  Fill<<<1, kSize, 0, writer>>>(work.a, 3);
  order();
  Add<<<1, kSize, 0, reader>>>(work.a, work.b);
  cudaDeviceSynchronize();
  int last = 0;
  cudaMemcpy(&last, work.b + kSize - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%s %s\n", last == 4 ? "ok" : "FAILED", name);
}

void ByEvents(const Work& work) {
  cudaEvent_t event;
  cudaEvent_t next;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&next, cudaEventDisableTiming);
  Ordered("an event", work, work.first, work.second, [&] {
    cudaEventRecord(event, work.first);
    cudaStreamWaitEvent(work.second, event, 0);
  });
  Ordered("a chain of events", work, work.first, work.second, [&] {
    cudaEventRecord(event, work.first);
    cudaStreamWaitEvent(work.third, event, 0);
    cudaEventRecord(next, work.third);
    cudaStreamWaitEvent(work.second, next, 0);
  });
  Ordered("the host waits for an event", work, work.first, work.second, [&] {
    cudaEventRecord(event, work.first);
    cudaEventSynchronize(event);
  });
  Ordered("the host asks for an event", work, work.first, work.second, [&] {
    cudaEventRecord(event, work.first);
    while (cudaEventQuery(event) == cudaErrorNotReady) {
    }
  });
  cudaEventDestroy(event);
  cudaEventDestroy(next);
}

void ByTheHost(const Work& work) {
  Ordered("the host waits for the stream", work, work.first, work.second,
          [&] { cudaStreamSynchronize(work.first); });
  Ordered("the host waits for the device", work, work.first, work.second,
          [] { cudaDeviceSynchronize(); });
  Ordered("the host asks for the stream", work, work.first, work.second, [&] {
    while (cudaStreamQuery(work.first) == cudaErrorNotReady) {
    }
  });
  Ordered("memory is freed", work, work.first, work.second, [] {
    void* memory = nullptr;
    cudaMalloc(&memory, 16);
    cudaFree(memory);
  });
  Ordered("a copy to pageable memory on its stream", work, work.first, work.second, [&] {
    int seen = 0;
    cudaMemcpyAsync(&seen, work.a, sizeof seen, cudaMemcpyDeviceToHost, work.first);
  });
}

void ByTheDefaultStream(const Work& work) {
  Ordered("the default stream behind a blocking one", work, work.blocking, nullptr, [] {});
  Ordered("a blocking stream behind the default one", work, nullptr, work.blocking, [] {});
  Ordered("two blocking streams around the default one", work, work.blocking, work.other_blocking,
          [&] { Fill<<<1, 1>>>(work.b, 0); });
  Ordered("a copy by the default stream", work, work.blocking, work.second, [&] {
    int seen = 0;
    cudaMemcpy(&seen, work.a, sizeof seen, cudaMemcpyDeviceToHost);
  });
}

void ByMemory(const Work& work) {
  // Memory of a pool that one stream gives back and another is given.
  for (int round = 0; round < 3; ++round) {
    for (cudaStream_t stream : {work.first, work.second}) {
      int* memory = nullptr;
      cudaMallocAsync(&memory, kSize * sizeof *memory, stream);
      Fill<<<1, kSize, 0, stream>>>(memory, round);
      cudaFreeAsync(memory, stream);
    }
  }
  // Counting together needs no order.
  cudaMemset(work.a, 0, sizeof *work.a);
  cudaDeviceSynchronize();
  Count<<<2, 32, 0, work.first>>>(work.a);
  Count<<<2, 32, 0, work.second>>>(work.a);
  cudaDeviceSynchronize();
  int count = 0;
  cudaMemcpy(&count, work.a, sizeof count, cudaMemcpyDeviceToHost);
  std::printf("%s counted together\n", count == 128 ? "ok" : "FAILED");
}

}  // namespace

int main() {
  Work work;
  cudaMalloc(&work.a, kSize * sizeof *work.a);
  cudaMalloc(&work.b, kSize * sizeof *work.b);
  cudaStreamCreate(&work.blocking);
  cudaStreamCreate(&work.other_blocking);
  for (cudaStream_t* stream : {&work.first, &work.second, &work.third}) {
    cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  }
  ByEvents(work);
  ByTheHost(work);
  ByTheDefaultStream(work);
  ByMemory(work);
  for (cudaStream_t stream :
       {work.blocking, work.other_blocking, work.first, work.second, work.third}) {
    cudaStreamDestroy(stream);
  }
  cudaFree(work.a);
  cudaFree(work.b);
  return 0;
}
