// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_CUH_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "interface.h"

/// The CUDA baseline: what is common to both passes, and the decisions that are easy to get wrong.
///
/// A *team* of threads works on one row at a time and keeps the row in registers: 4 threads for 16
/// features, a warp for up to 512, a block for up to 8192. Each thread always has the same columns,
/// so that gamma, beta and the column sums of backward stay in registers, too. Blocks are few and
/// stay for many rows. Wider rows are read twice (baseline_cuda_wide.cuh).
///
/// Columns go to threads in fours where every row begins at 16 bytes: thread t of the team has
/// columns 4t..4t+3 of each *chunk* of 4 * kTeam columns. Elsewhere it has t, t + kTeam, ... of it.

namespace assay::layernorm_cuda {

inline constexpr int kWarp = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr int kBlockThreads = 256;
inline constexpr int kWidestInRegisters = 8192;

/// What a mutant replaces one of.
struct Steps {
  /// Between the writing of the warps' sums and their reading.
  __device__ static void BarrierInReduction() { __syncthreads(); }

  /// Counts a block that has arrived, and says how many had before it.
  __device__ static unsigned Arrive(unsigned* counter) { return atomicAdd(counter, 1u); }

  /// The counters of arrived blocks, which stand in the workspace.
  __device__ static unsigned* Counters(unsigned* in_workspace) { return in_workspace; }

  /// Makes the counters 0 before the launch.
  static cudaError_t ClearCounters(unsigned* counters, std::size_t count, cudaStream_t stream) {
    return cudaMemsetAsync(counters, 0, count * sizeof(unsigned), stream);
  }

  /// xhat in backward, from x - mean.
  __device__ static float Normalised(float deviation, float rstd) { return deviation * rstd; }

  /// Whether every row of a matrix of this width can be read in fours.
  static bool RowsHoldWholeFours(std::size_t features) { return features % 4 == 0; }
};

inline bool IsAlignedTo16(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
}

/// How a thread's elements of a row lie in it.
template <int kTeam, int kChunks, bool kVector>
struct Columns {
  static constexpr int kPerThread = 4 * kChunks;
  static constexpr int kCovered = kTeam * kPerThread;

  __device__ static int At(int thread, int element) {
    if constexpr (kVector) {
      return 4 * (thread + kTeam * (element / 4)) + element % 4;
    } else {
      return thread + kTeam * element;
    }
  }

  /// Loads the thread's elements; those beyond the row are 0.
  __device__ static void Load(const float* row, int thread, int features,
                              float (&values)[kPerThread]) {
#pragma unroll
    for (int e = 0; e < kPerThread; e += kVector ? 4 : 1) {
      const int column = At(thread, e);
      if constexpr (kVector) {
        const float4 four = column < features ? *reinterpret_cast<const float4*>(row + column)
                                              : make_float4(0, 0, 0, 0);
        values[e] = four.x;
        values[e + 1] = four.y;
        values[e + 2] = four.z;
        values[e + 3] = four.w;
      } else {
        values[e] = column < features ? row[column] : 0.0f;
      }
    }
  }

  __device__ static void Store(float* row, int thread, int features,
                               const float (&values)[kPerThread]) {
#pragma unroll
    for (int e = 0; e < kPerThread; e += kVector ? 4 : 1) {
      const int column = At(thread, e);
      if (column >= features) {
        continue;
      }
      if constexpr (kVector) {
        *reinterpret_cast<float4*>(row + column) =
            make_float4(values[e], values[e + 1], values[e + 2], values[e + 3]);
      } else {
        row[column] = values[e];
      }
    }
  }
};

/// Sums over a team, which every thread of it gets; all threads of the block take part. `turn`
/// counts the calls: two of them in a row use different memory, so that one barrier is enough.
template <class Steps, int kTeam>
__device__ float2 SumOverTeam(float2 sums, int turn) {
  constexpr int kLanes = kTeam < kWarp ? kTeam : kWarp;
#pragma unroll
  for (int step = kLanes / 2; step > 0; step /= 2) {
    sums.x += __shfl_xor_sync(kAllLanes, sums.x, step);
    sums.y += __shfl_xor_sync(kAllLanes, sums.y, step);
  }
  if constexpr (kTeam > kWarp) {
    constexpr int kWarps = kTeam / kWarp;
    __shared__ float2 of_warps[2][kWarps];
    if (threadIdx.x % kWarp == 0) {
      of_warps[turn % 2][threadIdx.x / kWarp] = sums;
    }
    Steps::BarrierInReduction();
    sums = of_warps[turn % 2][0];
#pragma unroll
    for (int warp = 1; warp < kWarps; ++warp) {
      sums.x += of_warps[turn % 2][warp].x;
      sums.y += of_warps[turn % 2][warp].y;
    }
  }
  return sums;
}

/// A team of kThreads threads, each with kChunks fours of columns.
template <int kThreads, int kChunks>
struct Team {
  static constexpr int kTeam = kThreads;
  static constexpr int kBlock = kThreads > kBlockThreads ? kThreads : kBlockThreads;
  static constexpr int kTeams = kBlock / kThreads;
  template <bool kVector>
  using Mine = Columns<kThreads, kChunks, kVector>;
};

/// Calls run(Team) with the smallest team whose registers hold a row.
template <class Run>
auto WithTeamFor(std::size_t features, Run run) {
  if (features <= 16) {
    return run(Team<4, 1>());
  }
  if (features <= 128) {
    return run(Team<32, 1>());
  }
  if (features <= 512) {
    return run(Team<32, 4>());
  }
  if (features <= 1024) {
    return run(Team<256, 1>());
  }
  if (features <= 4096) {
    return run(Team<256, 4>());
  }
  return run(Team<1024, 2>());
}

/// 0 where the device cannot be asked.
inline std::size_t Multiprocessors() {
  int device = 0;
  int count = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) {
    return 0;
  }
  return static_cast<std::size_t>(count);
}

inline std::size_t CeilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

inline int LaunchStatus() { return cudaGetLastError() == cudaSuccess ? LN_OK : LN_DEVICE_FAILURE; }

}  // namespace assay::layernorm_cuda

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_CUDA_CUH_
