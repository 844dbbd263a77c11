// SPDX-License-Identifier: Apache-2.0
// A graph: captured from a stream, instantiated, replayed; arguments are as they were at capture.
#include "../common/check.h"

__global__ void Double(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] *= 2;
  }
}
__global__ void Add(int* x, const int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] += y[i];
  }
}

int main() {
  constexpr int kSize = 200;
  std::vector<int> host(kSize, 3);
  const check::DeviceArray<int> x(host), y(kSize, 0);
  cudaStream_t stream = nullptr;
  CUDA_OK(cudaStreamCreate(&stream));
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  Double<<<2, 128, 0, stream>>>(x.get(), kSize);
  CUDA_OK(cudaMemcpyAsync(y.get(), x.get(), kSize * sizeof(int), cudaMemcpyDeviceToDevice, stream));
  Add<<<2, 128, 0, stream>>>(x.get(), y.get(), kSize);
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  check::ExpectEqual("capture runs nothing", x.Download(), host);
  std::size_t nodes = 0;
  CUDA_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  check::Expect("three nodes", nodes == 3);
  cudaGraphExec_t executable = nullptr;
  CUDA_OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  for (int replay = 0; replay < 3; ++replay) {
    CUDA_OK(cudaGraphLaunch(executable, stream));
  }
  CUDA_OK(cudaStreamSynchronize(stream));
  check::ExpectEqual("three replays", x.Download(), std::vector<int>(kSize, 3 * 4 * 4 * 4));
  CUDA_OK(cudaGraphExecDestroy(executable));
  CUDA_OK(cudaGraphDestroy(graph));
  CUDA_OK(cudaStreamDestroy(stream));
  return check::Finish();
}
