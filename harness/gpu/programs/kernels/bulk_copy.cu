// SPDX-License-Identifier: Apache-2.0
// Bulk copies between device and shared memory: by cuda::memcpy_async, which makes them of what is
// aligned (of CUDA 11: copies of 16 bytes); and by PTX, there and back, in two stages. Who comes
// late to a barrier makes others ask it more often.
// FLAGS: -gencode=arch=compute_90,code=[sm_90,compute_90]
// HARDWARE: bulk copies are no loads or stores of a warp there
// COUNTERS: vary
// COUNT: Reverse global_load.sectors 384 from CUDA 13
// COUNT: Reverse global_load.requests 24 from CUDA 13
// COUNT: Reverse shared_store.bytes 12288
// COUNT: Stream global_load.sectors 384
// COUNT: Stream global_store.sectors 384
#include <cuda/barrier>

#include "../common/check.h"

constexpr int kThreads = 128;
constexpr int kTile = 512;
constexpr int kTiles = 6;
constexpr int kSize = kTile * kTiles;
constexpr unsigned kTileBytes = kTile * sizeof(float);

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__host__ __device__ float Changed(float x) { return 3 * x + 1; }

// A tile a block, backwards.
__global__ void Reverse(const float* in, float* out) {
  __shared__ alignas(128) float tile[kTile];
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  auto* barrier = reinterpret_cast<Barrier*>(storage);
  if (threadIdx.x == 0) {
    init(barrier, blockDim.x);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::memcpy_async(tile, in + blockIdx.x * kTile, cuda::aligned_size_t<16>(kTileBytes),
                       *barrier);
  }
  barrier->arrive_and_wait();
  for (int i = threadIdx.x; i < kTile; i += kThreads) {
    out[blockIdx.x * kTile + i] = tile[kTile - 1 - i];
  }
}

// All tiles by one block: while one is changed in place, the next is on its way.
__global__ void Stream(const float* in, float* out) {
#if __CUDACC_VER_MAJOR__ >= 12 && __CUDA_ARCH__ >= 900
  __shared__ alignas(128) float tiles[2][kTile];
  __shared__ alignas(8) unsigned long long full[2];
  const auto shared = [](const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
  };
  const auto load = [&](int tile) {
    const unsigned barrier = shared(&full[tile % 2]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(kTileBytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared(tiles[tile % 2])),
        "l"(in + tile * kTile), "r"(kTileBytes), "r"(barrier)
        : "memory");
  };
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < 2; ++stage) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&full[stage])) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    load(0);
  }
  __syncthreads();
  for (int tile = 0; tile < kTiles; ++tile) {
    if (threadIdx.x == 0 && tile + 1 < kTiles) {
      // What was stored from there has been read.
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      load(tile + 1);
    }
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t selp.u32 %0, "
          "1, 0, p; }"
          : "=r"(done)
          : "r"(shared(&full[tile % 2])), "r"(tile / 2 % 2)
          : "memory");
    }
    for (int i = threadIdx.x; i < kTile; i += kThreads) {
      tiles[tile % 2][i] = Changed(tiles[tile % 2][i]);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile(
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + tile * kTile),
          "r"(shared(tiles[tile % 2])), "r"(kTileBytes)
          : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
#else
  for (int i = threadIdx.x; i < kSize; i += kThreads) {
    out[i] = Changed(in[i]);
  }
#endif
}

int main() {
  check::Random random(31);
  std::vector<float> in(kSize);
  for (float& x : in) {
    x = static_cast<float>(random.Below(1000));
  }
  std::vector<float> reversed(kSize);
  std::vector<float> changed(kSize);
  for (int i = 0; i < kSize; ++i) {
    reversed[i] = in[i / kTile * kTile + kTile - 1 - i % kTile];
    changed[i] = Changed(in[i]);
  }
  const check::DeviceArray<float> device_in(in);
  const check::DeviceArray<float> out(kSize);
  Reverse<<<kTiles, kThreads>>>(device_in.get(), out.get());
  SYNCHRONIZE();
  check::ExpectEqual("reversed", out.Download(), reversed);
  const check::DeviceArray<float> streamed(kSize);
  Stream<<<1, kThreads>>>(device_in.get(), streamed.get());
  SYNCHRONIZE();
  check::ExpectEqual("streamed", streamed.Download(), changed);
  return check::Finish();
}
