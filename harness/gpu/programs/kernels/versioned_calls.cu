// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA 11, 12 and 13 have by one name with other parameters or structures, each as
// the version at hand declares it. Structures lie between guards, so that one written past its end
// shows.
#include <cstring>

#include "../common/check.h"

#if CUDART_VERSION >= 13000
#define EDGES(count) nullptr, count
#else
#define EDGES(count) count
#endif

template <class T>
struct Guarded {
  Guarded() {
    std::memset(before, kGuard, sizeof before);
    std::memset(after, kGuard, sizeof after);
  }
  bool IsIntact() const {
    for (std::size_t i = 0; i < sizeof before; ++i) {
      if (before[i] != kGuard || after[i] != kGuard) {
        return false;
      }
    }
    return true;
  }
  static constexpr unsigned char kGuard = 0xA5;
  unsigned char before[512];
  T value{};
  unsigned char after[512];
};

__global__ void Increment(int* x) { *x += 1; }

int Attribute(cudaDeviceAttr attribute) {
  int value = -1;
  CUDA_OK(cudaDeviceGetAttribute(&value, attribute, 0));
  return value;
}

void Structures() {
  Guarded<cudaDeviceProp> properties;
  CUDA_OK(cudaGetDeviceProperties(&properties.value, 0));
  check::Expect("properties end where they should", properties.IsIntact());
  const cudaDeviceProp& p = properties.value;
  check::Expect("first properties", p.warpSize == 32 &&
                                        p.major == Attribute(cudaDevAttrComputeCapabilityMajor) &&
                                        p.name[0] != '\0');
  check::Expect("middle properties",
                p.multiProcessorCount == Attribute(cudaDevAttrMultiProcessorCount) &&
                    p.l2CacheSize == Attribute(cudaDevAttrL2CacheSize) && p.managedMemory == 1);
  check::Expect(
      "last properties",
      p.maxBlocksPerMultiProcessor == Attribute(cudaDevAttrMaxBlocksPerMultiprocessor) &&
          p.sharedMemPerBlockOptin ==
              static_cast<std::size_t>(Attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) &&
          p.reservedSharedMemPerBlock ==
              static_cast<std::size_t>(Attribute(cudaDevAttrReservedSharedMemoryPerBlock)));
  Guarded<cudaFuncAttributes> attributes;
  CUDA_OK(cudaFuncGetAttributes(&attributes.value, Increment));
  check::Expect("attributes of a kernel",
                attributes.IsIntact() && attributes.value.maxThreadsPerBlock == 1024);
  int* device = nullptr;
  CUDA_OK(cudaMalloc(&device, sizeof *device));
  Guarded<cudaPointerAttributes> pointer;
  CUDA_OK(cudaPointerGetAttributes(&pointer.value, device));
  check::Expect("attributes of a pointer", pointer.IsIntact() &&
                                               pointer.value.type == cudaMemoryTypeDevice &&
                                               pointer.value.devicePointer == device);
  CUDA_OK(cudaFree(device));
}

cudaGraphExec_t Instantiate(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
#if CUDART_VERSION >= 12000
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
#else
  cudaGraphNode_t error = nullptr;
  char text[64] = "";
  CUDA_OK(cudaGraphInstantiate(&exec, graph, &error, text, sizeof text));
#endif
  return exec;
}

bool Update(cudaGraphExec_t exec, cudaGraph_t graph) {
#if CUDART_VERSION >= 12000
  Guarded<cudaGraphExecUpdateResultInfo> info;
  CUDA_OK(cudaGraphExecUpdate(exec, graph, &info.value));
  return info.IsIntact() && info.value.result == cudaGraphExecUpdateSuccess;
#else
  cudaGraphNode_t error = nullptr;
  Guarded<cudaGraphExecUpdateResult> result;
  CUDA_OK(cudaGraphExecUpdate(exec, graph, &error, &result.value));
  return result.IsIntact() && result.value == cudaGraphExecUpdateSuccess;
#endif
}

