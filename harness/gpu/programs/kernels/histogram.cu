// SPDX-License-Identifier: Apache-2.0
// A histogram of bytes: atomics on shared memory, then on global memory; and on global memory
// alone.
#include "../common/check.h"

constexpr int kBins = 256;

__global__ void HistogramShared(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned local[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) {
    local[i] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[data[i]], 1U);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) {
    if (local[i] != 0) {
      atomicAdd(&bins[i], local[i]);
    }
  }
}

__global__ void HistogramGlobal(const uchar4* data, int n4, unsigned* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) {
    const uchar4 four = data[i];
    atomicAdd(&bins[four.x], 1U);
    atomicAdd(&bins[four.y], 1U);
    atomicAdd(&bins[four.z], 1U);
    atomicAdd(&bins[four.w], 1U);
  }
}

int main() {
  constexpr int kSize = 40000;
  check::Random random(7);
  std::vector<unsigned char> data(kSize);
  std::vector<unsigned> want(kBins);
  for (unsigned char& value : data) {
    value = static_cast<unsigned char>(random.Below(16) * random.Below(16));
    ++want[value];
  }
  const check::DeviceArray<unsigned char> device_data(data);
  const check::DeviceArray<unsigned> shared_bins(kBins, 0), global_bins(kBins, 0);
  HistogramShared<<<12, 192>>>(device_data.get(), kSize, shared_bins.get());
  SYNCHRONIZE();
  check::ExpectEqual("shared, then global atomics", shared_bins.Download(), want);
  HistogramGlobal<<<(kSize / 4 + 127) / 128, 128>>>(
      reinterpret_cast<const uchar4*>(device_data.get()), kSize / 4, global_bins.get());
  SYNCHRONIZE();
  check::ExpectEqual("global atomics", global_bins.Download(), want);
  return check::Finish();
}
