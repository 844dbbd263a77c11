// SPDX-License-Identifier: Apache-2.0
// Blocks that talk to each other: a chain in which each block waits for its predecessor's flag
// (release and acquire by cuda::atomic_ref, by volatile and __threadfence, and by inline PTX), and
// a lock by compare-and-swap.
// COUNTERS: vary
#include <cuda/atomic>

#include "../common/check.h"

constexpr int kBlocks = 12;

/// Blocks take their place in the chain in the order in which they start, so that a block waits
/// only for one that runs.
__device__ int Ticket(int* tickets) {
  __shared__ int ticket;
  if (threadIdx.x == 0) {
    ticket = atomicAdd(tickets, 1);
  }
  __syncthreads();
  return ticket;
}

__global__ void ChainByAtomicRef(int* tickets, int* flags, int* values) {
  const int place = Ticket(tickets);
  if (threadIdx.x == 0) {
    int before = 0;
    if (place > 0) {
      cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[place - 1]);
      while (flag.load(cuda::memory_order_acquire) == 0) {
      }
      before = values[place - 1];
    }
    values[place] = before + place + 1;
    cuda::atomic_ref<int, cuda::thread_scope_device>(flags[place])
        .store(1, cuda::memory_order_release);
  }
}

__global__ void ChainByVolatile(int* tickets, volatile int* flags, int* values) {
  const int place = Ticket(tickets);
  if (threadIdx.x == 0) {
    int before = 0;
    if (place > 0) {
      while (flags[place - 1] == 0) {
        __nanosleep(20);
      }
      __threadfence();
      before = values[place - 1];
    }
    values[place] = before + place + 1;
    __threadfence();
    flags[place] = 1;
  }
}

__global__ void ChainByPtx(int* tickets, int* flags, int* values) {
  const int place = Ticket(tickets);
  if (threadIdx.x == 0) {
    int before = 0;
    if (place > 0) {
      int flag = 0;
      while (flag == 0) {
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                     : "=r"(flag)
                     : "l"(__cvta_generic_to_global(&flags[place - 1]))
                     : "memory");
      }
      before = values[place - 1];
    }
    values[place] = before + place + 1;
    asm volatile(
        "st.release.gpu.global.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(&flags[place])), "r"(1)
        : "memory");
  }
}

__global__ void AddUnderLock(int* lock, int* sum, int rounds) {
  if (threadIdx.x == 0) {
    for (int round = 0; round < rounds; ++round) {
      while (atomicCAS(lock, 0, 1) != 0) {
      }
      __threadfence();
      *sum += static_cast<int>(blockIdx.x) + 1;
      __threadfence();
      atomicExch(lock, 0);
    }
  }
}

int main() {
  std::vector<int> want;
  for (int i = 1; i <= kBlocks; ++i) {
    want.push_back(i * (i + 1) / 2);
  }
  const auto run = [&want](const char* name, const auto& launch) {
    const check::DeviceArray<int> tickets(1, 0), flags(kBlocks, 0), values(kBlocks);
    launch(tickets.get(), flags.get(), values.get());
    SYNCHRONIZE();
    check::ExpectEqual(name, values.Download(), want);
  };
  run("a chain by atomic_ref", [](int* tickets, int* flags, int* values) {
    ChainByAtomicRef<<<kBlocks, 32>>>(tickets, flags, values);
  });
  run("a chain by volatile and fences", [](int* tickets, int* flags, int* values) {
    ChainByVolatile<<<kBlocks, 32>>>(tickets, flags, values);
  });
  run("a chain by ld.acquire and st.release", [](int* tickets, int* flags, int* values) {
    ChainByPtx<<<kBlocks, 32>>>(tickets, flags, values);
  });
  const check::DeviceArray<int> lock(1, 0), sum(1, 0);
  AddUnderLock<<<kBlocks, 32>>>(lock.get(), sum.get(), 5);
  SYNCHRONIZE();
  check::ExpectEqual("a lock", sum.Download(), std::vector<int>{5 * kBlocks * (kBlocks + 1) / 2});
  return check::Finish();
}
