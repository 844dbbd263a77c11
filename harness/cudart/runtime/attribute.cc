// SPDX-License-Identifier: Apache-2.0
// What a program can ask of a device: cudaDeviceGetAttribute and cudaGetDeviceProperties. Figures
// of the GPU model where it has one, else what every GPU of compute capability 7.5 to 9.0 has
// (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"), as the driver
// tells it on Linux.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "cudart/runtime/cuda_attributes.h"
#include "cudart/runtime/cuda_layouts.h"
#include "cudart/runtime/limits.h"
#include "cudart/runtime/program_version.h"
#include "cudart/runtime/state.h"

namespace assay::gpu::runtime {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();
constexpr int kTexture1D = 131072;
constexpr int kTexture1DLinear = 268435456;
constexpr int kTexture1DMipmap = 32768;
constexpr int kTexture2DWidth = 131072;
constexpr int kTexture2DHeight = 65536;
constexpr int kTexture2DLinearHeight = 65000;
constexpr int kTexture2DLinearPitch = 2097120;
constexpr int kTexture3D = 16384;
constexpr int kTexture3DAltWidth = 8192;
constexpr int kTexture3DAltDepth = 32768;
constexpr int kLayeredWidth = 32768;
constexpr int kLayers = 2048;
constexpr int kCubemapLayers = 2046;
constexpr int kTextureAlignment = 512;
constexpr int kTexturePitchAlignment = 32;
constexpr int kCopyEngines = 3;

int Int(std::uint64_t value) {
  return static_cast<int>(std::min<std::uint64_t>(value, std::uint64_t{kMost}));
}

int DoubleRatio(const GpuModel& model) {
  return Int(model.f32_flops_per_clock / std::max(model.f64_flops_per_clock, 1U));
}

/// Attributes that follow from the model.
std::optional<int> OfModel(const GpuModel& model, int attribute) {
  switch (attribute) {
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return Int(model.registers_per_sm);
    case cudaDevAttrClockRate:
      return Int(model.clock_khz);
    case cudaDevAttrMemoryClockRate:
      return Int(model.memory_clock_khz);
    case cudaDevAttrGlobalMemoryBusWidth:
      return Int(model.memory_bus_bits);
    case cudaDevAttrMultiProcessorCount:
      return Int(model.multiprocessors);
    case cudaDevAttrL2CacheSize:
      return Int(model.l2_bytes);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return Int(model.max_threads_per_sm);
    case cudaDevAttrComputeCapabilityMajor:
      return model.compute_major;
    case cudaDevAttrComputeCapabilityMinor:
      return model.compute_minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return Int(model.shared_bytes_per_sm);
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return DoubleRatio(model);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return Int(model.shared_bytes_per_block_optin);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return Int(model.max_blocks_per_sm);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return Int(model.reserved_shared_bytes_per_block);
    case cudaDevAttrMaxPersistingL2CacheSize:
      return Int(model.l2_bytes * 5 / 8);
    case cudaDevAttrMaxAccessPolicyWindowSize:
      return Int(model.l2_bytes * 2);
    default:
      return std::nullopt;
  }
}

/// Attributes that all have alike, and that are not zero.
struct Constant {
  int attribute;
  int value;
};
constexpr auto kConstants = std::to_array<Constant>({
    {cudaDevAttrMaxThreadsPerBlock, kMostThreadsPerBlock},
    {cudaDevAttrMaxBlockDimX, kMostBlock[0]},
    {cudaDevAttrMaxBlockDimY, kMostBlock[1]},
    {cudaDevAttrMaxBlockDimZ, kMostBlock[2]},
    {cudaDevAttrMaxGridDimX, kMostGrid[0]},
    {cudaDevAttrMaxGridDimY, kMostGrid[1]},
    {cudaDevAttrMaxGridDimZ, kMostGrid[2]},
    {cudaDevAttrMaxSharedMemoryPerBlock, kSharedBytesPerBlock},
    {cudaDevAttrTotalConstantMemory, kConstantBytes},
    {cudaDevAttrWarpSize, kWarpThreads},
    {cudaDevAttrMaxPitch, kMost},
    {cudaDevAttrTextureAlignment, kTextureAlignment},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrMaxTexture1DWidth, kTexture1D},
    {cudaDevAttrMaxTexture2DWidth, kTexture2DWidth},
    {cudaDevAttrMaxTexture2DHeight, kTexture2DHeight},
    {cudaDevAttrMaxTexture3DWidth, kTexture3D},
    {cudaDevAttrMaxTexture3DHeight, kTexture3D},
    {cudaDevAttrMaxTexture3DDepth, kTexture3D},
    {cudaDevAttrMaxTexture2DLayeredWidth, kLayeredWidth},
    {cudaDevAttrMaxTexture2DLayeredHeight, kLayeredWidth},
    {cudaDevAttrMaxTexture2DLayeredLayers, kLayers},
    {cudaDevAttrSurfaceAlignment, kTextureAlignment},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrEccEnabled, 1},
    {cudaDevAttrPciBusId, 1},
    {cudaDevAttrAsyncEngineCount, kCopyEngines},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrMaxTexture1DLayeredWidth, kLayeredWidth},
    {cudaDevAttrMaxTexture1DLayeredLayers, kLayers},
    {cudaDevAttrMaxTexture2DGatherWidth, kLayeredWidth},
    {cudaDevAttrMaxTexture2DGatherHeight, kLayeredWidth},
    {cudaDevAttrMaxTexture3DWidthAlt, kTexture3DAltWidth},
    {cudaDevAttrMaxTexture3DHeightAlt, kTexture3DAltWidth},
    {cudaDevAttrMaxTexture3DDepthAlt, kTexture3DAltDepth},
    {cudaDevAttrTexturePitchAlignment, kTexturePitchAlignment},
    {cudaDevAttrMaxTextureCubemapWidth, kLayeredWidth},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, kLayeredWidth},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, kCubemapLayers},
    {cudaDevAttrMaxSurface1DWidth, kLayeredWidth},
    {cudaDevAttrMaxSurface2DWidth, kTexture2DWidth},
    {cudaDevAttrMaxSurface2DHeight, kTexture2DHeight},
    {cudaDevAttrMaxSurface3DWidth, kTexture3D},
    {cudaDevAttrMaxSurface3DHeight, kTexture3D},
    {cudaDevAttrMaxSurface3DDepth, kTexture3D},
    {cudaDevAttrMaxSurface1DLayeredWidth, kLayeredWidth},
    {cudaDevAttrMaxSurface1DLayeredLayers, kLayers},
    {cudaDevAttrMaxSurface2DLayeredWidth, kLayeredWidth},
    {cudaDevAttrMaxSurface2DLayeredHeight, kLayeredWidth},
    {cudaDevAttrMaxSurface2DLayeredLayers, kLayers},
    {cudaDevAttrMaxSurfaceCubemapWidth, kLayeredWidth},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, kLayeredWidth},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, kCubemapLayers},
    {cudaDevAttrMaxTexture1DLinearWidth, kTexture1DLinear},
    {cudaDevAttrMaxTexture2DLinearWidth, kTexture2DWidth},
    {cudaDevAttrMaxTexture2DLinearHeight, kTexture2DLinearHeight},
    {cudaDevAttrMaxTexture2DLinearPitch, kTexture2DLinearPitch},
    {cudaDevAttrMaxTexture2DMipmappedWidth, kLayeredWidth},
    {cudaDevAttrMaxTexture2DMipmappedHeight, kLayeredWidth},
    {cudaDevAttrMaxTexture1DMipmappedWidth, kTexture1DMipmap},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
});

