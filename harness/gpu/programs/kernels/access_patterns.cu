// SPDX-License-Identifier: Apache-2.0
// Patterns of access whose sectors and wavefronts are worked out by hand. A grid of 4 blocks of 128
// threads is 16 warps; an aligned warp of 4-byte words is 128 bytes, 4 sectors of 32.
//
// COUNT: Consecutive global_load.requests 16
// COUNT: Consecutive global_load.bytes 2048
// COUNT: Consecutive global_load.sectors 64
// COUNT: Consecutive global_load.ideal_sectors 64
// COUNT: Consecutive global_store.requests 16
// COUNT: Consecutive global_store.sectors 64
// COUNT: Consecutive compulsory_read_bytes 2048
// COUNT: Consecutive compulsory_write_bytes 2048
// One word further on, a warp's 128 bytes touch five sectors; the whole spans 2052 bytes and so 65.
// COUNT: Shifted global_load.sectors 80
// COUNT: Shifted global_load.ideal_sectors 64
// COUNT: Shifted compulsory_read_bytes 2080
// Every other word: 256 bytes a warp.
// COUNT: Strided2 global_load.sectors 128
// COUNT: Strided2 global_load.bytes 2048
// A word from each line of 128 bytes: a sector a lane.
// COUNT: Strided32 global_load.sectors 512
// COUNT: Strided32 compulsory_read_bytes 16384
// All lanes the same word.
// COUNT: Broadcast global_load.requests 16
// COUNT: Broadcast global_load.sectors 16
// COUNT: Broadcast compulsory_read_bytes 32
// 16 bytes a lane, 512 a warp, and 1 byte a lane, 32 a warp.
// COUNT: Fours global_load.sectors 256
// COUNT: Fours global_load.bytes 8192
// COUNT: Bytes global_load.sectors 16
// COUNT: Bytes global_load.bytes 512
// Half of the lanes of each warp.
// COUNT: EvenLanes global_load.requests 16
// COUNT: EvenLanes global_load.threads 256
// COUNT: EvenLanes global_load.sectors 64
// Shared memory has 32 banks of 4 bytes. A stride of s words has gcd(s, 32) lanes in a bank.
// COUNT: Banks<1> shared_load.wavefronts 1
// COUNT: Banks<2> shared_load.wavefronts 2
// COUNT: Banks<3> shared_load.wavefronts 1
// COUNT: Banks<8> shared_load.wavefronts 8
// COUNT: Banks<32> shared_load.requests 1
// COUNT: Banks<32> shared_load.wavefronts 32
// COUNT: Banks<32> shared_load.ideal_wavefronts 1
// COUNT: Banks<33> shared_load.wavefronts 1
// Stride 0 is one word for all: a broadcast.
// COUNT: Banks<0> shared_load.wavefronts 1
// COUNT: Banks<1> shared_store.requests 34
// COUNT: Banks<1> shared_store.wavefronts 34
// 8 and 16 bytes a lane are 256 and 512 bytes of banks that pass 128 at once.
// COUNT: Wide<float2> shared_load.wavefronts 2
// COUNT: Wide<float4> shared_load.wavefronts 4
// COUNT: Wide<float4> shared_load.ideal_wavefronts 4
// Two barriers and five shuffles for each of 16 warps.
// COUNT: Steps barriers 32
// COUNT: Steps shuffles 80
#include "../common/check.h"

__device__ int Thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void Consecutive(const float* x, float* y) { y[Thread()] = x[Thread()]; }
__global__ void Shifted(const float* x, float* y) { y[Thread()] = x[Thread() + 1]; }
__global__ void Strided2(const float* x, float* y) { y[Thread()] = x[2 * Thread()]; }
__global__ void Strided32(const float* x, float* y) { y[Thread()] = x[32 * Thread()]; }
__global__ void Broadcast(const float* x, float* y) { y[Thread()] = x[0]; }
__global__ void Fours(const float4* x, float* y) {
  const float4 four = x[Thread()];
  y[Thread()] = four.x + four.y + four.z + four.w;
}
__global__ void Bytes(const unsigned char* x, float* y) { y[Thread()] = x[Thread()]; }
__global__ void EvenLanes(const float* x, float* y) {
  if (threadIdx.x % 2 == 0) {
    y[Thread()] = x[Thread()];
  }
}

