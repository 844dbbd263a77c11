// SPDX-License-Identifier: Apache-2.0
// Every atomic operation and type, on shared and on global memory; the values returned are those of
// some order.
// COUNTERS: vary
#include <algorithm>
#include <climits>

#include "../common/check.h"

constexpr int kThreads = 96;
constexpr int kBlocks = 4;
constexpr int kTotal = kThreads * kBlocks;

struct Cells {
  int add, least, greatest, both, either, parity, exchanged, swapped;
  unsigned wrapped, counted_down, unsigned_greatest;
  float sum;
  unsigned long long wide_sum, wide_greatest, wide_both;
  double real_sum;
};

__device__ void Work(Cells* cells, int id) {
  atomicAdd(&cells->add, id);
  atomicMin(&cells->least, 100 - id);
  atomicMax(&cells->greatest, id - 1000);
  atomicAnd(&cells->both, ~(1 << id % 30));
  atomicOr(&cells->either, 1 << id % 31);
  atomicXor(&cells->parity, 1 << id % 7);
  atomicExch(&cells->exchanged, 4711);
  atomicInc(&cells->wrapped, 9);
  atomicDec(&cells->counted_down, 6);
  atomicMax(&cells->unsigned_greatest, 0x80000000U + id);
  atomicAdd(&cells->sum, 0.5F);
  atomicAdd(&cells->wide_sum, 1ULL << 33);
  atomicMax(&cells->wide_greatest, (1ULL << 40) + id);
  atomicAnd(&cells->wide_both, ~(1ULL << id % 60));
  atomicAdd(&cells->real_sum, 0.25);
  int seen = 0;
  int assumed = 0;
  do {
    assumed = seen;
    seen = atomicCAS(&cells->swapped, assumed, assumed + 3);
  } while (seen != assumed);
}

__global__ void OnGlobal(Cells* cells) { Work(cells, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void OnShared(const Cells* initial, Cells* out) {
  __shared__ Cells cells;
  if (threadIdx.x == 0) {
    cells = *initial;
  }
  __syncthreads();
  for (int block = 0; block < kBlocks; ++block) {
    Work(&cells, block * kThreads + threadIdx.x);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *out = cells;
  }
}

__global__ void Tickets(int* next, int* taken) {
  taken[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(next, 1);
}

void Check(const char* where, const Cells& got) {
  std::printf("%s memory\n", where);
  int parity = 0;
  for (int id = 0; id < kTotal; ++id) {
    parity ^= 1 << id % 7;
  }
  check::Expect("add", got.add == kTotal * (kTotal - 1) / 2);
  check::Expect("min and max", got.least == 100 - (kTotal - 1) && got.greatest == kTotal - 1001 &&
                                   got.unsigned_greatest == 0x80000000U + kTotal - 1);
  check::Expect("and, or, xor", got.both == static_cast<int>(0xC0000000U) &&
                                    got.either == INT_MAX && got.parity == parity);
  check::Expect("exch and cas", got.exchanged == 4711 && got.swapped == 3 * kTotal);
  check::Expect("inc and dec",
                got.wrapped == kTotal % 10 && got.counted_down == (7 - kTotal % 7) % 7);
  check::Expect("add of float and double",
                got.sum == 0.5F * kTotal && got.real_sum == 0.25 * kTotal);
  check::Expect("64 bits", got.wide_sum == (1ULL << 33) * kTotal &&
                               got.wide_greatest == (1ULL << 40) + kTotal - 1 &&
                               got.wide_both == 0xF000000000000000ULL);
}

int main() {
  Cells initial = {};
  initial.both = -1;
  initial.wide_both = ~0ULL;
  initial.least = INT_MAX;
  initial.greatest = INT_MIN;
  const std::vector<Cells> cells = {initial};
  const check::DeviceArray<Cells> device_initial(cells), global(cells), shared(1);
  OnGlobal<<<kBlocks, kThreads>>>(global.get());
  OnShared<<<1, kThreads>>>(device_initial.get(), shared.get());
  SYNCHRONIZE();
  Check("global", global.Download()[0]);
  Check("shared", shared.Download()[0]);
  const check::DeviceArray<int> next(1, 0), taken(kTotal);
  Tickets<<<kBlocks, kThreads>>>(next.get(), taken.get());
  SYNCHRONIZE();
  std::vector<int> tickets = taken.Download();
  std::sort(tickets.begin(), tickets.end());
  bool once = true;
  for (int i = 0; i < kTotal; ++i) {
    once = once && tickets[i] == i;
  }
  check::Expect("each ticket is given once", once);
  return check::Finish();
}