/// All others are zero: the emulated GPU has no such thing, concurrent access to managed memory
/// among them, since that is copied at launches.
std::optional<int> Attribute(const GpuModel& model, int attribute) {
  if (attribute < 1 || attribute > kLastDeviceAttribute) {
    return std::nullopt;
  }
  if (const auto value = OfModel(model, attribute)) {
    return value;
  }
  const auto* const found = std::ranges::find(kConstants, attribute, &Constant::attribute);
  return found == kConstants.end() ? 0 : found->value;
}

/// `{a, b, c}` of attributes that number consecutively.
template <std::size_t n>
void FillDimensions(const GpuModel& model, int first_attribute, int (&values)[n]) {
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = Attribute(model, first_attribute + static_cast<int>(i)).value_or(0);
  }
}

template <class Properties>
void FillTextures(const GpuModel& model, Properties* properties) {
  properties->textureAlignment = kTextureAlignment;
  properties->texturePitchAlignment = kTexturePitchAlignment;
  properties->surfaceAlignment = kTextureAlignment;
  properties->maxTexture1D = kTexture1D;
  properties->maxTexture1DMipmap = kTexture1DMipmap;
  properties->maxTextureCubemap = kLayeredWidth;
  properties->maxSurface1D = kLayeredWidth;
  properties->maxSurfaceCubemap = kLayeredWidth;
  FillDimensions(model, cudaDevAttrMaxTexture2DWidth, properties->maxTexture2D);
  FillDimensions(model, cudaDevAttrMaxTexture2DMipmappedWidth, properties->maxTexture2DMipmap);
  FillDimensions(model, cudaDevAttrMaxTexture2DLinearWidth, properties->maxTexture2DLinear);
  FillDimensions(model, cudaDevAttrMaxTexture2DGatherWidth, properties->maxTexture2DGather);
  FillDimensions(model, cudaDevAttrMaxTexture3DWidth, properties->maxTexture3D);
  FillDimensions(model, cudaDevAttrMaxTexture3DWidthAlt, properties->maxTexture3DAlt);
  FillDimensions(model, cudaDevAttrMaxTexture1DLayeredWidth, properties->maxTexture1DLayered);
  FillDimensions(model, cudaDevAttrMaxTexture2DLayeredWidth, properties->maxTexture2DLayered);
  FillDimensions(model, cudaDevAttrMaxTextureCubemapLayeredWidth,
                 properties->maxTextureCubemapLayered);
  FillDimensions(model, cudaDevAttrMaxSurface2DWidth, properties->maxSurface2D);
  FillDimensions(model, cudaDevAttrMaxSurface3DWidth, properties->maxSurface3D);
  FillDimensions(model, cudaDevAttrMaxSurface1DLayeredWidth, properties->maxSurface1DLayered);
  FillDimensions(model, cudaDevAttrMaxSurface2DLayeredWidth, properties->maxSurface2DLayered);
  FillDimensions(model, cudaDevAttrMaxSurfaceCubemapLayeredWidth,
                 properties->maxSurfaceCubemapLayered);
}

