// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_COUNTERS_H_
#define ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_COUNTERS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/suite/launch_evidence.h"

namespace assay::softmax_topk {

/// What the counters of one call's launches are worth, where some of them may be decoys: launches
/// with good figures, beside those that do the work, whose result nobody uses. Two things are known
/// of the work whatever its kernels are: together they load all bytes of the logits at least once,
/// and what takes part in it stores something.
///
/// Pure functions; empty launches are allowed, and give 0 or null. `logit_bytes` > 0.

inline double GlobalLoads(const gpu::LaunchReport& launch) {
  return static_cast<double>(launch.counters.global_load.bytes);
}

/// Whether anything outside of the launch can depend on it.
inline bool StoresAnything(const gpu::LaunchReport& launch) {
  const gpu::LaunchCounters& counters = launch.counters;
  return counters.global_store.bytes + counters.global_atomic.bytes +
             counters.global_reduction.bytes >
         0;
}

/// Of the bytes that are loaded from global memory, those that are loaded 16 a thread. Vectors
/// count as far as they read the logits once, and none of a launch that stores nothing. So vectors
/// beside a reading of the logits without them make one reading in two at most, however many they
/// are; several readings, all with vectors, are all with vectors.
inline double VectorLoadShare(std::span<const gpu::LaunchReport> launches, double logit_bytes) {
  double all = 0;
  double vectors = 0;
  double idle_vectors = 0;
  for (const gpu::LaunchReport& launch : launches) {
    all += GlobalLoads(launch);
    (StoresAnything(launch) ? vectors : idle_vectors) +=
        static_cast<double>(gpu::Vector16LoadBytes(launch.counters));
  }
  const double narrow = std::max(0.0, all - vectors - idle_vectors);
  const double counted = std::min(vectors, logit_bytes);
  return counted > 0 ? counted / (counted + narrow) : 0;
}

/// Of launches in an order, worst first, the one with which they have loaded half of the logits'
/// bytes: decoys that are better come behind the work, which loads all of them, and a small launch
/// beside it, such as a merge, does not decide. Null where none loads anything.
template <class IsWorse>
const gpu::LaunchReport* WorstThatReads(std::span<const gpu::LaunchReport> launches,
                                        double logit_bytes, IsWorse is_worse) {
  std::vector<const gpu::LaunchReport*> ordered;
  for (const gpu::LaunchReport& launch : launches) {
    if (launch.counters.global_load.bytes > 0) {
      ordered.push_back(&launch);
    }
  }
  // Of equals the earlier launch, which is the lower address of the span. (clang-tidy takes
  // libstdc++'s stable_sort for deprecated.)
  std::ranges::sort(ordered, [&](const auto* one, const auto* other) {
    return is_worse(*one, *other) || (!is_worse(*other, *one) && one < other);
  });
  double loaded = 0;
  for (const gpu::LaunchReport* launch : ordered) {
    loaded += GlobalLoads(*launch);
    if (loaded >= logit_bytes / 2) {
      return launch;
    }
  }
  return ordered.empty() ? nullptr : ordered.back();
}

/// The main kernel: of the launches that read the logits the one with the least occupancy, and of
/// equals the one with the most instructions.
inline const gpu::LaunchReport* MainLaunch(std::span<const gpu::LaunchReport> launches,
                                           double logit_bytes) {
  return WorstThatReads(launches, logit_bytes, [](const auto& one, const auto& other) {
    return one.theoretical_occupancy != other.theoretical_occupancy
               ? one.theoretical_occupancy < other.theoretical_occupancy
               : one.counters.thread_instructions > other.counters.thread_instructions;
  });
}

/// Local memory of a thread, in the launches that read the logits: the most.
inline std::uint64_t LocalBytes(std::span<const gpu::LaunchReport> launches, double logit_bytes) {
  const gpu::LaunchReport* const most =
      WorstThatReads(launches, logit_bytes, [](const auto& one, const auto& other) {
        return one.resources.local_bytes > other.resources.local_bytes;
      });
  return most == nullptr ? 0 : most->resources.local_bytes;
}

/// Barriers of blocks: the counter has one for each warp that arrives.
inline double BlockBarriers(std::span<const gpu::LaunchReport> launches) {
  constexpr std::uint32_t kLanes = 32;
  double barriers = 0;
  for (const gpu::LaunchReport& launch : launches) {
    const std::uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    barriers += static_cast<double>(launch.counters.barriers) /
                static_cast<double>(std::max(1U, (threads + kLanes - 1) / kLanes));
  }
  return barriers;
}

inline double ModelledTime(std::span<const gpu::LaunchReport> launches) {
  double time_ns = 0;
  for (const gpu::LaunchReport& launch : launches) {
    time_ns += launch.modelled_time_ns;
  }
  return time_ns;
}

}  // namespace assay::softmax_topk

#endif  // ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_COUNTERS_H_
