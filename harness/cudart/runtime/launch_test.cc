// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "cudart/runtime/runtime_for_test.h"

struct CUkern_st;  // CUDA 11 has no cudaKernel_t.

extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream);
cudaError_t __cudaGetKernel(CUkern_st** kernel, const void* function);
cudaError_t __cudaLaunchKernel(CUkern_st* kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(CUkern_st* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                  std::size_t shared_bytes, cudaStream_t stream);
}

namespace assay::gpu::runtime {
namespace {

using LaunchTest = RuntimeTest;

TEST_F(LaunchTest, PacksArgumentsAsTheKernelHasThem) {
  EXPECT_EQ(Launch(dim3(2, 3, 4), dim3(8, 4, 2), 100), cudaSuccess);
  ASSERT_EQ(Fake().launches.size(), 1U);
  const LaunchRequest& request = Fake().launches[0];
  EXPECT_EQ(request.grid, (std::array<std::uint32_t, 3>{2, 3, 4}));
  EXPECT_EQ(request.block, (std::array<std::uint32_t, 3>{8, 4, 2}));
  EXPECT_EQ(request.dynamic_shared_bytes, 100U);
  EXPECT_EQ(request.dynamic_shared_limit_bytes, 48U * 1024);
  EXPECT_FALSE(request.cooperative);
  int first = 0;
  double second = 0;
  ASSERT_EQ(request.parameters.size(), 16U);
  std::memcpy(&first, request.parameters.data(), sizeof first);
  std::memcpy(&second, request.parameters.data() + 8, sizeof second);
  EXPECT_EQ(first, 42);
  EXPECT_EQ(second, 2.5);
}

TEST_F(LaunchTest, GoesTheWayOfNvcc13) {
  int first = 1;
  double second = 2;
  void* arguments[] = {&first, &second};
  CUkern_st* handle = nullptr;
  ASSERT_EQ(__cudaGetKernel(&handle, kernel()), cudaSuccess);
  EXPECT_EQ(__cudaPushCallConfiguration(dim3(5), dim3(64), 12, nullptr), 0U);
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = cudaStreamPerThread;
  ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream), cudaSuccess);
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(__cudaLaunchKernel(handle, grid, block, arguments, shared_bytes, stream), cudaSuccess);
  EXPECT_EQ(__cudaLaunchKernel_ptsz(handle, grid, block, arguments, shared_bytes, stream),
            cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel_ptsz(kernel(), grid, block, arguments, shared_bytes, stream),
            cudaSuccess);
  ASSERT_EQ(Fake().launches.size(), 3U);
  for (const LaunchRequest& request : Fake().launches) {
    EXPECT_EQ(request.grid[0], 5U);
    EXPECT_EQ(request.block[0], 64U);
    EXPECT_EQ(request.dynamic_shared_bytes, 12U);
  }
}

TEST_F(LaunchTest, NestsConfigurations) {
  __cudaPushCallConfiguration(dim3(1), dim3(1), 0, nullptr);
  __cudaPushCallConfiguration(dim3(2), dim3(1), 0, nullptr);
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream), cudaSuccess);
  EXPECT_EQ(grid.x, 2U);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream), cudaSuccess);
  EXPECT_EQ(grid.x, 1U);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream),
            cudaErrorMissingConfiguration);
}

TEST_F(LaunchTest, LoadsAModuleOnceAtFirstUse) {
  EXPECT_TRUE(Fake().modules.empty());
  EXPECT_EQ(Launch(1, 1), cudaSuccess);
  EXPECT_EQ(Launch(1, 1), cudaSuccess);
  ASSERT_EQ(Fake().modules.size(), 1U);
  EXPECT_EQ(Fake().modules[0], ".version 8.0\n.target sm_80\n");
}

TEST_F(LaunchTest, RefusesDimensions) {
  for (const auto& [grid, block] : std::initializer_list<std::pair<dim3, dim3>>{
           {dim3(0), dim3(1)},
           {dim3(1, 0), dim3(1)},
           {dim3(1), dim3(0)},
           {dim3(1), dim3(1, 1, 0)},
           {dim3(0x80000000U), dim3(1)},
           {dim3(1, 65536), dim3(1)},
           {dim3(1, 1, 65536), dim3(1)},
           {dim3(1), dim3(1025)},
           {dim3(1), dim3(1, 1, 65)},
           {dim3(1), dim3(33, 32)},
           {dim3(1), dim3(65536, 65536)},
       }) {
    EXPECT_EQ(Launch(grid, block), cudaErrorInvalidConfiguration);
  }
  EXPECT_TRUE(Fake().launches.empty());
  EXPECT_EQ(Launch(dim3(0x7fffffffU, 65535, 65535), dim3(8, 8, 8)), cudaSuccess);
}

