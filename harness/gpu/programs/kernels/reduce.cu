// SPDX-License-Identifier: Apache-2.0
// A sum four ways: warp shuffles, a tree in shared memory, atomics alone, and partial sums that the
// last block to finish adds up (an atomic counter behind __threadfence).
#include "../common/check.h"

constexpr int kThreads = 256;
constexpr int kBlocks = 24;

__device__ float WarpSum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xFFFFFFFFU, value, offset);
  }
  return value;
}

__device__ float GridStrideSum(const float* x, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += x[i];
  }
  return sum;
}

__global__ void ReduceByShuffles(const float* x, int n, float* partial) {
  __shared__ float warps[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float sum = WarpSum(GridStrideSum(x, n));
  if (lane == 0) {
    warps[warp] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    sum = WarpSum(lane < blockDim.x / 32 ? warps[lane] : 0.0F);
    if (lane == 0) {
      partial[blockIdx.x] = sum;
    }
  }
}

__device__ float BlockTreeSum(float value, float* tree) {
  tree[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      tree[threadIdx.x] += tree[threadIdx.x + half];
    }
    __syncthreads();
  }
  return tree[0];
}

__global__ void ReduceByTree(const float* x, int n, float* partial) {
  __shared__ float tree[kThreads];
  const float sum = BlockTreeSum(GridStrideSum(x, n), tree);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
  }
}

__global__ void ReduceByAtomics(const unsigned* x, int n, unsigned* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(total, x[i]);
  }
}

__global__ void ReduceByLastBlock(const float* x, int n, float* partial, unsigned* finished,
                                  float* total) {
  __shared__ float tree[kThreads];
  __shared__ bool is_last;
  const float sum = BlockTreeSum(GridStrideSum(x, n), tree);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(finished, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    float rest = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
      rest += reinterpret_cast<volatile float*>(partial)[i];
    }
    rest = BlockTreeSum(rest, tree);
    if (threadIdx.x == 0) {
      *total = rest;
      *finished = 0;
    }
  }
}

int main() {
  constexpr int kSize = 100003;
  check::Random random(1);
  const std::vector<float> x = random.Floats(kSize, -1, 1);
  double sum = 0;
  double magnitude = 0;
  for (const float value : x) {
    sum += value;
    magnitude += std::fabs(value);
  }
  const double bound = magnitude * 32 * 0x1p-24;
  const check::DeviceArray<float> device_x(x);
  const check::DeviceArray<float> partial(kBlocks);
  const auto host_sum = [&] {
    double total = 0;
    for (const float value : partial.Download()) {
      total += value;
    }
    return std::vector<double>{total};
  };

  ReduceByShuffles<<<kBlocks, kThreads>>>(device_x.get(), kSize, partial.get());
  SYNCHRONIZE();
  check::ExpectNear("sum by shuffles", host_sum(), std::vector<double>{sum}, bound);

  ReduceByTree<<<kBlocks, kThreads>>>(device_x.get(), kSize, partial.get());
  SYNCHRONIZE();
  check::ExpectNear("sum by a tree in shared memory", host_sum(), std::vector<double>{sum}, bound);

  const std::vector<std::uint32_t> integers = random.Integers(kSize, 1000);
  std::uint32_t integer_sum = 0;
  for (const std::uint32_t value : integers) {
    integer_sum += value;
  }
  const check::DeviceArray<std::uint32_t> device_integers(integers);
  const check::DeviceArray<std::uint32_t> integer_total(1, 0);
  ReduceByAtomics<<<(kSize + kThreads - 1) / kThreads, kThreads>>>(device_integers.get(), kSize,
                                                                   integer_total.get());
  SYNCHRONIZE();
  check::ExpectEqual("sum by atomics", integer_total.Download(),
                     std::vector<std::uint32_t>{integer_sum});

  const check::DeviceArray<std::uint32_t> finished(1, 0);
  const check::DeviceArray<float> total(1);
  for (int repeat = 0; repeat < 2; ++repeat) {
    ReduceByLastBlock<<<kBlocks, kThreads>>>(device_x.get(), kSize, partial.get(), finished.get(),
                                             total.get());
  }
  SYNCHRONIZE();
  check::ExpectNear("sum by the last block", total.Download(), std::vector<double>{sum}, bound);
  return check::Finish();
}
