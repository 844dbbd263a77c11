// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_LIST_CUH_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_LIST_CUH_

#include <cstdint>

#include "baseline_steps.cuh"

// The k largest keys of a stream, in shared memory: candidates are appended, and when there are
// many the list is pruned to the k largest of them, and the smallest of those becomes what a later
// candidate must exceed. Pruning finds that key by bisection: count the keys that are at least the
// middle of the interval, take the half, until the count is k. Ten to fifteen counts where logits
// spread, since any value between the k-th and the next key will do.

namespace assay::softmax_topk_baseline {

inline constexpr std::uint32_t kWarpThreads = 32;
inline constexpr std::uint32_t kAllLanes = 0xFFFF'FFFF;

/// The threads that work on a list: a warp of a block, or all of a block.
template <std::uint32_t threads>
struct Group {
  static constexpr std::uint32_t kThreads = threads;
  static constexpr bool kIsWarp = threads == kWarpThreads;

  __device__ static std::uint32_t Rank() { return threadIdx.x % kThreads; }

  __device__ static void Sync() {
    if constexpr (kIsWarp) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  /// Whether any thread says so. Orders memory as Sync does.
  __device__ static bool Any(bool mine) {
    if constexpr (kIsWarp) {
      __syncwarp();
      return __any_sync(kAllLanes, mine) != 0;
    } else {
      return __syncthreads_or(static_cast<int>(mine)) != 0;
    }
  }
};

template <std::uint32_t capacity, std::uint32_t largest_k>
struct ListStorage {
  static constexpr std::uint32_t kCapacity = capacity;
  Key keys[capacity];
  std::uint32_t partials[2][8];    ///< One a warp; two sets, so that one barrier a sum will do.
  std::uint16_t holes[largest_k];  ///< Places below k whose key goes.
  std::uint32_t count;             ///< Appended since the last pruning, and those kept then.
  std::uint32_t hole_count;
  std::uint32_t filled_count;
  Key threshold;
};

/// The place of a list between kernels' steps: all threads of `Group` call each function together.
/// `selectors`: how many of them prune, a warp or all.
template <typename Steps, typename Group, typename Storage, std::uint32_t selectors>
class CandidateList {
 public:
  using Selectors = assay::softmax_topk_baseline::Group<selectors>;

  __device__ CandidateList(Storage& storage, std::uint32_t k) : storage_(storage), k_(k) {
    if (Group::Rank() == 0) {
      storage_.count = 0;
    }
    Group::Sync();
  }

  /// Takes as many of the thread's `pending` elements (a bit each) as there is room for and clears
  /// their bits. `key_of(j)` is the key of element j. Not a barrier. Returns whether it is time to
  /// prune.
  template <std::uint32_t elements, typename KeyOf>
  __device__ bool Append(std::uint32_t& pending, KeyOf&& key_of) {
    if (pending == 0) {
      return false;
    }
    std::uint32_t place = atomicAdd(&storage_.count, __popc(pending));
#pragma unroll
    for (std::uint32_t j = 0; j < elements; ++j) {
      if ((pending >> j & 1) != 0) {
        if (place < Storage::kCapacity) {
          storage_.keys[place] = key_of(j);
          pending &= ~(1U << j);
        }
        ++place;
      }
    }
    return IsCrowdedBy(place);
  }

  /// Keeps the k largest. After a barrier behind the last Append; ends with one. Returns a key
  /// that those kept are not below, and all others are.
  __device__ Key Prune() {
    const std::uint32_t rank = Group::Rank();
    if (rank < selectors) {
      const std::uint32_t count = min(storage_.count, Storage::kCapacity);
      const Key threshold = FindThreshold(count);
      KeepFrom(threshold, count);
      if (rank == 0) {
        storage_.threshold = threshold;
        storage_.count = k_;
      }
    }
    Group::Sync();
    return storage_.threshold;
  }

  /// Prunes to k, sorts them, largest first, and fills up with 0 where there are fewer. After a
  /// barrier; ends with one.
  __device__ void Finish() {
    const bool has_more = storage_.count > k_;
    Group::Sync();  // Pruning writes the count: all must have read it.
    if (has_more) {
      Prune();
    }
    const std::uint32_t count = min(storage_.count, k_);
    std::uint32_t padded = 1;
    while (padded < k_) {
      padded *= 2;
    }
    for (std::uint32_t slot = count + Group::Rank(); slot < padded; slot += Group::kThreads) {
      if (Steps::Pads(slot)) {
        storage_.keys[slot] = 0;
      }
    }
    Group::Sync();
    if (Steps::Sorts()) {
      Sort(padded);
    }
  }