void Graphs(int* x) {
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaGraphCreate(&graph, 0));
  void* arguments[] = {&x};
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(Increment);
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  cudaGraphNode_t nodes[2] = {};
  CUDA_OK(cudaGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &parameters));
  CUDA_OK(cudaGraphAddKernelNode(&nodes[1], graph, nullptr, 0, &parameters));
  CUDA_OK(cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], EDGES(1)));
  cudaGraphNode_t from = nullptr;
  cudaGraphNode_t to = nullptr;
  std::size_t count = 1;
  CUDA_OK(cudaGraphGetEdges(graph, &from, &to, EDGES(&count)));
  check::Expect("one edge", count == 1 && from == nodes[0] && to == nodes[1]);
  std::size_t before = 0;
  std::size_t behind = 0;
  CUDA_OK(cudaGraphNodeGetDependencies(nodes[1], nullptr, EDGES(&before)));
  CUDA_OK(cudaGraphNodeGetDependentNodes(nodes[0], nullptr, EDGES(&behind)));
  check::Expect("told from both ends", before == 1 && behind == 1);
  cudaGraphExec_t exec = Instantiate(graph);
  CUDA_OK(cudaGraphLaunch(exec, nullptr));
  CUDA_OK(cudaDeviceSynchronize());
  check::Expect("a graph runs", *x == 2);
  check::Expect("a graph is updated", Update(exec, graph));
  CUDA_OK(cudaGraphRemoveDependencies(graph, &nodes[0], &nodes[1], EDGES(1)));
  CUDA_OK(cudaGraphGetEdges(graph, nullptr, nullptr, EDGES(&count)));
  check::Expect("no edge", count == 0);
  CUDA_OK(cudaGraphExecDestroy(exec));
  CUDA_OK(cudaGraphDestroy(graph));
}

void Captures() {
  cudaStream_t stream = nullptr;
  CUDA_OK(cudaStreamCreate(&stream));
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
#if CUDART_VERSION >= 12000
  cudaGraph_t of_capture = nullptr;
  std::size_t count = 1;
#if CUDART_VERSION >= 13000
  CUDA_OK(cudaStreamGetCaptureInfo(stream, &status, &id, &of_capture, nullptr, nullptr, &count));
#else
  CUDA_OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &of_capture, nullptr, &count));
#endif
  check::Expect("a capture's graph", of_capture != nullptr && count == 0);
#else
  CUDA_OK(cudaStreamGetCaptureInfo(stream, &status, &id));
  check::Expect("a capture's graph", true);
#endif
  check::Expect("a capture's status", status == cudaStreamCaptureStatusActive && id != 0);
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  CUDA_OK(cudaGraphDestroy(graph));
  CUDA_OK(cudaStreamDestroy(stream));
}

void Managed(int* x) {
#if CUDART_VERSION >= 13000
  const cudaMemLocation place{cudaMemLocationTypeDevice, 0};
  CUDA_OK(cudaMemAdvise(x, sizeof *x, cudaMemAdviseSetReadMostly, place));
  CUDA_OK(cudaMemPrefetchAsync(x, sizeof *x, place, 0, cudaStreamPerThread));
#else
  CUDA_OK(cudaMemAdvise(x, sizeof *x, cudaMemAdviseSetReadMostly, 0));
  CUDA_OK(cudaMemPrefetchAsync(x, sizeof *x, 0, cudaStreamPerThread));
#endif
  CUDA_OK(cudaDeviceSynchronize());
  check::Expect("managed memory", *x == 2);
}

int main() {
  int version = 0;
  CUDA_OK(cudaRuntimeGetVersion(&version));
  check::Expect("major version", version / 1000 == CUDART_VERSION / 1000);
  Structures();
  int* x = nullptr;
  CUDA_OK(cudaMallocManaged(&x, sizeof *x));
  *x = 0;
  Graphs(x);
  Captures();
  Managed(x);
  CUDA_OK(cudaFree(x));
  return check::Finish();
}
