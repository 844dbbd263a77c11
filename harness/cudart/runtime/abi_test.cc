// SPDX-License-Identifier: Apache-2.0
// The runtime's own constants beside those of the toolkit that is here, as the compiler sees them.
// abi_layouts_test.cc has the structures.
#include "cudart/runtime/cuda_attributes.h"
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

#if CUDART_VERSION >= 12000
SAME_VALUE(cudaGraphInstantiateFlagDeviceLaunch);
SAME_VALUE(cudaGraphInstantiateSuccess);
SAME_VALUE(cudaGraphInstantiateError);
#endif

TEST(Abi, HandlesOfStreamsThatNobodyCreatedAreCudas) {
  EXPECT_EQ(kLegacyStream(), cudaStreamLegacy);
  EXPECT_EQ(kPerThreadStream(), cudaStreamPerThread);
}

}  // namespace
}  // namespace assay::gpu::runtime
