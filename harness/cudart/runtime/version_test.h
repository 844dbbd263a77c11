// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_VERSION_TEST_H_
#define ASSAY_CUDART_RUNTIME_VERSION_TEST_H_

#include <cstddef>
#include <cstdint>

#include "cudart/runtime/runtime_for_test.h"

/// Functions of CUDA as the headers of each version declare them, handles and structures as void*.
/// A number at the end is the first version that calls the name so.
namespace assay::gpu::runtime::version_test {

using Node = void*;
using Flags = unsigned long long;
using Size = std::size_t;

int GetProperties(void* properties, int device) asm("cudaGetDeviceProperties");
int GetProperties_v2(void* properties, int device) asm("cudaGetDeviceProperties_v2");
int FuncGetAttributes(void* attributes, const void* function) asm("cudaFuncGetAttributes");
int PointerGetAttributes(void* attributes, const void* p) asm("cudaPointerGetAttributes");
int RuntimeVersion(int* version) asm("cudaRuntimeGetVersion");
int MallocManaged(void** pointer, Size bytes, unsigned flags) asm("cudaMallocManaged");
void UnregisterFatBinary(void** handle) asm("__cudaUnregisterFatBinary");

int GraphCreate(void** graph, unsigned flags) asm("cudaGraphCreate");
int AddEmptyNode(Node* node, void* graph, const Node* after,
                 Size count) asm("cudaGraphAddEmptyNode");

int GraphInstantiate11(void** exec, void* graph, Node* error, char* text,
                       Size text_bytes) asm("cudaGraphInstantiate");
int GraphInstantiate12(void** exec, void* graph, Flags flags) asm("cudaGraphInstantiate");
int GraphExecUpdate11(void* exec, void* graph, Node* error,
                      void* result) asm("cudaGraphExecUpdate");
int GraphExecUpdate12(void* exec, void* graph, void* info) asm("cudaGraphExecUpdate");

int GetEdges11(void* graph, Node* from, Node* to, Size* count) asm("cudaGraphGetEdges");
int GetEdges13(void* graph, Node* from, Node* to, void* data, Size* count) asm("cudaGraphGetEdges");
int GetEdges12v2(void* graph, Node* from, Node* to, void* data,
                 Size* count) asm("cudaGraphGetEdges_v2");
int GetDependencies11(Node node, Node* nodes, Size* count) asm("cudaGraphNodeGetDependencies");
int GetDependencies13(Node node, Node* nodes, void* data,
                      Size* count) asm("cudaGraphNodeGetDependencies");
int GetDependents11(Node node, Node* nodes, Size* count) asm("cudaGraphNodeGetDependentNodes");
int GetDependents13(Node node, Node* nodes, void* data,
                    Size* count) asm("cudaGraphNodeGetDependentNodes");
int AddDependencies11(void* graph, const Node* from, const Node* to,
                      Size count) asm("cudaGraphAddDependencies");
int AddDependencies13(void* graph, const Node* from, const Node* to, const void* data,
                      Size count) asm("cudaGraphAddDependencies");
int RemoveDependencies11(void* graph, const Node* from, const Node* to,
                         Size count) asm("cudaGraphRemoveDependencies");
int RemoveDependencies13(void* graph, const Node* from, const Node* to, const void* data,
                         Size count) asm("cudaGraphRemoveDependencies");

int Prefetch11(const void* p, Size bytes, int device, void* stream) asm("cudaMemPrefetchAsync");
int PrefetchOwn11(const void* p, Size bytes, int device,
                  void* stream) asm("cudaMemPrefetchAsync_ptsz");
int Prefetch13(const void* p, Size bytes, std::uint64_t location, unsigned flags,
               void* stream) asm("cudaMemPrefetchAsync");
int PrefetchOwn13(const void* p, Size bytes, std::uint64_t location, unsigned flags,
                  void* stream) asm("cudaMemPrefetchAsync_ptsz");

int StreamCreate(void** stream) asm("cudaStreamCreate");
int BeginCapture(void* stream, int mode) asm("cudaStreamBeginCapture");
int CaptureInfo11(void* stream, int* status,
                  unsigned long long* id) asm("cudaStreamGetCaptureInfo");
int CaptureInfo_v2(void* stream, int* status, unsigned long long* id, void** graph,
                   const Node** after, Size* count) asm("cudaStreamGetCaptureInfo_v2");
int CaptureInfo13(void* stream, int* status, unsigned long long* id, void** graph,
                  const Node** after, const void** data,
                  Size* count) asm("cudaStreamGetCaptureInfo");

}  // namespace assay::gpu::runtime::version_test

#endif  // ASSAY_CUDART_RUNTIME_VERSION_TEST_H_
