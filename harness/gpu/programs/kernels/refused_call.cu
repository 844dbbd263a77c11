// SPDX-License-Identifier: Apache-2.0
// A call that the emulated GPU refuses and a program that does not look: the refusal stays, so that
// whoever waits for the device is told. A GPU does the call, and tells of no error.
// FINDINGS: any
#include "../common/check.h"

__global__ void Store(int* x) { x[threadIdx.x] = 1; }

int main() {
  const check::DeviceArray<int> x(32, 0);
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const cudaError_t refused = cudaMallocArray(&array, &format, 16, 16);
  check::Expect("it is done, or refused as not supported",
                refused == cudaSuccess || refused == cudaErrorNotSupported);
  check::Expect("which the last error says", cudaGetLastError() == refused);
  Store<<<1, 32>>>(x.get());
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  cudaEventRecord(event);
  check::Expect("and the next", cudaGetLastError() == refused);
  check::Expect("and whoever waits for the device", cudaDeviceSynchronize() == refused);
  check::Expect("or a stream", cudaStreamSynchronize(nullptr) == refused);
  check::Expect("or an event", cudaEventSynchronize(event) == refused);
  check::Expect("while other work goes on", x.Download() == std::vector<int>(32, 1));
  cudaEventDestroy(event);
  if (refused == cudaSuccess) {
    cudaFreeArray(array);
  }
  return check::Finish();
}
