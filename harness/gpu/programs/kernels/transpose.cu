// SPDX-License-Identifier: Apache-2.0
// A matrix transposed three ways: straight (strided stores), through a tile in shared memory
// (32-way bank conflicts), and through a padded tile (none).
#include "../common/check.h"

constexpr int kTile = 32;
constexpr int kRowsAtOnce = 8;

__global__ void TransposeNaive(const float* in, float* out, int rows, int columns) {
  const int column = blockIdx.x * kTile + threadIdx.x;
  for (int j = threadIdx.y; j < kTile; j += kRowsAtOnce) {
    const int row = blockIdx.y * kTile + j;
    if (row < rows && column < columns) {
      out[column * rows + row] = in[row * columns + column];
    }
  }
}

template <int kPitch>
__global__ void TransposeTiled(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kPitch];
  const int column = blockIdx.x * kTile + threadIdx.x;
  for (int j = threadIdx.y; j < kTile; j += kRowsAtOnce) {
    const int row = blockIdx.y * kTile + j;
    if (row < rows && column < columns) {
      tile[j][threadIdx.x] = in[row * columns + column];
    }
  }
  __syncthreads();
  const int out_column = blockIdx.y * kTile + threadIdx.x;
  for (int j = threadIdx.y; j < kTile; j += kRowsAtOnce) {
    const int out_row = blockIdx.x * kTile + j;
    if (out_row < columns && out_column < rows) {
      out[out_row * rows + out_column] = tile[threadIdx.x][j];
    }
  }
}

int main() {
  constexpr int kRows = 100;
  constexpr int kColumns = 70;
  const std::vector<float> in = check::Random(6).Floats(kRows * kColumns, -1, 1);
  std::vector<float> want(in.size());
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      want[column * kRows + row] = in[row * kColumns + column];
    }
  }
  const check::DeviceArray<float> device_in(in), out(in.size(), 0);
  const dim3 grid((kColumns + kTile - 1) / kTile, (kRows + kTile - 1) / kTile);
  const dim3 block(kTile, kRowsAtOnce);
  TransposeNaive<<<grid, block>>>(device_in.get(), out.get(), kRows, kColumns);
  SYNCHRONIZE();
  check::ExpectEqual("naive", out.Download(), want);
  CUDA_OK(cudaMemset(out.get(), 0, in.size() * sizeof(float)));
  TransposeTiled<kTile><<<grid, block>>>(device_in.get(), out.get(), kRows, kColumns);
  SYNCHRONIZE();
  check::ExpectEqual("tiled", out.Download(), want);
  CUDA_OK(cudaMemset(out.get(), 0, in.size() * sizeof(float)));
  TransposeTiled<kTile + 1><<<grid, block>>>(device_in.get(), out.get(), kRows, kColumns);
  SYNCHRONIZE();
  check::ExpectEqual("tiled and padded", out.Download(), want);
  return check::Finish();
}
