// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <numeric>
#include <vector>

#include "cudart/runtime/runtime_for_test.h"

namespace assay::gpu::runtime {
namespace {

using MemoryTest = RuntimeTest;

TEST_F(MemoryTest, GoesThereAndBack) {
  std::array<int, 4> in{1, 2, 3, 4};
  std::array<int, 4> out{};
  void* const a = Allocated(sizeof in);
  void* const b = Allocated(sizeof in);
  EXPECT_EQ(cudaMemcpy(a, in.data(), sizeof in, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(b, a, sizeof in, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), b, sizeof in, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, in);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFree(b), cudaSuccess);
  EXPECT_EQ(Fake().live_allocations(), 0U);
}

TEST_F(MemoryTest, FindsDirectionsByPointer) {
  int in = 5;
  int out = 0;
  void* const a = Allocated(sizeof in);
  void* const b = Allocated(sizeof in);
  EXPECT_EQ(cudaMemcpy(a, &in, sizeof in, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(b, a, sizeof in, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(&out, b, sizeof in, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(out, 5);
  out = 0;
  EXPECT_EQ(cudaMemcpy(&out, &in, sizeof in, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(out, 5);
}

TEST_F(MemoryTest, RefusesWrongPointersAndDirections) {
  int host = 0;
  void* const device = Allocated(sizeof host);
  EXPECT_EQ(cudaMemcpy(&host, &host, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, device, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, device, sizeof host, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, nullptr, sizeof host, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, &host, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, &host, sizeof host, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(device, &host, sizeof host + 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
}

TEST_F(MemoryTest, RefusesFreesOfWhatIsNone) {
  auto* const pointer = static_cast<char*>(Allocated(64));
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer + 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
  int host = 0;
  EXPECT_EQ(cudaFree(&host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(&host), cudaErrorInvalidValue);
}

TEST_F(MemoryTest, RefusesMoreThanThereIs) {
  void* pointer = nullptr;
  std::size_t pitch = 0;
  EXPECT_EQ(cudaMalloc(&pointer, std::size_t{1} << 40), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&pointer, ~std::size_t{0}), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocPitch(&pointer, &pitch, std::size_t{1} << 40, std::size_t{1} << 40),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocPitch(&pointer, &pitch, ~std::size_t{0}, 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocHost(&pointer, ~std::size_t{0} / 2), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocManaged(&pointer, std::size_t{1} << 40, cudaMemAttachGlobal),
            cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
  EXPECT_TRUE(Notices().empty());
}

TEST_F(MemoryTest, OfNoBytesIsNull) {
  void* pointer = &pointer;
  EXPECT_EQ(cudaMalloc(&pointer, 0), cudaSuccess);
  EXPECT_EQ(pointer, nullptr);
}

TEST_F(MemoryTest, CopiesRowsWithPitches) {
  constexpr std::size_t kWidth = 3;
  constexpr std::size_t kHeight = 2;
  std::array<char, 8> in{'a', 'b', 'c', '-', 'd', 'e', 'f', '-'};
  std::array<char, kWidth * kHeight> out{};
  void* pointer = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&pointer, &pitch, kWidth, kHeight), cudaSuccess);
  EXPECT_EQ(pitch % 32, 0U);
  EXPECT_GE(pitch, kWidth);
  EXPECT_EQ(cudaMemcpy2D(pointer, pitch, in.data(), 4, kWidth, kHeight, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(
      cudaMemcpy2D(out.data(), kWidth, pointer, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost),
      cudaSuccess);
  EXPECT_EQ(std::string(out.data(), out.size()), "abcdef");
  EXPECT_EQ(
      cudaMemcpy2D(out.data(), kWidth - 1, pointer, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost),
      cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemset2D(pointer, pitch, 'x', 2, kHeight), cudaSuccess);
  EXPECT_EQ(
      cudaMemcpy2D(out.data(), kWidth, pointer, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost),
      cudaSuccess);
  EXPECT_EQ(std::string(out.data(), out.size()), "xxcxxf");
  EXPECT_EQ(cudaMemset2D(pointer, 1, 'x', 2, kHeight), cudaErrorInvalidPitchValue);
}

TEST_F(MemoryTest, CopiesBoxes) {
  constexpr std::size_t kSide = 2;
  cudaPitchedPtr pitched{};
  ASSERT_EQ(cudaMalloc3D(&pitched, {.width = kSide, .height = kSide, .depth = kSide}), cudaSuccess);
  std::array<char, 8> in{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};
  std::array<char, 8> out{};
  cudaMemcpy3DParms parameters{};
  parameters.srcPtr = {.ptr = in.data(), .pitch = kSide, .xsize = kSide, .ysize = kSide};
  parameters.dstPtr = pitched;
  parameters.extent = {.width = kSide, .height = kSide, .depth = kSide};
  parameters.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&parameters), cudaSuccess);
  parameters.srcPtr = pitched;
  parameters.srcPos = {.x = 1, .y = 0, .z = 1};
  parameters.dstPtr = {.ptr = out.data(), .pitch = kSide, .xsize = kSide, .ysize = kSide};
  parameters.extent = {.width = 1, .height = kSide, .depth = 1};
  parameters.kind = cudaMemcpyDeviceToHost;
  EXPECT_EQ(cudaMemcpy3D(&parameters), cudaSuccess);
  EXPECT_EQ(out[0], 'f');
  EXPECT_EQ(out[2], 'h');
  EXPECT_EQ(cudaMemcpy3D(nullptr), cudaErrorInvalidValue);
}

TEST_F(MemoryTest, IsSetByteByByte) {
  auto* const pointer = static_cast<char*>(Allocated(4));
  std::array<unsigned char, 4> out{};
  EXPECT_EQ(cudaMemset(pointer, 0x1ff, 3), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(out.data(), pointer, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out, (std::array<unsigned char, 4>{0xff, 0xff, 0xff, 0xfb}));
  EXPECT_EQ(cudaMemset(pointer, 0, 5), cudaErrorInvalidValue);
  int host = 0;
  EXPECT_EQ(cudaMemset(&host, 0, sizeof host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
}

TEST_F(MemoryTest, SaysWhatAPointerIs) {
  cudaPointerAttributes attributes{};
  void* const device = Allocated(16);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, device), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.devicePointer, device);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  int host = 0;
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, &host), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 16), cudaSuccess);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, pinned), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(attributes.hostPointer, pinned);
  void* both = nullptr;
  ASSERT_EQ(cudaMallocManaged(&both, 16, cudaMemAttachGlobal), cudaSuccess);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, both), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_EQ(attributes.devicePointer, both);
  EXPECT_EQ(attributes.hostPointer, both);
}

TEST_F(MemoryTest, TellsFreeAndTotal) {
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  EXPECT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  Allocated(1 << 20);
  EXPECT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(before - after, std::size_t{1} << 20);
  EXPECT_GE(total, before);
}

TEST_F(MemoryTest, OfPoolsIsCounted) {
  void* pointer = nullptr;
  cudaMemPool_t pool = nullptr;
  std::uint64_t used = 0;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&pointer, 100, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 100U);
  EXPECT_EQ(cudaFreeAsync(pointer, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 0U);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used), cudaSuccess);
  EXPECT_EQ(used, 100U);
  std::uint64_t threshold = 5;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(pointer, nullptr), cudaErrorInvalidValue);
}

TEST_F(MemoryTest, IsAllFreedByAReset) {
  Allocated(16);
  void* pointer = nullptr;
  ASSERT_EQ(cudaMallocManaged(&pointer, 16, cudaMemAttachGlobal), cudaSuccess);
  EXPECT_EQ(Launch(1, 1), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(Fake().live_allocations(), 0U);
  EXPECT_EQ(Launch(1, 1), cudaSuccess);
  EXPECT_EQ(Fake().modules.size(), 2U);
}

}  // namespace
}  // namespace assay::gpu::runtime
