// SPDX-License-Identifier: Apache-2.0
// Blocks that store to one place what the others store there: a remark, once a kernel and line,
// however their lanes lie. Where one of them stores something else it is an error.
// REPORTED: 7
#include "../common/bug.h"

constexpr int kRow = 256;
constexpr int kBlocks = 40;

__global__ void WholeRows(int* row, float4* wide) {
  const int own = kBug ? 0 : blockIdx.x * kRow;
  row[own + threadIdx.x] = 7 * threadIdx.x;  // INFO: racecheck write_after_write
  const float t = threadIdx.x;
  wide[own + threadIdx.x] = make_float4(t, t + 1, -t, 0.5F);  // INFO: racecheck write_after_write
}

__global__ void Flag(int* flag, short* all) {
  const int own = kBug ? 0 : blockIdx.x;
  if (threadIdx.x == 0) {
    flag[own] = 1;  // INFO: racecheck write_after_write
  }
  if (threadIdx.x < 32) {
    all[own] = 5;  // INFO: racecheck write_after_write
  }
}

// What block b has behind its own 256 places the next block stores too; twice, as loops do.
__global__ void Halo(double* values) {
  const int begin = blockIdx.x * kRow + 3;
  for (int round = 0; round < 2; ++round) {
    for (int i = begin + threadIdx.x; i < begin + kRow + (kBug ? 5 : 0); i += kRow) {
      values[i] = 0.25 * i;  // INFO: racecheck write_after_write
    }
  }
}

__global__ void Scattered(unsigned char* values) {
  const int at = (threadIdx.x * 37 & 255) / 2;
  values[(kBug ? 0 : blockIdx.x * kRow) + at] = at;  // INFO: racecheck write_after_write
}

__global__ void OneDiffers(int* row) {
  const int own = kBug ? 0 : blockIdx.x * kRow;
  const int value = blockIdx.x == kBlocks - 1 && threadIdx.x == 100 ? 8 : 9;
  row[own + threadIdx.x] = value;  // BUG: racecheck write_after_write
}

int main() {
  int* row = AllocateZeros<int>(kBlocks * kRow);
  auto* wide = Allocate<float4>(kBlocks * kRow);
  int* flag = Allocate<int>(kBlocks);
  short* all = Allocate<short>(kBlocks);
  double* values = Allocate<double>(kBlocks * kRow + 16);
  auto* bytes = Allocate<unsigned char>(kBlocks * kRow);
  for (int launch = 0; launch < 3; ++launch) {
    WholeRows<<<kBlocks, kRow>>>(row, wide);
    Flag<<<kBlocks, kRow>>>(flag, all);
    Halo<<<kBlocks, kRow>>>(values);
    Scattered<<<kBlocks, kRow>>>(bytes);
    OneDiffers<<<kBlocks, kRow>>>(row);
  }
  const int outcome = Finish();
  cudaFree(row);
  cudaFree(wide);
  cudaFree(flag);
  cudaFree(all);
  cudaFree(values);
  cudaFree(bytes);
  return outcome;
}
