// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_CUDA_FUNCTIONS_H_
#define ASSAY_CUDART_RUNTIME_CUDA_FUNCTIONS_H_

#include <cstddef>

#include "cudart/runtime/cuda_layouts.h"
#include "cudart/runtime/cuda_types.h"

namespace assay::gpu::runtime {

// The functions that have a twin in per_thread.cc.
extern "C" {

cudaError_t __cudaLaunchKernel(CUkern_st* kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle);
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream);
cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data);
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments);
cudaError_t cudaMallocAsync(void** pointer, std::size_t size_bytes, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t size_bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width_bytes, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t size_bytes,
                                 std::size_t offset_bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t size_bytes,
                                      std::size_t offset_bytes, cudaMemcpyKind kind,
                                      cudaStream_t stream);
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t size_bytes,
                               std::size_t offset_bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t size_bytes,
                                    std::size_t offset_bytes, cudaMemcpyKind kind,
                                    cudaStream_t stream);
cudaError_t cudaMemset(void* pointer, int value, std::size_t size_bytes);
cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                         std::size_t height);
cudaError_t cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width_bytes,
                              std::size_t height, cudaStream_t stream);
cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitched, int value, cudaExtent extent,
                              cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t size_bytes, cudaStream_t stream);
cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* pointer, std::size_t size_bytes,
                                     unsigned flags);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* edges, std::size_t count,
                                          cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** dependencies, std::size_t* count);
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** dependencies,
                                        const cudaGraphEdgeData** edges, std::size_t* count);
cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device);
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags);
cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id);
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority);
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status);
cudaError_t cudaStreamQuery(cudaStream_t handle);
cudaError_t cudaStreamSynchronize(cudaStream_t handle);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t event_handle,
                                unsigned flags);

}  // extern "C"
}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_CUDA_FUNCTIONS_H_
