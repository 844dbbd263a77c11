// SPDX-License-Identifier: Apache-2.0
// The runtime's own structures beside those of the toolkit that is here: each size and offset, as
// the compiler sees them. It compiles, or names what has moved.
#include <cstddef>
#include <type_traits>

#include "cudart/runtime/cuda_layouts.h"
#include "cudart/runtime/cuda_types.h"

#define SAME_SIZE(name) static_assert(sizeof(name) == sizeof(::name))
#define SAME_MEMBER(name, member)                                     \
  static_assert(offsetof(name, member) == offsetof(::name, member) && \
                sizeof(static_cast<name*>(nullptr)->member) ==        \
                    sizeof(static_cast<::name*>(nullptr)->member))
#define SAME_PLACE(ours, name, member) \
  static_assert(offsetof(ours, member) == offsetof(::name, member))

// Last: names that ours declare are macros there.
#include <cuda_runtime_api.h>

namespace assay::gpu::runtime {
namespace {

SAME_SIZE(dim3);
SAME_MEMBER(dim3, x);
SAME_MEMBER(dim3, y);
SAME_MEMBER(dim3, z);

SAME_SIZE(cudaExtent);
SAME_MEMBER(cudaExtent, width);
SAME_MEMBER(cudaExtent, height);
SAME_MEMBER(cudaExtent, depth);

SAME_SIZE(cudaPos);
SAME_MEMBER(cudaPos, x);
SAME_MEMBER(cudaPos, y);
SAME_MEMBER(cudaPos, z);

SAME_SIZE(cudaPitchedPtr);
SAME_MEMBER(cudaPitchedPtr, ptr);
SAME_MEMBER(cudaPitchedPtr, pitch);
SAME_MEMBER(cudaPitchedPtr, xsize);
SAME_MEMBER(cudaPitchedPtr, ysize);

SAME_SIZE(cudaChannelFormatDesc);
SAME_MEMBER(cudaChannelFormatDesc, x);
SAME_MEMBER(cudaChannelFormatDesc, y);
SAME_MEMBER(cudaChannelFormatDesc, z);
SAME_MEMBER(cudaChannelFormatDesc, w);
SAME_MEMBER(cudaChannelFormatDesc, f);

SAME_SIZE(cudaMemcpy3DParms);
SAME_MEMBER(cudaMemcpy3DParms, srcArray);
SAME_MEMBER(cudaMemcpy3DParms, srcPos);
SAME_MEMBER(cudaMemcpy3DParms, srcPtr);
SAME_MEMBER(cudaMemcpy3DParms, dstArray);
SAME_MEMBER(cudaMemcpy3DParms, dstPos);
SAME_MEMBER(cudaMemcpy3DParms, dstPtr);
SAME_MEMBER(cudaMemcpy3DParms, extent);
SAME_MEMBER(cudaMemcpy3DParms, kind);

SAME_SIZE(cudaMemLocation);
SAME_MEMBER(cudaMemLocation, type);
SAME_MEMBER(cudaMemLocation, id);

SAME_MEMBER(cudaMemPoolProps, allocType);
SAME_MEMBER(cudaMemPoolProps, handleTypes);
SAME_MEMBER(cudaMemPoolProps, location);

SAME_SIZE(cudaLaunchAttribute);
SAME_MEMBER(cudaLaunchAttribute, id);
SAME_MEMBER(cudaLaunchAttribute, val);

SAME_SIZE(cudaLaunchConfig_t);
SAME_MEMBER(cudaLaunchConfig_t, gridDim);
SAME_MEMBER(cudaLaunchConfig_t, blockDim);
SAME_MEMBER(cudaLaunchConfig_t, dynamicSmemBytes);
SAME_MEMBER(cudaLaunchConfig_t, stream);
SAME_MEMBER(cudaLaunchConfig_t, attrs);
SAME_MEMBER(cudaLaunchConfig_t, numAttrs);

SAME_SIZE(cudaKernelNodeParams);
SAME_MEMBER(cudaKernelNodeParams, func);
SAME_MEMBER(cudaKernelNodeParams, gridDim);
SAME_MEMBER(cudaKernelNodeParams, blockDim);
SAME_MEMBER(cudaKernelNodeParams, sharedMemBytes);
SAME_MEMBER(cudaKernelNodeParams, kernelParams);
SAME_MEMBER(cudaKernelNodeParams, extra);

SAME_SIZE(cudaMemsetParams);
SAME_MEMBER(cudaMemsetParams, dst);
SAME_MEMBER(cudaMemsetParams, pitch);
SAME_MEMBER(cudaMemsetParams, value);
SAME_MEMBER(cudaMemsetParams, elementSize);
SAME_MEMBER(cudaMemsetParams, width);
SAME_MEMBER(cudaMemsetParams, height);

SAME_SIZE(cudaHostNodeParams);
SAME_MEMBER(cudaHostNodeParams, fn);
SAME_MEMBER(cudaHostNodeParams, userData);

// cudaDeviceProp, in the layout of this toolkit.
#if CUDART_VERSION >= 13000
using Properties = DeviceProperties13;
static_assert(sizeof(Properties) == sizeof(::cudaDeviceProp));
#else
using Properties = DeviceProperties12;
static_assert(CUDART_VERSION >= 12000 ? sizeof(Properties) == sizeof(::cudaDeviceProp)
                                      : kDeviceProperties11Bytes == sizeof(::cudaDeviceProp));
SAME_PLACE(Properties, cudaDeviceProp, clockRate);
SAME_PLACE(Properties, cudaDeviceProp, deviceOverlap);
SAME_PLACE(Properties, cudaDeviceProp, kernelExecTimeoutEnabled);
SAME_PLACE(Properties, cudaDeviceProp, computeMode);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture1DLinear);
SAME_PLACE(Properties, cudaDeviceProp, memoryClockRate);
SAME_PLACE(Properties, cudaDeviceProp, singleToDoublePrecisionPerfRatio);
SAME_PLACE(Properties, cudaDeviceProp, cooperativeMultiDeviceLaunch);
#endif
SAME_PLACE(Properties, cudaDeviceProp, name);
SAME_PLACE(Properties, cudaDeviceProp, uuid);
SAME_PLACE(Properties, cudaDeviceProp, luid);
SAME_PLACE(Properties, cudaDeviceProp, luidDeviceNodeMask);
SAME_PLACE(Properties, cudaDeviceProp, totalGlobalMem);
SAME_PLACE(Properties, cudaDeviceProp, sharedMemPerBlock);
SAME_PLACE(Properties, cudaDeviceProp, regsPerBlock);
SAME_PLACE(Properties, cudaDeviceProp, warpSize);
SAME_PLACE(Properties, cudaDeviceProp, memPitch);
SAME_PLACE(Properties, cudaDeviceProp, maxThreadsPerBlock);
SAME_PLACE(Properties, cudaDeviceProp, maxThreadsDim);
SAME_PLACE(Properties, cudaDeviceProp, maxGridSize);
SAME_PLACE(Properties, cudaDeviceProp, totalConstMem);
SAME_PLACE(Properties, cudaDeviceProp, major);
SAME_PLACE(Properties, cudaDeviceProp, minor);
SAME_PLACE(Properties, cudaDeviceProp, textureAlignment);
SAME_PLACE(Properties, cudaDeviceProp, texturePitchAlignment);
SAME_PLACE(Properties, cudaDeviceProp, multiProcessorCount);
SAME_PLACE(Properties, cudaDeviceProp, integrated);
SAME_PLACE(Properties, cudaDeviceProp, canMapHostMemory);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture1D);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture1DMipmap);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture2D);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture2DMipmap);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture2DLinear);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture2DGather);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture3D);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture3DAlt);
SAME_PLACE(Properties, cudaDeviceProp, maxTextureCubemap);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture1DLayered);
SAME_PLACE(Properties, cudaDeviceProp, maxTexture2DLayered);
SAME_PLACE(Properties, cudaDeviceProp, maxTextureCubemapLayered);
SAME_PLACE(Properties, cudaDeviceProp, maxSurface1D);
SAME_PLACE(Properties, cudaDeviceProp, maxSurface2D);
SAME_PLACE(Properties, cudaDeviceProp, maxSurface3D);
SAME_PLACE(Properties, cudaDeviceProp, maxSurface1DLayered);
SAME_PLACE(Properties, cudaDeviceProp, maxSurface2DLayered);
SAME_PLACE(Properties, cudaDeviceProp, maxSurfaceCubemap);
SAME_PLACE(Properties, cudaDeviceProp, maxSurfaceCubemapLayered);
SAME_PLACE(Properties, cudaDeviceProp, surfaceAlignment);
SAME_PLACE(Properties, cudaDeviceProp, concurrentKernels);
SAME_PLACE(Properties, cudaDeviceProp, ECCEnabled);
SAME_PLACE(Properties, cudaDeviceProp, pciBusID);
SAME_PLACE(Properties, cudaDeviceProp, pciDeviceID);
SAME_PLACE(Properties, cudaDeviceProp, pciDomainID);
SAME_PLACE(Properties, cudaDeviceProp, tccDriver);
SAME_PLACE(Properties, cudaDeviceProp, asyncEngineCount);
SAME_PLACE(Properties, cudaDeviceProp, unifiedAddressing);
SAME_PLACE(Properties, cudaDeviceProp, memoryBusWidth);
SAME_PLACE(Properties, cudaDeviceProp, l2CacheSize);
SAME_PLACE(Properties, cudaDeviceProp, persistingL2CacheMaxSize);
SAME_PLACE(Properties, cudaDeviceProp, maxThreadsPerMultiProcessor);
SAME_PLACE(Properties, cudaDeviceProp, streamPrioritiesSupported);
SAME_PLACE(Properties, cudaDeviceProp, globalL1CacheSupported);
SAME_PLACE(Properties, cudaDeviceProp, localL1CacheSupported);
SAME_PLACE(Properties, cudaDeviceProp, sharedMemPerMultiprocessor);
SAME_PLACE(Properties, cudaDeviceProp, regsPerMultiprocessor);
SAME_PLACE(Properties, cudaDeviceProp, managedMemory);
SAME_PLACE(Properties, cudaDeviceProp, isMultiGpuBoard);
SAME_PLACE(Properties, cudaDeviceProp, multiGpuBoardGroupID);
SAME_PLACE(Properties, cudaDeviceProp, hostNativeAtomicSupported);
SAME_PLACE(Properties, cudaDeviceProp, pageableMemoryAccess);
SAME_PLACE(Properties, cudaDeviceProp, concurrentManagedAccess);
SAME_PLACE(Properties, cudaDeviceProp, computePreemptionSupported);
SAME_PLACE(Properties, cudaDeviceProp, canUseHostPointerForRegisteredMem);
SAME_PLACE(Properties, cudaDeviceProp, cooperativeLaunch);
SAME_PLACE(Properties, cudaDeviceProp, sharedMemPerBlockOptin);
SAME_PLACE(Properties, cudaDeviceProp, pageableMemoryAccessUsesHostPageTables);
SAME_PLACE(Properties, cudaDeviceProp, directManagedMemAccessFromHost);
SAME_PLACE(Properties, cudaDeviceProp, maxBlocksPerMultiProcessor);
SAME_PLACE(Properties, cudaDeviceProp, accessPolicyMaxWindowSize);
SAME_PLACE(Properties, cudaDeviceProp, reservedSharedMemPerBlock);
#if CUDART_VERSION >= 12000
SAME_PLACE(Properties, cudaDeviceProp, hostRegisterReadOnlySupported);
SAME_PLACE(Properties, cudaDeviceProp, hostRegisterSupported);
SAME_PLACE(Properties, cudaDeviceProp, memoryPoolsSupported);
SAME_PLACE(Properties, cudaDeviceProp, sparseCudaArraySupported);
SAME_PLACE(Properties, cudaDeviceProp, timelineSemaphoreInteropSupported);
#endif

