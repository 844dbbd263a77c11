// SPDX-License-Identifier: Apache-2.0
// Streams and events: asynchronous copies, order within a stream, a stream that waits for another's
// event, elapsed time, callbacks, stream-ordered allocation.
#include "../common/check.h"

__global__ void AddTo(int* x, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] += value;
  }
}

int main() {
  constexpr int kSize = 1000;
  constexpr std::size_t kBytes = kSize * sizeof(int);
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  CUDA_OK(cudaStreamCreate(&first));
  CUDA_OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  int* host = nullptr;
  CUDA_OK(cudaMallocHost(reinterpret_cast<void**>(&host), kBytes));
  for (int i = 0; i < kSize; ++i) {
    host[i] = i;
  }
  const check::DeviceArray<int> x(kSize);
  cudaEvent_t start = nullptr;
  cudaEvent_t copied = nullptr;
  cudaEvent_t done = nullptr;
  CUDA_OK(cudaEventCreate(&start));
  CUDA_OK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreate(&done));

  CUDA_OK(cudaEventRecord(start, first));
  CUDA_OK(cudaMemcpyAsync(x.get(), host, kBytes, cudaMemcpyHostToDevice, first));
  AddTo<<<8, 128, 0, first>>>(x.get(), kSize, 1);
  CUDA_OK(cudaEventRecord(copied, first));
  CUDA_OK(cudaStreamWaitEvent(second, copied, 0));
  AddTo<<<8, 128, 0, second>>>(x.get(), kSize, 10);
  CUDA_OK(cudaMemcpyAsync(host, x.get(), kBytes, cudaMemcpyDeviceToHost, second));
  CUDA_OK(cudaEventRecord(done, second));
  CUDA_OK(cudaEventSynchronize(done));
  std::vector<int> want(kSize);
  for (int i = 0; i < kSize; ++i) {
    want[i] = i + 11;
  }
  check::ExpectEqual("two streams", std::vector<int>(host, host + kSize), want);
  CUDA_OK(cudaStreamSynchronize(first));
  check::ExpectError("a finished stream", cudaStreamQuery(first), cudaSuccess);
  check::ExpectError("a recorded event", cudaEventQuery(done), cudaSuccess);
  float milliseconds = -1;
  CUDA_OK(cudaEventElapsedTime(&milliseconds, start, done));
  check::Expect("time passed", milliseconds > 0 && milliseconds < 60000);
  check::ExpectError("an event without a time", cudaEventElapsedTime(&milliseconds, start, copied),
                     cudaErrorInvalidResourceHandle);
  check::ExpectError("which is no lasting error", cudaGetLastError(),
                     cudaErrorInvalidResourceHandle);

  int calls = 0;
  CUDA_OK(cudaLaunchHostFunc(first, [](void* data) { ++*static_cast<int*>(data); }, &calls));
  CUDA_OK(cudaStreamSynchronize(first));
  check::Expect("a host function in a stream", calls == 1);

  int* pooled = nullptr;
  CUDA_OK(cudaMallocAsync(reinterpret_cast<void**>(&pooled), kBytes, second));
  CUDA_OK(cudaMemsetAsync(pooled, 0, kBytes, second));
  AddTo<<<8, 128, 0, second>>>(pooled, kSize, 5);
  CUDA_OK(cudaMemcpyAsync(host, pooled, kBytes, cudaMemcpyDeviceToHost, second));
  CUDA_OK(cudaFreeAsync(pooled, second));
  CUDA_OK(cudaStreamSynchronize(second));
  check::ExpectEqual("stream-ordered memory", std::vector<int>(host, host + kSize),
                     std::vector<int>(kSize, 5));

  CUDA_OK(cudaEventDestroy(start));
  CUDA_OK(cudaEventDestroy(copied));
  CUDA_OK(cudaEventDestroy(done));
  CUDA_OK(cudaStreamDestroy(first));
  CUDA_OK(cudaStreamDestroy(second));
  CUDA_OK(cudaFreeHost(host));
  return check::Finish();
}
