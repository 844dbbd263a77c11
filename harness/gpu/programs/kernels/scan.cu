// SPDX-License-Identifier: Apache-2.0
// Prefix sums: Hillis-Steele within a block (double buffer in shared memory), Blelloch's up- and
// down-sweep, and warp scans by shuffles over many blocks with a second launch for the offsets.
#include "../common/check.h"

__global__ void ScanHillisSteele(const int* in, int* out, int n) {
  extern __shared__ int buffer[];
  int from = 0;
  buffer[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    const int to = 1 - from;
    int value = buffer[from * blockDim.x + threadIdx.x];
    if (threadIdx.x >= offset) {
      value += buffer[from * blockDim.x + threadIdx.x - offset];
    }
    buffer[to * blockDim.x + threadIdx.x] = value;
    from = to;
    __syncthreads();
  }
  if (threadIdx.x < n) {
    out[threadIdx.x] = buffer[from * blockDim.x + threadIdx.x];
  }
}

/// Exclusive; n = 2 * blockDim.x, a power of two.
__global__ void ScanBlelloch(const int* in, int* out, int n) {
  extern __shared__ int tree[];
  tree[2 * threadIdx.x] = in[2 * threadIdx.x];
  tree[2 * threadIdx.x + 1] = in[2 * threadIdx.x + 1];
  int offset = 1;
  for (int active = n / 2; active > 0; active /= 2) {
    __syncthreads();
    if (threadIdx.x < active) {
      tree[offset * (2 * threadIdx.x + 2) - 1] += tree[offset * (2 * threadIdx.x + 1) - 1];
    }
    offset *= 2;
  }
  if (threadIdx.x == 0) {
    tree[n - 1] = 0;
  }
  for (int active = 1; active < n; active *= 2) {
    offset /= 2;
    __syncthreads();
    if (threadIdx.x < active) {
      const int left = offset * (2 * threadIdx.x + 1) - 1;
      const int right = offset * (2 * threadIdx.x + 2) - 1;
      const int value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  __syncthreads();
  out[2 * threadIdx.x] = tree[2 * threadIdx.x];
  out[2 * threadIdx.x + 1] = tree[2 * threadIdx.x + 1];
}

__device__ int WarpInclusiveScan(int value) {
  for (int offset = 1; offset < 32; offset *= 2) {
    const int other = __shfl_up_sync(0xFFFFFFFFU, value, offset);
    if (threadIdx.x % 32 >= offset) {
      value += other;
    }
  }
  return value;
}

__global__ void ScanBlocks(const int* in, int* out, int* totals, int n) {
  __shared__ int warps[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  int value = WarpInclusiveScan(i < n ? in[i] : 0);
  if (lane == 31) {
    warps[warp] = value;
  }
  __syncthreads();
  if (warp == 0) {
    const int total = WarpInclusiveScan(lane < blockDim.x / 32 ? warps[lane] : 0);
    warps[lane] = total;
  }
  __syncthreads();
  if (warp > 0) {
    value += warps[warp - 1];
  }
  if (i < n) {
    out[i] = value;
  }
  if (totals != nullptr && threadIdx.x == blockDim.x - 1) {
    totals[blockIdx.x] = value;
  }
}

__global__ void AddOffsets(int* out, const int* totals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n) {
    out[i] += totals[blockIdx.x - 1];
  }
}

int main() {
  constexpr int kSize = 10007;
  constexpr int kThreads = 256;
  constexpr int kBlocks = (kSize + kThreads - 1) / kThreads;
  check::Random random(8);
  std::vector<int> in(kSize);
  std::vector<int> inclusive(kSize);
  std::vector<int> exclusive(kSize);
  int sum = 0;
  for (int i = 0; i < kSize; ++i) {
    in[i] = static_cast<int>(random.Below(2001)) - 1000;
    exclusive[i] = sum;
    sum += in[i];
    inclusive[i] = sum;
  }
  const check::DeviceArray<int> device_in(in), out(kSize, 0), totals(kBlocks, 0);
  const auto first = [&out](int count) {
    std::vector<int> values = out.Download();
    values.resize(count);
    return values;
  };

  ScanHillisSteele<<<1, kThreads, 2 * kThreads * sizeof(int)>>>(device_in.get(), out.get(), 250);
  SYNCHRONIZE();
  check::ExpectEqual("Hillis-Steele", first(250),
                     std::vector<int>(inclusive.begin(), inclusive.begin() + 250));
  ScanBlelloch<<<1, kThreads, 2 * kThreads * sizeof(int)>>>(device_in.get(), out.get(),
                                                            2 * kThreads);
  SYNCHRONIZE();
  check::ExpectEqual("Blelloch", first(2 * kThreads),
                     std::vector<int>(exclusive.begin(), exclusive.begin() + 2 * kThreads));
  ScanBlocks<<<kBlocks, kThreads>>>(device_in.get(), out.get(), totals.get(), kSize);
  ScanBlocks<<<1, kThreads>>>(totals.get(), totals.get(), nullptr, kBlocks);
  AddOffsets<<<kBlocks, kThreads>>>(out.get(), totals.get(), kSize);
  SYNCHRONIZE();
  check::ExpectEqual("shuffles, many blocks", out.Download(), inclusive);
  return check::Finish();
}
