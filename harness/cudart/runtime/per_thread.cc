// SPDX-License-Identifier: Apache-2.0
// The twins that nvcc's --default-stream per-thread calls: stream 0 is the calling thread's own.
#include <cstddef>

#include "cudart/runtime/cuda_functions.h"
#include "cudart/runtime/stream_types.h"

namespace assay::gpu::runtime {

extern "C" {

cudaError_t __cudaLaunchKernel_ptsz(CUkern_st* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes, cudaStream_t stream) {
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, OwnStream(stream));
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                     void** arguments) {
  if (config == nullptr) {
    return cudaLaunchKernelExC(config, function, arguments);
  }
  cudaLaunchConfig_t own = *config;
  own.stream = OwnStream(config->stream);
  return cudaLaunchKernelExC(&own, function, arguments);
}

cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return cudaEventRecordWithFlags(event, OwnStream(stream), flags);
}

cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecord(event, OwnStream(stream));
}

cudaError_t cudaFreeAsync_ptsz(void* pointer, cudaStream_t stream) {
  return cudaFreeAsync(pointer, OwnStream(stream));
}

cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t* graph_exec, cudaGraph_t graph,
                                                cudaGraphInstantiateParams* instantiate_params) {
  return cudaGraphInstantiateWithParams(graph_exec, graph, instantiate_params);
}

cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t graph_exec, cudaStream_t stream) {
  return cudaGraphLaunch(graph_exec, OwnStream(stream));
}

cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t graph_exec, cudaStream_t stream) {
  return cudaGraphUpload(graph_exec, OwnStream(stream));
}

cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid_dim, dim3 block_dim,
                                             void** arguments, std::size_t shared_mem,
                                             cudaStream_t stream) {
  return cudaLaunchCooperativeKernel(function, grid_dim, block_dim, arguments, shared_mem,
                                     OwnStream(stream));
}

cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  return cudaLaunchHostFunc(OwnStream(stream), function, user_data);
}

cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid_dim, dim3 block_dim,
                                  void** arguments, std::size_t shared_mem, cudaStream_t stream) {
  return cudaLaunchKernel(function, grid_dim, block_dim, arguments, shared_mem, OwnStream(stream));
}

cudaError_t cudaMallocAsync_ptsz(void** pointer, std::size_t size, cudaStream_t stream) {
  return cudaMallocAsync(pointer, size, OwnStream(stream));
}

cudaError_t cudaMallocFromPoolAsync_ptsz(void** ptr, std::size_t size, cudaMemPool_t mem_pool,
                                         cudaStream_t stream) {
  return cudaMallocFromPoolAsync(ptr, size, mem_pool, OwnStream(stream));
}

cudaError_t cudaMemcpy2DAsync_ptsz(void* to, std::size_t dpitch, const void* from,
                                   std::size_t spitch, std::size_t width, std::size_t height,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, dpitch, from, spitch, width, height, kind, OwnStream(stream));
}

cudaError_t cudaMemcpy2D_ptds(void* to, std::size_t dpitch, const void* from, std::size_t spitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2D(to, dpitch, from, spitch, width, height, kind);
}

cudaError_t cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return cudaMemcpy3DAsync(parameters, OwnStream(stream));
}

cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* parameters) {
  return cudaMemcpy3D(parameters);
}

cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, std::size_t size_bytes,
                                 cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, size_bytes, kind, OwnStream(stream));
}

cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void* to, const void* symbol, std::size_t size_bytes,
                                           std::size_t offset, cudaMemcpyKind kind,
                                           cudaStream_t stream) {
  return cudaMemcpyFromSymbolAsync(to, symbol, size_bytes, offset, kind, OwnStream(stream));
}

cudaError_t cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, std::size_t size_bytes,
                                      std::size_t offset, cudaMemcpyKind kind) {
  return cudaMemcpyFromSymbol(to, symbol, size_bytes, offset, kind);
}

cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* from,
                                         std::size_t size_bytes, std::size_t offset,
                                         cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyToSymbolAsync(symbol, from, size_bytes, offset, kind, OwnStream(stream));
}

cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, std::size_t size_bytes,
                                    std::size_t offset, cudaMemcpyKind kind) {
  return cudaMemcpyToSymbol(symbol, from, size_bytes, offset, kind);
}

cudaError_t cudaMemcpy_ptds(void* to, const void* from, std::size_t size_bytes,
                            cudaMemcpyKind kind) {
  return cudaMemcpy(to, from, size_bytes, kind);
}

cudaError_t cudaMemset2DAsync_ptsz(void* pointer, std::size_t pitch, int value, std::size_t width,
                                   std::size_t height, cudaStream_t stream) {
  return cudaMemset2DAsync(pointer, pitch, value, width, height, OwnStream(stream));
}

cudaError_t cudaMemset2D_ptds(void* pointer, std::size_t pitch, int value, std::size_t width,
                              std::size_t height) {
  return cudaMemset2D(pointer, pitch, value, width, height);
}

cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr pitched_dev_ptr, int value, cudaExtent extent,
                                   cudaStream_t stream) {
  return cudaMemset3DAsync(pitched_dev_ptr, value, extent, OwnStream(stream));
}

cudaError_t cudaMemset3D_ptds(cudaPitchedPtr pitched_dev_ptr, int value, cudaExtent extent) {
  return cudaMemset3D(pitched_dev_ptr, value, extent);
}

cudaError_t cudaMemsetAsync_ptsz(void* pointer, int value, std::size_t size_bytes,
                                 cudaStream_t stream) {
  return cudaMemsetAsync(pointer, value, size_bytes, OwnStream(stream));
}

cudaError_t cudaMemset_ptds(void* pointer, int value, std::size_t size_bytes) {
  return cudaMemset(pointer, value, size_bytes);
}

cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback,
                                       void* user_data, unsigned flags) {
  return cudaStreamAddCallback(OwnStream(stream), callback, user_data, flags);
}

cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void* pointer, std::size_t length,
                                          unsigned flags) {
  return cudaStreamAttachMemAsync(OwnStream(stream), pointer, length, flags);
}

cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                               const cudaGraphNode_t* dependencies,
                                               const cudaGraphEdgeData* dependency_data,
                                               std::size_t num_dependencies,
                                               cudaStreamCaptureMode mode) {
  return cudaStreamBeginCaptureToGraph(OwnStream(stream), graph, dependencies, dependency_data,
                                       num_dependencies, mode);
}

cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return cudaStreamBeginCapture(OwnStream(stream), mode);
}

cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph) {
  return cudaStreamEndCapture(OwnStream(stream), graph);
}

cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                             unsigned long long* id, cudaGraph_t* graph,
                                             const cudaGraphNode_t** dependencies,
                                             std::size_t* count) {
  return cudaStreamGetCaptureInfo_v2(OwnStream(stream), status, id, graph, dependencies, count);
}

cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                             unsigned long long* id, cudaGraph_t* graph,
                                             const cudaGraphNode_t** dependencies,
                                             const cudaGraphEdgeData** edges, std::size_t* count) {
  return cudaStreamGetCaptureInfo_v3(OwnStream(stream), status, id, graph, dependencies, edges,
                                     count);
}

cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int* device) {
  return cudaStreamGetDevice(OwnStream(stream), device);
}

cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned* flags) {
  return cudaStreamGetFlags(OwnStream(stream), flags);
}

cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* stream_id) {
  return cudaStreamGetId(OwnStream(stream), stream_id);
}

cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int* priority) {
  return cudaStreamGetPriority(OwnStream(stream), priority);
}

cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream,
                                       cudaStreamCaptureStatus* capture_status) {
  return cudaStreamIsCapturing(OwnStream(stream), capture_status);
}

cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) { return cudaStreamQuery(OwnStream(stream)); }

cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return cudaStreamSynchronize(OwnStream(stream));
}

cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return cudaStreamWaitEvent(OwnStream(stream), event, flags);
}

}  // extern "C"
}  // namespace assay::gpu::runtime
