// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory: raw cp.async of 4, 8 and 16 bytes and with zero
// fill, __pipeline_memcpy_async over two stages, cuda::pipeline, and cg::memcpy_async.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/pipeline>

#include "../common/check.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 64;
constexpr int kStages = 5;

template <int kBytes>
__device__ void CopyAsync(void* shared, const void* global, int source_bytes) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(global),
               "n"(kBytes), "r"(source_bytes)
               : "memory");
}

template <class T>
__global__ void Reverse(const T* x, T* y, int filled) {
  __shared__ T tile[kThreads];
  CopyAsync<sizeof(T)>(&tile[threadIdx.x], &x[threadIdx.x], threadIdx.x < filled ? sizeof(T) : 0);
  asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  y[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

__global__ void SumStages(const float4* x, float* sums) {
  __shared__ float4 buffer[2][kThreads];
  __pipeline_memcpy_async(&buffer[0][threadIdx.x], &x[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  float sum = 0;
  for (int stage = 0; stage < kStages; ++stage) {
    if (stage + 1 < kStages) {
      __pipeline_memcpy_async(&buffer[(stage + 1) % 2][threadIdx.x],
                              &x[(stage + 1) * kThreads + threadIdx.x], sizeof(float4));
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float4 four = buffer[stage % 2][kThreads - 1 - threadIdx.x];
    sum += four.x + four.y + four.z + four.w;
    __syncthreads();
  }
  sums[threadIdx.x] = sum;
}

__global__ void SumPipeline(const float4* x, float* sums) {
  __shared__ float4 buffer[2][kThreads];
  auto pipeline = cuda::make_pipeline();
  float sum = 0;
  for (int stage = 0; stage <= kStages; ++stage) {
    if (stage < kStages) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&buffer[stage % 2][threadIdx.x], &x[stage * kThreads + threadIdx.x],
                         cuda::aligned_size_t<16>(sizeof(float4)), pipeline);
      pipeline.producer_commit();
    }
    if (stage > 0) {
      if (stage < kStages) {
        cuda::pipeline_consumer_wait_prior<1>(pipeline);
      } else {
        cuda::pipeline_consumer_wait_prior<0>(pipeline);
      }
      const float4 four = buffer[(stage - 1) % 2][threadIdx.x];
      sum += four.x + four.y + four.z + four.w;
      pipeline.consumer_release();
    }
  }
  sums[threadIdx.x] = sum;
}

__global__ void ReverseByGroup(const int* x, int* y) {
  __shared__ __align__(16) int tile[kThreads];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, x, sizeof(tile));
  cg::wait(block);
  y[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

bool operator==(int2 a, int2 b) { return a.x == b.x && a.y == b.y; }
bool operator==(int4 a, int4 b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }

template <class T>
void CheckReverse(const char* name, T (*make)(int), int filled) {
  std::vector<T> x(kThreads);
  std::vector<T> want(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    x[i] = make(i);
    want[kThreads - 1 - i] = i < filled ? x[i] : T{};
  }
  const check::DeviceArray<T> device_x(x), y(kThreads);
  Reverse<T><<<1, kThreads>>>(device_x.get(), y.get(), filled);
  SYNCHRONIZE();
  check::ExpectEqual(name, y.Download(), want);
}

int main() {
  CheckReverse<int>("cp.async of 4 bytes", [](int i) { return i + 1; }, kThreads);
  CheckReverse<int2>("cp.async of 8 bytes", [](int i) { return int2{i + 1, -i}; }, kThreads);
  CheckReverse<int4>("cp.async of 16 bytes", [](int i) { return int4{i, -i, 7, i * i}; }, kThreads);
  CheckReverse<int4>("cp.async with zero fill", [](int i) { return int4{i, 2, 3, 4}; }, 40);

  std::vector<float> x(kStages * kThreads * 4);
  std::vector<float> want(kThreads);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
    want[i / 4 % kThreads] += x[i];  // Below 2^24: exact.
  }
  const check::DeviceArray<float> device_x(x), sums(kThreads);
  SumPipeline<<<1, kThreads>>>(reinterpret_cast<const float4*>(device_x.get()), sums.get());
  SYNCHRONIZE();
  check::ExpectEqual("cuda::pipeline", sums.Download(), want);
  SumStages<<<1, kThreads>>>(reinterpret_cast<const float4*>(device_x.get()), sums.get());
  SYNCHRONIZE();
  check::ExpectEqual("__pipeline_memcpy_async", sums.Download(),
                     std::vector<float>(want.rbegin(), want.rend()));

  std::vector<int> integers(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    integers[i] = 3 * i;
  }
  const check::DeviceArray<int> device_integers(integers), reversed(kThreads);
  ReverseByGroup<<<1, kThreads>>>(device_integers.get(), reversed.get());
  SYNCHRONIZE();
  check::ExpectEqual("cg::memcpy_async", reversed.Download(),
                     std::vector<int>(integers.rbegin(), integers.rend()));
  return check::Finish();
}