  /// Whether so many candidates are pruned at once: many more than needed, or nearly full.
  __device__ bool IsCrowdedBy(std::uint32_t candidates) const {
    return candidates > min(2 * k_ + 48, Storage::kCapacity);
  }

  __device__ Key operator[](std::uint32_t place) const { return storage_.keys[place]; }

 private:
  /// The sum, or the largest, of the selectors' values.
  template <bool largest>
  __device__ std::uint32_t Combined(std::uint32_t value) {
    value = largest ? __reduce_max_sync(kAllLanes, value) : __reduce_add_sync(kAllLanes, value);
    if constexpr (!Selectors::kIsWarp) {
      parity_ ^= 1;
      std::uint32_t(&partials)[8] = storage_.partials[parity_];
      if (threadIdx.x % kWarpThreads == 0) {
        partials[threadIdx.x / kWarpThreads] = value;
      }
      Selectors::Sync();
      value = 0;
#pragma unroll
      for (std::uint32_t warp = 0; warp < selectors / kWarpThreads; ++warp) {
        value = largest ? max(value, partials[warp]) : value + partials[warp];
      }
    }
    return value;
  }

  /// A key that exactly k of the first `count` are not below. count > k.
  __device__ Key FindThreshold(std::uint32_t count) {
    std::uint32_t largest = 0;
    std::uint32_t least_inverted = 0;
    for (std::uint32_t i = Selectors::Rank(); i < count; i += selectors) {
      const auto ordered = static_cast<std::uint32_t>(storage_.keys[i] >> 32);
      largest = max(largest, ordered);
      least_inverted = max(least_inverted, ~ordered);
    }
    Key low = static_cast<Key>(~Combined<true>(least_inverted)) << 32;
    // Above all of them: the key of the first of many equal logits has all lower bits set.
    Key high = (static_cast<Key>(Combined<true>(largest)) + 1) << 32;
    // More than k are not below low, fewer than k are not below high, and no two are equal: the
    // two never meet.
    while (high - low > 1) {
      const Key middle = low + (high - low) / 2;
      std::uint32_t mine = 0;
      for (std::uint32_t i = Selectors::Rank(); i < count; i += selectors) {
        mine += storage_.keys[i] >= middle ? 1 : 0;
      }
      const std::uint32_t at_least = Combined<false>(mine);
      if (at_least == Steps::Kept(k_)) {
        return middle;
      }
      (at_least > Steps::Kept(k_) ? low : high) = middle;
    }
    return low;
  }

  /// Moves keys from behind the first k into the places of those that go.
  __device__ void KeepFrom(Key threshold, std::uint32_t count) {
    if (Selectors::Rank() == 0) {
      storage_.hole_count = 0;
      storage_.filled_count = 0;
    }
    Selectors::Sync();
    for (std::uint32_t i = Selectors::Rank(); i < k_; i += selectors) {
      if (storage_.keys[i] < threshold) {
        storage_.holes[atomicAdd(&storage_.hole_count, 1)] = static_cast<std::uint16_t>(i);
      }
    }
    Selectors::Sync();
    for (std::uint32_t i = k_ + Selectors::Rank(); i < count; i += selectors) {
      const Key key = storage_.keys[i];
      if (key >= threshold) {
        storage_.keys[storage_.holes[atomicAdd(&storage_.filled_count, 1)]] = key;
      }
    }
    Selectors::Sync();
  }

  /// Bitonic, descending.
  __device__ void Sort(std::uint32_t padded) {
    for (std::uint32_t run = 2; run <= padded; run *= 2) {
      for (std::uint32_t gap = run / 2; gap > 0; gap /= 2) {
        for (std::uint32_t pair = Group::Rank(); pair < padded / 2; pair += Group::kThreads) {
          const std::uint32_t left = 2 * pair - (pair & (gap - 1));
          Key& a = storage_.keys[left];
          Key& b = storage_.keys[left + gap];
          if ((a < b) == ((left & run) == 0)) {
            const Key kept = a;
            a = b;
            b = kept;
          }
        }
        Steps::template SortBarrier<Group>();
      }
    }
  }

  Storage& storage_;
  std::uint32_t k_;
  std::uint32_t parity_ = 0;
};

}  // namespace assay::softmax_topk_baseline

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_BASELINE_LIST_CUH_
