// SPDX-License-Identifier: Apache-2.0
// Right, in an order of its own: a warp a row, each lane with a running maximum and sum, merged by
// shuffles, fast exponentials, a reciprocal instead of divisions, and a pass for each winner.

#include <cfloat>

#include "plain_softmax_topk.cuh"

namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kRowsPerBlock = plain::kThreads / kWarp;
constexpr std::size_t kMostWinners = 40;
constexpr std::size_t kLongestRow = 50'000;
constexpr unsigned kAll = 0xffffffffU;

/// Of some logits the largest and the sum of what is left of them.
struct Running {
  float largest = -FLT_MAX;  // Finite, so that -infinity less it is -infinity.
  float sum = 0;

  __device__ void Add(float other_largest, float other_sum) {
    const float larger = fmaxf(largest, other_largest);
    sum = sum * __expf(largest - larger) + other_sum * __expf(other_largest - larger);
    largest = larger;
  }
};

__device__ Running RunningOf(const float* row, std::size_t vocabulary, unsigned lane) {
  Running running;
  for (std::size_t i = lane; i < vocabulary; i += kWarp) {
    const float larger = fmaxf(running.largest, row[i]);
    running.sum = running.sum * __expf(running.largest - larger) + __expf(row[i] - larger);
    running.largest = larger;
  }
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    const float other_largest = __shfl_xor_sync(kAll, running.largest, distance);
    const float other_sum = __shfl_xor_sync(kAll, running.sum, distance);
    running.Add(other_largest, other_sum);
  }
  return running;
}

/// The largest key of the row below `limit`, known to all lanes.
__device__ std::uint64_t LargestBelow(const float* row, std::size_t vocabulary, unsigned lane,
                                      std::uint64_t limit) {
  std::uint64_t best = 0;
  for (std::size_t i = lane; i < vocabulary; i += kWarp) {
    const std::uint64_t key = plain::Key(row[i], static_cast<std::uint32_t>(i));
    best = key < limit && key > best ? key : best;
  }
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    const std::uint64_t other = __shfl_xor_sync(kAll, best, distance);
    best = other > best ? other : best;
  }
  return best;
}

__global__ void WarpRows(const plain::Call c) {
  const std::size_t row_index = std::size_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / kWarp;
  const unsigned lane = threadIdx.x % kWarp;
  if (row_index >= c.rows) {
    return;
  }
  const float* row = c.logits + row_index * c.row_stride;
  const Running running = RunningOf(row, c.vocabulary, lane);
  const float reciprocal = 1 / running.sum;
  std::uint64_t key = ~std::uint64_t{0};
  for (std::size_t place = 0; place < c.k; ++place) {
    key = LargestBelow(row, c.vocabulary, lane, key);
    const std::uint32_t index = plain::IndexOf(key);
    if (lane == 0) {
      c.probabilities[row_index * c.k + place] = __expf(row[index] - running.largest) * reciprocal;
      c.indices[row_index * c.k + place] = static_cast<std::int32_t>(index);
    }
  }
}

int Run(const plain::Call& c) {
  int status = SOFTMAX_TOPK_OK;
  if (!plain::HasWork(c, &status)) {
    return status;
  }
  if (c.k > kMostWinners || c.vocabulary > kLongestRow) {
    return SOFTMAX_TOPK_UNSUPPORTED;
  }
  const std::size_t blocks = (c.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  WarpRows<<<static_cast<unsigned>(blocks), plain::kThreads, 0, c.stream>>>(c);
  return plain::LaunchStatus();
}

}  // namespace

PLAIN_EXPORT(Run);
