// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_PROGRAMS_COMMON_SOFTMAX_CUH_
#define ASSAY_GPU_PROGRAMS_COMMON_SOFTMAX_CUH_

#include <cmath>
#include <vector>

namespace softmax {

/// A running maximum, and the sum of exp(x - maximum).
struct Online {
  float maximum;
  float sum;
};

__device__ inline Online Merge(Online a, Online b) {
  const float maximum = fmaxf(a.maximum, b.maximum);
  if (maximum == -INFINITY) {
    return {maximum, 0.0F};
  }
  return {maximum, a.sum * __expf(a.maximum - maximum) + b.sum * __expf(b.maximum - maximum)};
}

/// Larger values first, ties to the lower index.
__device__ inline bool Before(float value, int index, float other, int other_index) {
  return value > other || (value == other && index < other_index);
}

constexpr int kTop = 8;

/// The kTop largest probabilities of softmax(logits) of a row, and their indices, without writing
/// anything of the row's size. One block a row of kThreads threads: each keeps its own sorted
/// list, and the lists are merged in shared memory, two by two.
template <int kThreads>
__global__ void TopProbabilities(const float* __restrict__ logits, int width,
                                 float* __restrict__ probabilities, int* __restrict__ indices) {
  __shared__ float values[kThreads][kTop];
  __shared__ int places[kThreads][kTop];
  __shared__ Online partial[kThreads / 32];
  const float* row = logits + static_cast<size_t>(blockIdx.x) * width;

  float best[kTop];
  int place[kTop];
#pragma unroll
  for (int k = 0; k < kTop; ++k) {
    best[k] = -INFINITY;
    place[k] = 0x7FFFFFFF;
  }
  Online online{-INFINITY, 0.0F};
  for (int i = threadIdx.x; i < width; i += kThreads) {
    const float x = row[i];
    online = Merge(online, {x, 1.0F});
    if (Before(x, i, best[kTop - 1], place[kTop - 1])) {
      best[kTop - 1] = x;
      place[kTop - 1] = i;
#pragma unroll
      for (int k = kTop - 1; k > 0; --k) {
        if (Before(best[k], place[k], best[k - 1], place[k - 1])) {
          const float value = best[k];
          best[k] = best[k - 1];
          best[k - 1] = value;
          const int index = place[k];
          place[k] = place[k - 1];
          place[k - 1] = index;
        }
      }
    }
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    online = Merge(online, {__shfl_xor_sync(0xFFFFFFFFU, online.maximum, offset),
                            __shfl_xor_sync(0xFFFFFFFFU, online.sum, offset)});
  }
  if (threadIdx.x % 32 == 0) {
    partial[threadIdx.x / 32] = online;
  }
#pragma unroll
  for (int k = 0; k < kTop; ++k) {
    values[threadIdx.x][k] = best[k];
    places[threadIdx.x][k] = place[k];
  }
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const int other = threadIdx.x + half;
      int a = 0;
      int b = 0;
      for (int k = 0; k < kTop; ++k) {
        const bool mine = Before(values[threadIdx.x][a], places[threadIdx.x][a], values[other][b],
                                 places[other][b]);
        best[k] = mine ? values[threadIdx.x][a] : values[other][b];
        place[k] = mine ? places[threadIdx.x][a] : places[other][b];
        a += mine ? 1 : 0;
        b += mine ? 0 : 1;
      }
      for (int k = 0; k < kTop; ++k) {
        values[threadIdx.x][k] = best[k];
        places[threadIdx.x][k] = place[k];
      }
    }
    __syncthreads();
  }
  if (threadIdx.x < kTop) {
    Online whole = partial[0];
    for (int warp = 1; warp < kThreads / 32; ++warp) {
      whole = Merge(whole, partial[warp]);
    }
    const int out = blockIdx.x * kTop + threadIdx.x;
    probabilities[out] = __expf(values[0][threadIdx.x] - whole.maximum) / whole.sum;
    indices[out] = places[0][threadIdx.x];
  }
}

/// Softmax of rows of kWidth, four values a load; one block of kWidth / 16 threads a row, each
/// with its 16 values in registers.
template <int kWidth>
__global__ void Vectorised(const float* __restrict__ x, float* __restrict__ y) {
  constexpr int kThreads = kWidth / 16;
  __shared__ float scratch[2][32];
  const float4* row = reinterpret_cast<const float4*>(x + static_cast<size_t>(blockIdx.x) * kWidth);
  float4* out = reinterpret_cast<float4*>(y + static_cast<size_t>(blockIdx.x) * kWidth);
  float4 v[4];
  float maximum = -INFINITY;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    v[j] = row[threadIdx.x + j * kThreads];
    maximum = fmaxf(maximum, fmaxf(fmaxf(v[j].x, v[j].y), fmaxf(v[j].z, v[j].w)));
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    maximum = fmaxf(maximum, __shfl_xor_sync(0xFFFFFFFFU, maximum, offset));
  }
  if (threadIdx.x % 32 == 0) {
    scratch[0][threadIdx.x / 32] = maximum;
  }
  __syncthreads();
  for (int warp = 0; warp < kThreads / 32; ++warp) {
    maximum = fmaxf(maximum, scratch[0][warp]);
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    v[j] = {__expf(v[j].x - maximum), __expf(v[j].y - maximum), __expf(v[j].z - maximum),
            __expf(v[j].w - maximum)};
    sum += (v[j].x + v[j].y) + (v[j].z + v[j].w);
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, offset);
  }
  if (threadIdx.x % 32 == 0) {
    scratch[1][threadIdx.x / 32] = sum;
  }
  __syncthreads();
  sum = 0;
  for (int warp = 0; warp < kThreads / 32; ++warp) {
    sum += scratch[1][warp];
  }
  const float scale = 1.0F / sum;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    out[threadIdx.x + j * kThreads] = {v[j].x * scale, v[j].y * scale, v[j].z * scale,
                                       v[j].w * scale};
  }
}

/// softmax of each row, in double, on the host.
inline std::vector<double> Compute(const std::vector<float>& x, int rows, int width) {
  std::vector<double> y(x.size());
  for (int row = 0; row < rows; ++row) {
    const size_t start = static_cast<size_t>(row) * width;
    double maximum = x[start];
    double sum = 0;
    for (int i = 1; i < width; ++i) {
      maximum = std::fmax(maximum, x[start + i]);
    }
    for (int i = 0; i < width; ++i) {
      y[start + i] = std::exp(x[start + i] - maximum);
      sum += y[start + i];
    }
    for (int i = 0; i < width; ++i) {
      y[start + i] /= sum;
    }
  }
  return y;
}

}  // namespace softmax

#endif  // ASSAY_GPU_PROGRAMS_COMMON_SOFTMAX_CUH_