SAME_PLACE(FunctionAttributes, cudaFuncAttributes, sharedSizeBytes);
SAME_PLACE(FunctionAttributes, cudaFuncAttributes, constSizeBytes);
SAME_PLACE(FunctionAttributes, cudaFuncAttributes, localSizeBytes);
SAME_PLACE(FunctionAttributes, cudaFuncAttributes, maxThreadsPerBlock);
SAME_PLACE(FunctionAttributes, cudaFuncAttributes, numRegs);
SAME_PLACE(FunctionAttributes, cudaFuncAttributes, ptxVersion);
SAME_PLACE(FunctionAttributes, cudaFuncAttributes, binaryVersion);
SAME_PLACE(FunctionAttributes, cudaFuncAttributes, cacheModeCA);
SAME_PLACE(FunctionAttributes, cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_PLACE(FunctionAttributes, cudaFuncAttributes, preferredShmemCarveout);
static_assert(CUDART_VERSION >= 12000 ? sizeof(FunctionAttributes) == sizeof(::cudaFuncAttributes)
                                      : kFunctionAttributes11Bytes == sizeof(::cudaFuncAttributes));

SAME_PLACE(PointerAttributes, cudaPointerAttributes, type);
SAME_PLACE(PointerAttributes, cudaPointerAttributes, device);
SAME_PLACE(PointerAttributes, cudaPointerAttributes, devicePointer);
SAME_PLACE(PointerAttributes, cudaPointerAttributes, hostPointer);
static_assert(CUDART_VERSION >= 13000
                  ? sizeof(PointerAttributes) < sizeof(::cudaPointerAttributes)
                  : sizeof(PointerAttributes) == sizeof(::cudaPointerAttributes));

#if CUDART_VERSION >= 12000
SAME_SIZE(cudaGraphExecUpdateResultInfo);
SAME_MEMBER(cudaGraphExecUpdateResultInfo, result);
SAME_MEMBER(cudaGraphExecUpdateResultInfo, errorNode);
SAME_MEMBER(cudaGraphExecUpdateResultInfo, errorFromNode);
SAME_SIZE(cudaGraphInstantiateParams);
SAME_MEMBER(cudaGraphInstantiateParams, flags);
SAME_MEMBER(cudaGraphInstantiateParams, uploadStream);
SAME_MEMBER(cudaGraphInstantiateParams, errNode_out);
SAME_MEMBER(cudaGraphInstantiateParams, result_out);
#endif
#if CUDART_VERSION >= 12030
SAME_SIZE(cudaGraphEdgeData);
#endif

// By value they travel in the same registers.
static_assert(std::is_trivially_copyable_v<dim3> && std::is_trivially_copyable_v<::dim3>);

}  // namespace
}  // namespace assay::gpu::runtime
