// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cudart/runtime/runtime_for_test.h"

namespace assay::gpu::runtime {
namespace {

using QueryTest = RuntimeTest;

int AttributeOf(cudaDeviceAttr attribute) {
  int value = -1;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, attribute, 0), cudaSuccess);
  return value;
}

TEST_F(QueryTest, TellsPropertiesOfTheModel) {
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(std::string(properties.name), H100().name);
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.minor, 0);
  EXPECT_EQ(properties.multiProcessorCount, 132);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.sharedMemPerBlock, 48U * 1024);
  EXPECT_EQ(properties.sharedMemPerBlockOptin, 227U * 1024);
  EXPECT_EQ(properties.sharedMemPerMultiprocessor, 228U * 1024);
  EXPECT_EQ(properties.maxThreadsDim[2], 64);
  EXPECT_EQ(properties.maxGridSize[0], 2147483647);
  EXPECT_EQ(properties.maxGridSize[1], 65535);
  EXPECT_EQ(properties.regsPerBlock, 65536);
  EXPECT_EQ(properties.totalConstMem, 65536U);
  EXPECT_EQ(properties.maxThreadsPerMultiProcessor, 2048);
  EXPECT_EQ(properties.maxTexture3DAlt[2], 32768);
  EXPECT_GT(properties.totalGlobalMem, 0U);
  EXPECT_GT(properties.l2CacheSize, 0);
  EXPECT_GT(properties.memoryBusWidth, 0);
  EXPECT_EQ(properties.cooperativeLaunch, 1);
  EXPECT_EQ(properties.managedMemory, 1);
  EXPECT_EQ(properties.concurrentManagedAccess, 0);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDeviceProperties(nullptr, 0), cudaErrorInvalidValue);
}

TEST_F(QueryTest, AttributesAgreeWithProperties) {
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(AttributeOf(cudaDevAttrMultiProcessorCount), properties.multiProcessorCount);
  EXPECT_EQ(AttributeOf(cudaDevAttrMaxSharedMemoryPerBlockOptin),
            static_cast<int>(properties.sharedMemPerBlockOptin));
  EXPECT_EQ(AttributeOf(cudaDevAttrComputeCapabilityMajor), properties.major);
  EXPECT_EQ(AttributeOf(cudaDevAttrL2CacheSize), properties.l2CacheSize);
  EXPECT_EQ(AttributeOf(cudaDevAttrMaxBlocksPerMultiprocessor),
            properties.maxBlocksPerMultiProcessor);
  EXPECT_GT(AttributeOf(cudaDevAttrClockRate), 0);
  EXPECT_GT(AttributeOf(cudaDevAttrMemoryClockRate), 0);
  EXPECT_EQ(AttributeOf(cudaDevAttrSingleToDoublePrecisionPerfRatio), 2);
  EXPECT_EQ(AttributeOf(cudaDevAttrIntegrated), 0);
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(0), 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0), cudaErrorInvalidValue);
}

TEST_F(QueryTest, HasOneDevice) {
  int value = -1;
  EXPECT_EQ(cudaGetDeviceCount(&value), cudaSuccess);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDevice(&value), cudaSuccess);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(cudaRuntimeGetVersion(&value), cudaSuccess);
  EXPECT_EQ(value, CUDART_VERSION);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&value, 0, 1), cudaErrorInvalidDevice);
  char bus[32] = {};
  EXPECT_EQ(cudaDeviceGetPCIBusId(bus, sizeof bus, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&value, bus), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetPCIBusId(bus, 4, 0), cudaErrorInvalidValue);
}

TEST_F(QueryTest, KeepsLimitsAndFlags) {
  std::size_t value = 0;
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(value, 8U << 20);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(value, 64U << 20);
  EXPECT_EQ(cudaDeviceGetLimit(&value, static_cast<cudaLimit>(7)), cudaErrorUnsupportedLimit);
  unsigned flags = 0;
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), cudaSuccess);
  EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
  EXPECT_EQ(flags & cudaDeviceScheduleMask, unsigned{cudaDeviceScheduleBlockingSync});
}

TEST_F(QueryTest, TellsAKernelsAttributes) {
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, kernel()), cudaSuccess);
  EXPECT_EQ(attributes.numRegs, 96);
  EXPECT_EQ(attributes.sharedSizeBytes, kStaticSharedBytes);
  EXPECT_EQ(attributes.ptxVersion, 80);
  EXPECT_EQ(attributes.binaryVersion, 90);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 640);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 48 * 1024);
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, unknown()), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaFuncGetAttributes(nullptr, kernel()), cudaErrorInvalidValue);
  // No figure of ptxas: not zero all the same.
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, nothing()), cudaSuccess);
  EXPECT_EQ(attributes.numRegs, 32);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(cudaFuncSetAttribute(kernel(), cudaFuncAttributePreferredSharedMemoryCarveout, 101),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetCacheConfig(kernel(), cudaFuncCachePreferL1), cudaSuccess);
}

TEST_F(QueryTest, TellsOccupancy) {
  int blocks = 0;
  // 96 registers: 3072 a warp, 21 warps of 65536, 20 in whole quarters; 5 blocks of 4 warps.
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel(), 128, 0), cudaSuccess);
  EXPECT_EQ(blocks, 5);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, nothing(), 1024, 0, 0),
            cudaSuccess);
  EXPECT_EQ(blocks, 2);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing(), 32, 100 * 1024),
            cudaSuccess);
  EXPECT_EQ(blocks, 2);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing(), 32, 1 << 30),
            cudaSuccess);
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing(), 0, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, unknown(), 32, 0),
            cudaErrorInvalidDeviceFunction);
  std::size_t shared_bytes = 0;
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&shared_bytes, nothing(), 2, 32),
            cudaSuccess);
  EXPECT_EQ(shared_bytes, 113U * 1024);  // 228 KiB / 2, less the 1 KiB that is reserved.
}

}  // namespace
}  // namespace assay::gpu::runtime