template <class Properties>
void FillSizes(const GpuModel& model, Properties* properties) {
  properties->sharedMemPerBlock = kSharedBytesPerBlock;
  properties->regsPerBlock = Int(model.registers_per_sm);
  properties->warpSize = kWarpThreads;
  properties->memPitch = kMost;
  properties->maxThreadsPerBlock = kMostThreadsPerBlock;
  FillDimensions(model, cudaDevAttrMaxBlockDimX, properties->maxThreadsDim);
  FillDimensions(model, cudaDevAttrMaxGridDimX, properties->maxGridSize);
  properties->totalConstMem = kConstantBytes;
  properties->major = model.compute_major;
  properties->minor = model.compute_minor;
  properties->multiProcessorCount = Int(model.multiprocessors);
  properties->memoryBusWidth = Int(model.memory_bus_bits);
  properties->l2CacheSize = Int(model.l2_bytes);
  properties->persistingL2CacheMaxSize =
      Attribute(model, cudaDevAttrMaxPersistingL2CacheSize).value_or(0);
  properties->accessPolicyMaxWindowSize =
      Attribute(model, cudaDevAttrMaxAccessPolicyWindowSize).value_or(0);
  properties->maxThreadsPerMultiProcessor = Int(model.max_threads_per_sm);
  properties->sharedMemPerMultiprocessor = model.shared_bytes_per_sm;
  properties->regsPerMultiprocessor = Int(model.registers_per_sm);
  properties->sharedMemPerBlockOptin = model.shared_bytes_per_block_optin;
  properties->maxBlocksPerMultiProcessor = Int(model.max_blocks_per_sm);
  properties->reservedSharedMemPerBlock = model.reserved_shared_bytes_per_block;
}