template <int kStride>
__global__ void Banks(float* y) {
  __shared__ float tile[34 * 32];
#pragma unroll
  for (int i = 0; i < 34; ++i) {
    tile[32 * i + threadIdx.x] = static_cast<float>(32 * i + threadIdx.x);
  }
  __syncthreads();
  y[threadIdx.x] = tile[kStride * threadIdx.x];
}

template <class T>
__global__ void Wide(float* y) {
  __shared__ T tile[32];
  tile[threadIdx.x] = T{static_cast<float>(threadIdx.x), 1};
  __syncthreads();
  const T value = tile[31 - threadIdx.x];
  y[threadIdx.x] = value.x + value.y;
}

__global__ void Steps(float* y) {
  float value = static_cast<float>(threadIdx.x);
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xFFFFFFFFU, value, offset);
  }
  __syncthreads();
  y[Thread()] = value;
  __syncthreads();
}

int main() {
  constexpr int kThreads = 512;
  std::vector<float> values(kThreads * 32);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
  }
  const check::DeviceArray<float> x(values), y(kThreads);
  const check::DeviceArray<unsigned char> bytes(kThreads, 3);
  const auto expect = [&y](const char* name, int count, float (*want)(int)) {
    SYNCHRONIZE();
    std::vector<float> got = y.Download();
    got.resize(count);
    std::vector<float> expected;
    for (int i = 0; i < count; ++i) {
      expected.push_back(want(i));
    }
    check::ExpectEqual(name, got, expected);
  };
  const auto number = [](int i) { return static_cast<float>(i); };
  Consecutive<<<4, 128>>>(x.get(), y.get());
  expect("consecutive", kThreads, number);
  Shifted<<<4, 128>>>(x.get(), y.get());
  expect("shifted", kThreads, [](int i) { return static_cast<float>(i + 1); });
  Strided2<<<4, 128>>>(x.get(), y.get());
  expect("every other", kThreads, [](int i) { return static_cast<float>(2 * i); });
  Strided32<<<4, 128>>>(x.get(), y.get());
  expect("one a line", kThreads, [](int i) { return static_cast<float>(32 * i); });
  Broadcast<<<4, 128>>>(x.get(), y.get());
  expect("the same", kThreads, [](int) { return 0.0F; });
  Fours<<<4, 128>>>(reinterpret_cast<const float4*>(x.get()), y.get());
  expect("fours", kThreads, [](int i) { return static_cast<float>(16 * i + 6); });
  Bytes<<<4, 128>>>(bytes.get(), y.get());
  expect("bytes", kThreads, [](int) { return 3.0F; });
  EvenLanes<<<4, 128>>>(x.get(), y.get());
  expect("even lanes", kThreads, [](int i) { return i % 2 == 0 ? static_cast<float>(i) : 3.0F; });
  Banks<0><<<1, 32>>>(y.get());
  expect("stride 0", 32, [](int) { return 0.0F; });
  Banks<1><<<1, 32>>>(y.get());
  expect("stride 1", 32, number);
  Banks<2><<<1, 32>>>(y.get());
  expect("stride 2", 32, [](int i) { return static_cast<float>(2 * i); });
  Banks<3><<<1, 32>>>(y.get());
  expect("stride 3", 32, [](int i) { return static_cast<float>(3 * i); });
  Banks<8><<<1, 32>>>(y.get());
  expect("stride 8", 32, [](int i) { return static_cast<float>(8 * i); });
  Banks<32><<<1, 32>>>(y.get());
  expect("stride 32", 32, [](int i) { return static_cast<float>(32 * i); });
  Banks<33><<<1, 32>>>(y.get());
  expect("stride 33", 32, [](int i) { return static_cast<float>(33 * i); });
  Wide<float2><<<1, 32>>>(y.get());
  expect("8 bytes", 32, [](int i) { return static_cast<float>(32 - i); });
  Wide<float4><<<1, 32>>>(y.get());
  expect("16 bytes", 32, [](int i) { return static_cast<float>(32 - i); });
  Steps<<<4, 128>>>(y.get());
  expect("steps", kThreads, [](int i) { return static_cast<float>(i % 128 / 32 * 1024 + 496); });
  return check::Finish();
}
