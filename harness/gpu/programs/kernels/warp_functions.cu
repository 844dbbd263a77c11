// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp tell one another: ballot, any and all, popc ranks for compaction, match,
// redux, shuffles of every mode, width and type, active masks, lane masks.
// HARDWARE: where a warp stores depends on who came first
// COUNTERS: vary
#include "../common/check.h"

constexpr unsigned kAll = 0xFFFFFFFFU;
constexpr int kSize = 1000;

/// Keeps the multiples of three, in order within a warp; warps take their places by atomics.
__global__ void Compact(const int* x, int n, int* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const bool keep = i < n && x[i] % 3 == 0;
  const unsigned kept = __ballot_sync(kAll, keep);
  int start = 0;
  if (lane == 0) {
    start = atomicAdd(count, __popc(kept));
  }
  start = __shfl_sync(kAll, start, 0);
  if (keep) {
    out[start + __popc(kept & ((1U << lane) - 1))] = x[i];
  }
}

__global__ void Votes(const int* x, unsigned* out) {
  const int value = x[threadIdx.x];
  unsigned* o = out + 12 * threadIdx.x;
  o[0] = __any_sync(kAll, value > 990);
  o[1] = __all_sync(kAll, value >= 0);
  o[2] = __ballot_sync(kAll, value % 2 == 0);
  o[3] = __match_any_sync(kAll, value % 4);
  int same = 0;
  o[4] = __match_all_sync(kAll, threadIdx.x / 32, &same);
  o[5] = same;
  o[6] = __reduce_add_sync(kAll, static_cast<unsigned>(value));
  o[7] = static_cast<unsigned>(__reduce_min_sync(kAll, value - 500));
  o[8] = __reduce_xor_sync(kAll, static_cast<unsigned>(value));
  unsigned lane_mask_lt = 0;
  unsigned lane_mask_ge = 0;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lane_mask_lt));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(lane_mask_ge));
  o[9] = lane_mask_lt ^ lane_mask_ge;
  const unsigned even = __ballot_sync(kAll, value % 2 == 0);
  if (value % 2 == 0) {
    o[10] = __ballot_sync(even, 1);
  } else {
    o[10] = __ballot_sync(~even, 1);
  }
  o[11] = __popc(lane_mask_lt);
}

__global__ void EvenLanes(unsigned* out) {
  unsigned mask = 0;
  if (threadIdx.x % 2 == 0) {
    mask = __activemask();
    __syncwarp(0x55555555U);
  }
  out[threadIdx.x] = mask & ~0x55555555U;
}

__global__ void Shuffles(const int* x, double* out) {
  const int value = x[threadIdx.x];
  const double real = 0.5 * value;
  double* o = out + 6 * threadIdx.x;
  o[0] = __shfl_sync(kAll, value, 5);
  o[1] = __shfl_up_sync(kAll, value, 3);
  o[2] = __shfl_down_sync(kAll, value, 7, 16);
  o[3] = __shfl_xor_sync(kAll, real, 9);
  o[4] = __shfl_sync(kAll, static_cast<long long>(value) << 33, threadIdx.x + 1, 8);
  o[5] = __shfl_up_sync(kAll, real, 2, 4);
}

int main() {
  const std::vector<std::uint32_t> numbers = check::Random(19).Integers(kSize, 1000);
  const std::vector<int> x(numbers.begin(), numbers.end());
  const check::DeviceArray<int> device_x(x), out(kSize, 0), count(1, 0);
  Compact<<<(kSize + 127) / 128, 128>>>(device_x.get(), kSize, out.get(), count.get());
  SYNCHRONIZE();
  int kept = 0;
  long long sum = 0;
  for (const int value : x) {
    kept += value % 3 == 0 ? 1 : 0;
    sum += value % 3 == 0 ? value : 0;
  }
  for (const int value : out.Download()) {
    sum -= value;
  }
  check::Expect("compaction", count.Download()[0] == kept && sum == 0);

  std::vector<unsigned> votes;
  std::vector<double> shuffles;
  for (int i = 0; i < 64; ++i) {
    const int* warp = &x[i / 32 * 32];
    const int lane = i % 32;
    unsigned any = 0;
    unsigned even = 0;
    unsigned match = 0;
    unsigned add = 0;
    unsigned bits = 0;
    int least = 1000;
    for (int j = 0; j < 32; ++j) {
      any |= warp[j] > 990 ? 1U : 0U;
      even |= warp[j] % 2 == 0 ? 1U << j : 0U;
      match |= warp[j] % 4 == warp[lane] % 4 ? 1U << j : 0U;
      add += warp[j];
      bits ^= warp[j];
      least = std::min(least, warp[j] - 500);
    }
    votes.insert(votes.end(),
                 {any, 1, even, match, kAll, 1, add, static_cast<unsigned>(least), bits, kAll,
                  warp[lane] % 2 == 0 ? even : ~even, static_cast<unsigned>(lane)});
    const int down = lane % 16 + 7 < 16 ? lane + 7 : lane;
    const int up = lane >= 3 ? lane - 3 : lane;
    const int next = lane / 8 * 8 + (lane + 1) % 8;
    const int up4 = lane % 4 >= 2 ? lane - 2 : lane;
    shuffles.insert(shuffles.end(),
                    {double(warp[5]), double(warp[up]), double(warp[down]), 0.5 * warp[lane ^ 9],
                     std::ldexp(warp[next], 33), 0.5 * warp[up4]});
  }
  const check::DeviceArray<unsigned> device_votes(votes.size()), active(32);
  const check::DeviceArray<double> device_shuffles(shuffles.size());
  Votes<<<1, 64>>>(device_x.get(), device_votes.get());
  Shuffles<<<1, 64>>>(device_x.get(), device_shuffles.get());
  EvenLanes<<<1, 32>>>(active.get());
  SYNCHRONIZE();
  check::ExpectEqual("votes, matches and reductions", device_votes.Download(), votes);
  check::ExpectEqual("shuffles", device_shuffles.Download(), shuffles);
  check::ExpectEqual("active lanes", active.Download(), std::vector<unsigned>(32));
  return check::Finish();
}