template <class Properties>
void FillAbilities(Properties* properties) {
  properties->canMapHostMemory = 1;
  properties->concurrentKernels = 1;
  properties->ECCEnabled = 1;
  properties->pciBusID = 1;
  properties->asyncEngineCount = kCopyEngines;
  properties->unifiedAddressing = 1;
  properties->streamPrioritiesSupported = 1;
  properties->globalL1CacheSupported = 1;
  properties->localL1CacheSupported = 1;
  properties->managedMemory = 1;
  properties->computePreemptionSupported = 1;
  properties->canUseHostPointerForRegisteredMem = 1;
  properties->cooperativeLaunch = 1;
  properties->hostRegisterSupported = 1;
  properties->memoryPoolsSupported = 1;
}

/// What both layouts have.
template <class Properties>
Properties PropertiesOf(const State& state) {
  const GpuModel& model = state.device->model();
  Properties properties{};
  // The last byte of the name stays zero.
  model.name.copy(properties.name, sizeof properties.name - 1);
  std::memcpy(properties.uuid, "assay", sizeof "assay" - 1);
  properties.totalGlobalMem = state.device->Memory().total_bytes;
  FillSizes(model, &properties);
  FillAbilities(&properties);
  FillTextures(model, &properties);
  return properties;
}

DeviceProperties12 Properties12(const State& state) {
  const GpuModel& model = state.device->model();
  auto properties = PropertiesOf<DeviceProperties12>(state);
  properties.clockRate = Int(model.clock_khz);
  properties.memoryClockRate = Int(model.memory_clock_khz);
  properties.deviceOverlap = 1;
  properties.singleToDoublePrecisionPerfRatio = DoubleRatio(model);
  properties.maxTexture1DLinear = kTexture1DLinear;
  return properties;
}

template <class Body>
cudaError_t WithModel(int device, Body&& body) {
  return Enter<Needs::kNothing>([&](State& state) {
    if (FindDevice(state) == nullptr) {
      return cudaErrorNoDevice;
    }
    return device == 0 ? body(state) : cudaErrorInvalidDevice;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return WithModel(device, [&](State& state) {
    const auto found = Attribute(state.device->model(), attribute);
    if (value == nullptr || !found) {
      return cudaErrorInvalidValue;
    }
    *value = *found;
    return cudaSuccess;
  });
}

// 11 and 13 have structures of other layouts by this name; the name is 11's in libcudart.so.12 too.
cudaError_t cudaGetDeviceProperties(void* properties, int device) {
  return WithModel(device, [&](State& state) {
    Interface interface{};
    if (properties == nullptr) {
      return cudaErrorInvalidValue;
    }
    if (const cudaError_t error = FindInterface(state, "cudaGetDeviceProperties", &interface);
        error != cudaSuccess) {
      return error;
    }
    if (interface == Interface::kCuda13) {
      *static_cast<DeviceProperties13*>(properties) = PropertiesOf<DeviceProperties13>(state);
    } else {
      const DeviceProperties12 all = Properties12(state);
      std::memcpy(properties, &all, kDeviceProperties11Bytes);
    }
    return cudaSuccess;
  });
}

// 12's headers map the plain name to this one.
cudaError_t cudaGetDeviceProperties_v2(DeviceProperties12* properties, int device) {
  return WithModel(device, [&](State& state) {
    if (properties == nullptr) {
      return cudaErrorInvalidValue;
    }
    *properties = Properties12(state);
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace assay::gpu::runtime
