// SPDX-License-Identifier: Apache-2.0
// Copies of every direction, pitched memory and 2D copies, memset of bytes and rows, pointers
// within allocations, kernels that read through a pitch.
#include "../common/check.h"

__global__ void AddRowNumbers(int* x, std::size_t pitch, int width) {
  int* row = reinterpret_cast<int*>(reinterpret_cast<char*>(x) + blockIdx.x * pitch);
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    row[i] += static_cast<int>(blockIdx.x);
  }
}

int main() {
  constexpr int kRows = 20;
  constexpr int kWidth = 33;
  constexpr std::size_t kRowBytes = kWidth * sizeof(int);
  std::vector<int> host(kRows * kWidth);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = static_cast<int>(7 * i);
  }
  int* pitched = nullptr;
  std::size_t pitch = 0;
  CUDA_OK(cudaMallocPitch(reinterpret_cast<void**>(&pitched), &pitch, kRowBytes, kRows));
  check::Expect("a pitch is aligned and long enough", pitch >= kRowBytes && pitch % 256 == 0);
  CUDA_OK(cudaMemcpy2D(pitched, pitch, host.data(), kRowBytes, kRowBytes, kRows,
                       cudaMemcpyHostToDevice));
  AddRowNumbers<<<kRows, 32>>>(pitched, pitch, kWidth);
  SYNCHRONIZE();
  std::vector<int> want = host;
  for (std::size_t i = 0; i < want.size(); ++i) {
    want[i] += static_cast<int>(i / kWidth);
  }
  std::vector<int> got(host.size());
  CUDA_OK(cudaMemcpy2D(got.data(), kRowBytes, pitched, pitch, kRowBytes, kRows,
                       cudaMemcpyDeviceToHost));
  check::ExpectEqual("2D copies", got, want);

  const check::DeviceArray<int> dense(host.size());
  CUDA_OK(cudaMemcpy2D(dense.get(), kRowBytes, pitched, pitch, kRowBytes, kRows,
                       cudaMemcpyDeviceToDevice));
  check::ExpectEqual("2D on the device", dense.Download(), want);
  CUDA_OK(cudaMemset2D(pitched, pitch, 0xFF, 4 * sizeof(int), 3));
  CUDA_OK(cudaMemcpy2D(got.data(), kRowBytes, pitched, pitch, kRowBytes, kRows, cudaMemcpyDefault));
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 4; ++i) {
      want[row * kWidth + i] = -1;
    }
  }
  check::ExpectEqual("2D memset", got, want);
  CUDA_OK(cudaFree(pitched));

  CUDA_OK(cudaMemcpy(dense.get() + 10, host.data(), 5 * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(dense.get(), dense.get() + 10, 5 * sizeof(int), cudaMemcpyDeviceToDevice));
  got = dense.Download();
  check::Expect("within an allocation",
                got[0] == host[0] && got[4] == host[4] && got[14] == host[4]);
  int copy[4] = {};
  CUDA_OK(cudaMemcpy(copy, host.data() + 1, sizeof(copy), cudaMemcpyHostToHost));
  check::Expect("host to host", copy[0] == host[1] && copy[3] == host[4]);
  return check::Finish();
}
