// SPDX-License-Identifier: Apache-2.0
// C = A B in f32: a thread an element, and tiles in shared memory with four results a thread.
#include "../common/check.h"

constexpr int kTile = 32;

__global__ void GemmNaive(const float* a, const float* b, float* c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && column < n) {
    float sum = 0;
    for (int i = 0; i < k; ++i) {
      sum += a[row * k + i] * b[i * n + column];
    }
    c[row * n + column] = sum;
  }
}

/// kTile x 8 threads, each with four rows of a tile; any m, n, k.
__global__ void GemmTiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum[4] = {};
  for (int start = 0; start < k; start += kTile) {
    for (int j = threadIdx.y; j < kTile; j += 8) {
      const int row = blockIdx.y * kTile + j;
      const int at = start + threadIdx.x;
      tile_a[j][threadIdx.x] = row < m && at < k ? a[row * k + at] : 0.0F;
      tile_b[j][threadIdx.x] = start + j < k && column < n ? b[(start + j) * n + column] : 0.0F;
    }
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < kTile; ++i) {
      const float value = tile_b[i][threadIdx.x];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        sum[j] = fmaf(tile_a[threadIdx.y + 8 * j][i], value, sum[j]);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    const int row = blockIdx.y * kTile + threadIdx.y + 8 * j;
    if (row < m && column < n) {
      c[row * n + column] = sum[j];
    }
  }
}

int main() {
  constexpr int kM = 70;
  constexpr int kN = 65;
  constexpr int kK = 100;
  check::Random random(10);
  const std::vector<float> a = random.Floats(kM * kK, -1, 1);
  const std::vector<float> b = random.Floats(kK * kN, -1, 1);
  std::vector<double> want(kM * kN);
  for (int row = 0; row < kM; ++row) {
    for (int column = 0; column < kN; ++column) {
      for (int i = 0; i < kK; ++i) {
        want[row * kN + column] += static_cast<double>(a[row * kK + i]) * b[i * kN + column];
      }
    }
  }
  const double bound = kK * kK * 0x1p-24;
  const check::DeviceArray<float> device_a(a), device_b(b), c(want.size());
  GemmNaive<<<dim3((kN + 15) / 16, (kM + 15) / 16), dim3(16, 16)>>>(device_a.get(), device_b.get(),
                                                                    c.get(), kM, kN, kK);
  SYNCHRONIZE();
  check::ExpectNear("naive", c.Download(), want, bound);
  CUDA_OK(cudaMemset(c.get(), 0, want.size() * sizeof(float)));
  GemmTiled<<<dim3((kN + kTile - 1) / kTile, (kM + kTile - 1) / kTile), dim3(kTile, 8)>>>(
      device_a.get(), device_b.get(), c.get(), kM, kN, kK);
  SYNCHRONIZE();
  check::ExpectNear("tiled", c.Download(), want, bound);
  return check::Finish();
}
