// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_PROGRAMS_COMMON_GEMM_MMA_CUH_
#define ASSAY_GPU_PROGRAMS_COMMON_GEMM_MMA_CUH_

#include <cuda_fp16.h>

#include <cstdint>

/// C = A B of row-major half matrices into f32, on tensor cores: tiles of 64 x 64 a block of four
/// warps, steps of 32 in k. m and n are multiples of 64, k of 32.
namespace gemm_mma {

constexpr int kTile = 64;
constexpr int kStep = 32;
constexpr int kThreads = 128;

__device__ inline void LoadMatrices(std::uint32_t (&r)[4], const __half* at) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

__device__ inline void LoadMatricesTransposed(std::uint32_t (&r)[4], const __half* at) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

__device__ inline void MultiplyAdd(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                   std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__global__ void __launch_bounds__(kThreads)
    Multiply(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c,
             int m, int n, int k) {
  // Eight halves of padding keep the rows that ldmatrix reads at once in different banks.
  __shared__ __align__(16) __half tile_a[kTile][kStep + 8];
  __shared__ __align__(16) __half tile_b[kStep][kTile + 8];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / 2 * 32;
  const int warp_column = warp % 2 * 32;
  const int block_row = blockIdx.y * kTile;
  const int block_column = blockIdx.x * kTile;
  float sums[2][4][4] = {};
  for (int start = 0; start < k; start += kStep) {
    for (int i = threadIdx.x; i < kTile * kStep / 8; i += kThreads) {
      const int row = i / (kStep / 8);
      const int column = i % (kStep / 8) * 8;
      *reinterpret_cast<uint4*>(&tile_a[row][column]) = *reinterpret_cast<const uint4*>(
          a + static_cast<size_t>(block_row + row) * k + start + column);
    }
    for (int i = threadIdx.x; i < kTile * kStep / 8; i += kThreads) {
      const int row = i / (kTile / 8);
      const int column = i % (kTile / 8) * 8;
      *reinterpret_cast<uint4*>(&tile_b[row][column]) = *reinterpret_cast<const uint4*>(
          b + static_cast<size_t>(start + row) * n + block_column + column);
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < kStep; step += 16) {
      std::uint32_t fragment_a[2][4];
      std::uint32_t fragment_b[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        LoadMatrices(fragment_a[i], &tile_a[warp_row + 16 * i + lane % 16][step + lane / 16 * 8]);
        LoadMatricesTransposed(fragment_b[i],
                               &tile_b[step + lane % 16][warp_column + 16 * i + lane / 16 * 8]);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          MultiplyAdd(sums[i][j], fragment_a[i], fragment_b[j / 2][j % 2 * 2],
                      fragment_b[j / 2][j % 2 * 2 + 1]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = block_row + warp_row + 16 * i + lane / 4;
      const int column = block_column + warp_column + 8 * j + lane % 4 * 2;
      *reinterpret_cast<float2*>(c + static_cast<size_t>(row) * n + column) = {sums[i][j][0],
                                                                               sums[i][j][1]};
      *reinterpret_cast<float2*>(c + static_cast<size_t>(row + 8) * n + column) = {sums[i][j][2],
                                                                                   sums[i][j][3]};
    }
  }
}

}  // namespace gemm_mma

#endif  // ASSAY_GPU_PROGRAMS_COMMON_GEMM_MMA_CUH_
