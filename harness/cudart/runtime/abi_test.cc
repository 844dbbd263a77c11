// SPDX-License-Identifier: Apache-2.0
// The runtime's own declarations of CUDA's types beside those of the toolkit that is here: each
// value, size and offset, as the compiler sees them.
#include <cstddef>
#include <type_traits>

#include "cudart/runtime/cuda_attributes.h"
#include "cudart/runtime/cuda_layouts.h"
#include "cudart/runtime/cuda_types.h"

namespace assay::gpu::runtime {

// CUDA's are macros: read before its headers are.
constexpr auto kHostAllocPortable = cudaHostAllocPortable;
constexpr auto kHostAllocMapped = cudaHostAllocMapped;
constexpr auto kHostAllocWriteCombined = cudaHostAllocWriteCombined;
constexpr auto kStreamNonBlocking = cudaStreamNonBlocking;
constexpr auto kEventBlockingSync = cudaEventBlockingSync;
constexpr auto kEventDisableTiming = cudaEventDisableTiming;
constexpr auto kEventInterprocess = cudaEventInterprocess;
constexpr auto kEventRecordExternal = cudaEventRecordExternal;
constexpr auto kEventWaitExternal = cudaEventWaitExternal;
constexpr auto kDeviceMapHost = cudaDeviceMapHost;
constexpr auto kDeviceMask = cudaDeviceMask;
constexpr auto kMemAttachGlobal = cudaMemAttachGlobal;
constexpr auto kMemAttachHost = cudaMemAttachHost;
constexpr auto kOccupancyDisableCachingOverride = cudaOccupancyDisableCachingOverride;
constexpr auto kInvalidDeviceId = cudaInvalidDeviceId;

inline const auto kLegacyStream = &cudaStreamLegacy;
inline const auto kPerThreadStream = &cudaStreamPerThread;

}  // namespace assay::gpu::runtime

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace assay::gpu::runtime {
namespace {

static_assert(kHostAllocPortable == cudaHostAllocPortable);
static_assert(kHostAllocMapped == cudaHostAllocMapped);
static_assert(kHostAllocWriteCombined == cudaHostAllocWriteCombined);
static_assert(kStreamNonBlocking == cudaStreamNonBlocking);
static_assert(kEventBlockingSync == cudaEventBlockingSync);
static_assert(kEventDisableTiming == cudaEventDisableTiming);
static_assert(kEventInterprocess == cudaEventInterprocess);
static_assert(kEventRecordExternal == cudaEventRecordExternal);
static_assert(kEventWaitExternal == cudaEventWaitExternal);
static_assert(kDeviceMapHost == cudaDeviceMapHost);
static_assert(kDeviceMask == cudaDeviceMask || CUDART_VERSION < 12000);
static_assert(kMemAttachGlobal == cudaMemAttachGlobal);
static_assert(kMemAttachHost == cudaMemAttachHost);
static_assert(kOccupancyDisableCachingOverride == cudaOccupancyDisableCachingOverride);
static_assert(kInvalidDeviceId == cudaInvalidDeviceId);

#define SAME_VALUE(name) static_assert(static_cast<int>(name) == static_cast<int>(::name))
#define SAME_SIZE(name) static_assert(sizeof(name) == sizeof(::name))
#define SAME_MEMBER(name, member)                                     \
  static_assert(offsetof(name, member) == offsetof(::name, member) && \
                sizeof(static_cast<name*>(nullptr)->member) ==        \
                    sizeof(static_cast<::name*>(nullptr)->member))

SAME_VALUE(cudaSuccess);
SAME_VALUE(cudaErrorInvalidValue);
SAME_VALUE(cudaErrorMemoryAllocation);
SAME_VALUE(cudaErrorInvalidConfiguration);
SAME_VALUE(cudaErrorInvalidPitchValue);
SAME_VALUE(cudaErrorInvalidSymbol);
SAME_VALUE(cudaErrorInvalidMemcpyDirection);
SAME_VALUE(cudaErrorMissingConfiguration);
SAME_VALUE(cudaErrorInvalidDeviceFunction);
SAME_VALUE(cudaErrorNoDevice);
SAME_VALUE(cudaErrorInvalidDevice);
SAME_VALUE(cudaErrorInvalidKernelImage);
SAME_VALUE(cudaErrorNoKernelImageForDevice);
SAME_VALUE(cudaErrorUnsupportedLimit);
SAME_VALUE(cudaErrorInvalidResourceHandle);
SAME_VALUE(cudaErrorIllegalState);
SAME_VALUE(cudaErrorNotReady);
SAME_VALUE(cudaErrorPeerAccessNotEnabled);
SAME_VALUE(cudaErrorHostMemoryAlreadyRegistered);
SAME_VALUE(cudaErrorHostMemoryNotRegistered);
SAME_VALUE(cudaErrorCooperativeLaunchTooLarge);
SAME_VALUE(cudaErrorNotPermitted);
SAME_VALUE(cudaErrorNotSupported);
SAME_VALUE(cudaErrorStreamCaptureUnsupported);
SAME_VALUE(cudaErrorStreamCaptureInvalidated);
SAME_VALUE(cudaErrorStreamCaptureMerge);
SAME_VALUE(cudaErrorStreamCaptureUnmatched);
SAME_VALUE(cudaErrorStreamCaptureUnjoined);
SAME_VALUE(cudaErrorStreamCaptureIsolation);
SAME_VALUE(cudaErrorStreamCaptureImplicit);
SAME_VALUE(cudaErrorCapturedEvent);
SAME_VALUE(cudaErrorStreamCaptureWrongThread);
SAME_VALUE(cudaErrorGraphExecUpdateFailure);
SAME_VALUE(cudaErrorUnknown);
SAME_VALUE(cudaMemcpyHostToHost);
SAME_VALUE(cudaMemcpyHostToDevice);
SAME_VALUE(cudaMemcpyDeviceToHost);
SAME_VALUE(cudaMemcpyDeviceToDevice);
SAME_VALUE(cudaMemcpyDefault);
SAME_VALUE(cudaMemoryTypeUnregistered);
SAME_VALUE(cudaMemoryTypeHost);
SAME_VALUE(cudaMemoryTypeDevice);
SAME_VALUE(cudaMemoryTypeManaged);
SAME_VALUE(cudaFuncAttributeMaxDynamicSharedMemorySize);
SAME_VALUE(cudaFuncAttributePreferredSharedMemoryCarveout);
SAME_VALUE(cudaMemPoolReuseFollowEventDependencies);
SAME_VALUE(cudaMemPoolReuseAllowOpportunistic);
SAME_VALUE(cudaMemPoolReuseAllowInternalDependencies);
SAME_VALUE(cudaMemPoolAttrReleaseThreshold);
SAME_VALUE(cudaMemPoolAttrReservedMemCurrent);
SAME_VALUE(cudaMemPoolAttrReservedMemHigh);
SAME_VALUE(cudaMemPoolAttrUsedMemCurrent);
SAME_VALUE(cudaMemPoolAttrUsedMemHigh);
SAME_VALUE(cudaStreamCaptureModeGlobal);
SAME_VALUE(cudaStreamCaptureModeThreadLocal);
SAME_VALUE(cudaStreamCaptureModeRelaxed);
SAME_VALUE(cudaStreamCaptureStatusNone);
SAME_VALUE(cudaStreamCaptureStatusActive);
SAME_VALUE(cudaStreamCaptureStatusInvalidated);
SAME_VALUE(cudaGraphNodeTypeKernel);
SAME_VALUE(cudaGraphNodeTypeMemcpy);
SAME_VALUE(cudaGraphNodeTypeMemset);
SAME_VALUE(cudaGraphNodeTypeHost);
SAME_VALUE(cudaGraphNodeTypeGraph);
SAME_VALUE(cudaGraphNodeTypeEmpty);
SAME_VALUE(cudaGraphNodeTypeWaitEvent);
SAME_VALUE(cudaGraphNodeTypeEventRecord);
SAME_VALUE(cudaGraphExecUpdateSuccess);
SAME_VALUE(cudaGraphExecUpdateErrorTopologyChanged);
SAME_VALUE(cudaLaunchAttributeCooperative);
SAME_VALUE(cudaLaunchAttributeClusterDimension);
SAME_VALUE(cudaChannelFormatKindSigned);
SAME_VALUE(cudaFuncCachePreferNone);
SAME_VALUE(cudaSharedMemBankSizeFourByte);
SAME_VALUE(cudaMemAllocationTypePinned);
SAME_VALUE(cudaMemLocationTypeDevice);
SAME_VALUE(cudaMemAccessFlagsProtReadWrite);

SAME_VALUE(cudaDevAttrMaxThreadsPerBlock);
SAME_VALUE(cudaDevAttrMaxBlockDimX);
SAME_VALUE(cudaDevAttrMaxBlockDimY);
SAME_VALUE(cudaDevAttrMaxBlockDimZ);
SAME_VALUE(cudaDevAttrMaxGridDimX);
SAME_VALUE(cudaDevAttrMaxGridDimY);
SAME_VALUE(cudaDevAttrMaxGridDimZ);
SAME_VALUE(cudaDevAttrMaxSharedMemoryPerBlock);
SAME_VALUE(cudaDevAttrTotalConstantMemory);
SAME_VALUE(cudaDevAttrWarpSize);
SAME_VALUE(cudaDevAttrMaxPitch);
SAME_VALUE(cudaDevAttrMaxRegistersPerBlock);
SAME_VALUE(cudaDevAttrClockRate);
SAME_VALUE(cudaDevAttrTextureAlignment);
SAME_VALUE(cudaDevAttrGpuOverlap);
SAME_VALUE(cudaDevAttrMultiProcessorCount);
SAME_VALUE(cudaDevAttrCanMapHostMemory);
SAME_VALUE(cudaDevAttrMaxTexture1DWidth);
SAME_VALUE(cudaDevAttrMaxTexture2DWidth);
SAME_VALUE(cudaDevAttrMaxTexture2DHeight);
SAME_VALUE(cudaDevAttrMaxTexture3DWidth);
SAME_VALUE(cudaDevAttrMaxTexture3DHeight);
SAME_VALUE(cudaDevAttrMaxTexture3DDepth);
SAME_VALUE(cudaDevAttrMaxTexture2DLayeredWidth);
SAME_VALUE(cudaDevAttrMaxTexture2DLayeredHeight);
SAME_VALUE(cudaDevAttrMaxTexture2DLayeredLayers);
SAME_VALUE(cudaDevAttrSurfaceAlignment);
SAME_VALUE(cudaDevAttrConcurrentKernels);
SAME_VALUE(cudaDevAttrEccEnabled);
SAME_VALUE(cudaDevAttrPciBusId);
SAME_VALUE(cudaDevAttrMemoryClockRate);
SAME_VALUE(cudaDevAttrGlobalMemoryBusWidth);
SAME_VALUE(cudaDevAttrL2CacheSize);
SAME_VALUE(cudaDevAttrMaxThreadsPerMultiProcessor);
SAME_VALUE(cudaDevAttrAsyncEngineCount);
SAME_VALUE(cudaDevAttrUnifiedAddressing);
SAME_VALUE(cudaDevAttrMaxTexture1DLayeredWidth);
SAME_VALUE(cudaDevAttrMaxTexture1DLayeredLayers);
SAME_VALUE(cudaDevAttrMaxTexture2DGatherWidth);
SAME_VALUE(cudaDevAttrMaxTexture2DGatherHeight);
SAME_VALUE(cudaDevAttrMaxTexture3DWidthAlt);
SAME_VALUE(cudaDevAttrMaxTexture3DHeightAlt);
SAME_VALUE(cudaDevAttrMaxTexture3DDepthAlt);
SAME_VALUE(cudaDevAttrTexturePitchAlignment);
SAME_VALUE(cudaDevAttrMaxTextureCubemapWidth);
SAME_VALUE(cudaDevAttrMaxTextureCubemapLayeredWidth);
SAME_VALUE(cudaDevAttrMaxTextureCubemapLayeredLayers);
SAME_VALUE(cudaDevAttrMaxSurface1DWidth);
SAME_VALUE(cudaDevAttrMaxSurface2DWidth);
SAME_VALUE(cudaDevAttrMaxSurface2DHeight);
SAME_VALUE(cudaDevAttrMaxSurface3DWidth);
SAME_VALUE(cudaDevAttrMaxSurface3DHeight);
SAME_VALUE(cudaDevAttrMaxSurface3DDepth);
SAME_VALUE(cudaDevAttrMaxSurface1DLayeredWidth);
SAME_VALUE(cudaDevAttrMaxSurface1DLayeredLayers);
SAME_VALUE(cudaDevAttrMaxSurface2DLayeredWidth);
SAME_VALUE(cudaDevAttrMaxSurface2DLayeredHeight);
SAME_VALUE(cudaDevAttrMaxSurface2DLayeredLayers);
SAME_VALUE(cudaDevAttrMaxSurfaceCubemapWidth);
SAME_VALUE(cudaDevAttrMaxSurfaceCubemapLayeredWidth);
SAME_VALUE(cudaDevAttrMaxSurfaceCubemapLayeredLayers);
SAME_VALUE(cudaDevAttrMaxTexture1DLinearWidth);
SAME_VALUE(cudaDevAttrMaxTexture2DLinearWidth);
SAME_VALUE(cudaDevAttrMaxTexture2DLinearHeight);
SAME_VALUE(cudaDevAttrMaxTexture2DLinearPitch);
SAME_VALUE(cudaDevAttrMaxTexture2DMipmappedWidth);
SAME_VALUE(cudaDevAttrMaxTexture2DMipmappedHeight);
SAME_VALUE(cudaDevAttrComputeCapabilityMajor);
SAME_VALUE(cudaDevAttrComputeCapabilityMinor);
SAME_VALUE(cudaDevAttrMaxTexture1DMipmappedWidth);
SAME_VALUE(cudaDevAttrStreamPrioritiesSupported);
SAME_VALUE(cudaDevAttrGlobalL1CacheSupported);
SAME_VALUE(cudaDevAttrLocalL1CacheSupported);
SAME_VALUE(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
SAME_VALUE(cudaDevAttrMaxRegistersPerMultiprocessor);
SAME_VALUE(cudaDevAttrManagedMemory);
SAME_VALUE(cudaDevAttrSingleToDoublePrecisionPerfRatio);
SAME_VALUE(cudaDevAttrComputePreemptionSupported);
SAME_VALUE(cudaDevAttrCanUseHostPointerForRegisteredMem);
SAME_VALUE(cudaDevAttrCooperativeLaunch);
SAME_VALUE(cudaDevAttrMaxSharedMemoryPerBlockOptin);
SAME_VALUE(cudaDevAttrHostRegisterSupported);
SAME_VALUE(cudaDevAttrMaxBlocksPerMultiprocessor);
SAME_VALUE(cudaDevAttrMaxPersistingL2CacheSize);
SAME_VALUE(cudaDevAttrMaxAccessPolicyWindowSize);
SAME_VALUE(cudaDevAttrReservedSharedMemoryPerBlock);
SAME_VALUE(cudaDevAttrMemoryPoolsSupported);

#if CUDART_VERSION >= 13000
static_assert(kLastDeviceAttribute + 1 >= static_cast<int>(::cudaDevAttrMax));
#endif

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
#define SAME_PLACE(ours, name, member) \
  static_assert(offsetof(ours, member) == offsetof(::name, member))
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
SAME_VALUE(cudaGraphInstantiateFlagDeviceLaunch);
SAME_VALUE(cudaGraphInstantiateSuccess);
SAME_VALUE(cudaGraphInstantiateError);
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

TEST(Abi, HandlesOfStreamsThatNobodyCreatedAreCudas) {
  EXPECT_EQ(kLegacyStream(), cudaStreamLegacy);
  EXPECT_EQ(kPerThreadStream(), cudaStreamPerThread);
}

}  // namespace
}  // namespace assay::gpu::runtime