TEST_F(LaunchTest, RefusesFunctionsItDoesNotKnow) {
  EXPECT_EQ(cudaLaunchKernel(unknown(), 1, 1, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
  CUkern_st* handle = nullptr;
  EXPECT_EQ(__cudaGetKernel(&handle, unknown()), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(__cudaLaunchKernel(handle, 1, 1, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
}

TEST_F(LaunchTest, RefusesMissingArguments) {
  int first = 1;
  void* one_missing[] = {&first, nullptr};
  EXPECT_EQ(cudaLaunchKernel(kernel(), 1, 1, nullptr, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernel(kernel(), 1, 1, one_missing, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernel(nothing(), 1, 1, nullptr, 0, nullptr), cudaSuccess);
}

TEST_F(LaunchTest, NeedsAnOptInForMuchSharedMemory) {
  constexpr int kMuch = 100 * 1024;
  EXPECT_EQ(Launch(1, 32, 48 * 1024), cudaSuccess);
  EXPECT_EQ(Launch(1, 32, 48 * 1024 + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, kMuch),
            cudaSuccess);
  EXPECT_EQ(Launch(1, 32, kMuch), cudaSuccess);
  EXPECT_EQ(Fake().launches.back().dynamic_shared_limit_bytes, std::uint64_t{kMuch});
  EXPECT_EQ(Launch(1, 32, kMuch + 1), cudaErrorInvalidValue);
  EXPECT_EQ(Launch(1, 32, ~std::size_t{0}), cudaErrorInvalidValue);
  const int most = static_cast<int>(H100().shared_bytes_per_block_optin - kStaticSharedBytes);
  EXPECT_EQ(cudaFuncSetAttribute(kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, most),
            cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, -1),
            cudaErrorInvalidValue);
}

TEST_F(LaunchTest, RefusesMoreThreadsThanRegistersAllow) {
  // 96 registers a thread: 65536 hold 21 warps, in whole quarters of 20.
  EXPECT_EQ(Launch(1, 640), cudaSuccess);
  EXPECT_EQ(Launch(1, 641), cudaErrorInvalidValue);
}

TEST_F(LaunchTest, TakesACooperativeGridThatFits) {
  int first = 1;
  double second = 2;
  void* arguments[] = {&first, &second};
  int blocks = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel(), 128, 0), cudaSuccess);
  ASSERT_GT(blocks, 0);
  const unsigned most = static_cast<unsigned>(blocks) * H100().multiprocessors;
  EXPECT_EQ(cudaLaunchCooperativeKernel(kernel(), dim3(most), dim3(128), arguments, 0, nullptr),
            cudaSuccess);
  EXPECT_TRUE(Fake().launches.back().cooperative);
  EXPECT_EQ(cudaLaunchCooperativeKernel(kernel(), dim3(most + 1), dim3(128), arguments, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(LaunchTest, ReadsLaunchAttributes) {
  int first = 1;
  double second = 2;
  void* arguments[] = {&first, &second};
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(3);
  config.blockDim = dim3(32);
  config.dynamicSmemBytes = 16;
  config.attrs = &attribute;
  config.numAttrs = 1;
  EXPECT_EQ(cudaLaunchKernelExC(&config, kernel(), arguments), cudaSuccess);
  ASSERT_EQ(Fake().launches.size(), 1U);
  EXPECT_TRUE(Fake().launches[0].cooperative);
  EXPECT_EQ(Fake().launches[0].dynamic_shared_bytes, 16U);

  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  EXPECT_EQ(cudaLaunchKernelExC(&config, kernel(), arguments), cudaErrorNotSupported);
  EXPECT_THAT(Notices(), ::testing::ElementsAre(::testing::HasSubstr("clusters")));
  attribute.val.clusterDim = {1, 1, 1};
  EXPECT_EQ(cudaLaunchKernelExC(&config, kernel(), arguments), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernelExC(nullptr, kernel(), arguments), cudaErrorInvalidValue);
}

TEST_F(LaunchTest, RefusesStreamsThatAreGone) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(Launch(1, 1, 0, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(Launch(1, 1, 0, stream), cudaErrorInvalidResourceHandle);
}

}  // namespace
}  // namespace assay::gpu::runtime
