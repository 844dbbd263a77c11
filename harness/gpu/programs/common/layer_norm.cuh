// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_PROGRAMS_COMMON_LAYER_NORM_CUH_
#define ASSAY_GPU_PROGRAMS_COMMON_LAYER_NORM_CUH_

#include <cmath>
#include <vector>

/// Layer norm of rows [rows][width]. Each block takes every gridDim.x-th row; blockDim.x is a
/// multiple of 32.
namespace layer_norm {

/// The block's sum of `a` and of `b`, in all threads. `scratch` holds 64 floats.
__device__ inline float2 BlockSum(float a, float b, float* scratch) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    a += __shfl_xor_sync(0xFFFFFFFFU, a, offset);
    b += __shfl_xor_sync(0xFFFFFFFFU, b, offset);
  }
  __syncthreads();
  if (lane == 0) {
    scratch[warp] = a;
    scratch[32 + warp] = b;
  }
  __syncthreads();
  a = lane < blockDim.x / 32 ? scratch[lane] : 0.0F;
  b = lane < blockDim.x / 32 ? scratch[32 + lane] : 0.0F;
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    a += __shfl_xor_sync(0xFFFFFFFFU, a, offset);
    b += __shfl_xor_sync(0xFFFFFFFFU, b, offset);
  }
  return {a, b};
}

__global__ void Forward(const float* __restrict__ x, const float* __restrict__ gamma,
                        const float* __restrict__ beta, float* __restrict__ y,
                        float* __restrict__ mean, float* __restrict__ rstd, int rows, int width,
                        float epsilon) {
  __shared__ float scratch[64];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* x_row = x + static_cast<size_t>(row) * width;
    float sum = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
      sum += x_row[i];
    }
    const float row_mean = BlockSum(sum, 0, scratch).x / width;
    float squares = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
      const float centred = x_row[i] - row_mean;
      squares += centred * centred;
    }
    const float row_rstd = rsqrtf(BlockSum(squares, 0, scratch).x / width + epsilon);
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
      y[static_cast<size_t>(row) * width + i] =
          (x_row[i] - row_mean) * row_rstd * gamma[i] + beta[i];
    }
    if (threadIdx.x == 0) {
      mean[row] = row_mean;
      rstd[row] = row_rstd;
    }
  }
}

/// Writes dx and adds to dgamma and dbeta, which the caller zeroed. Dynamic shared memory:
/// 2 * width floats, the block's share of dgamma and dbeta.
__global__ void Backward(const float* __restrict__ dy, const float* __restrict__ x,
                         const float* __restrict__ gamma, const float* __restrict__ mean,
                         const float* __restrict__ rstd, float* __restrict__ dx,
                         float* __restrict__ dgamma, float* __restrict__ dbeta, int rows,
                         int width) {
  extern __shared__ float share[];
  __shared__ float scratch[64];
  for (int i = threadIdx.x; i < 2 * width; i += blockDim.x) {
    share[i] = 0;
  }
  __syncthreads();
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const size_t start = static_cast<size_t>(row) * width;
    const float row_mean = mean[row];
    const float row_rstd = rstd[row];
    float sum = 0;
    float projection = 0;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
      const float slope = dy[start + i] * gamma[i];
      sum += slope;
      projection += slope * (x[start + i] - row_mean) * row_rstd;
    }
    const float2 total = BlockSum(sum, projection, scratch);
    const float sum_mean = total.x / width;
    const float projection_mean = total.y / width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
      const float normal = (x[start + i] - row_mean) * row_rstd;
      const float slope = dy[start + i];
      dx[start + i] = row_rstd * (slope * gamma[i] - sum_mean - normal * projection_mean);
      // The same thread owns column i in every row.
      share[i] += slope * normal;
      share[width + i] += slope;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    atomicAdd(&dgamma[i], share[i]);
    atomicAdd(&dbeta[i], share[width + i]);
  }
}

/// The same in double, on the host.
struct Reference {
  std::vector<double> y, mean, rstd, dx, dgamma, dbeta;
};

inline Reference Compute(const std::vector<float>& x, const std::vector<float>& gamma,
                         const std::vector<float>& beta, const std::vector<float>& dy, int rows,
                         int width, double epsilon) {
  Reference r{std::vector<double>(x.size()), std::vector<double>(rows),
              std::vector<double>(rows),     std::vector<double>(x.size()),
              std::vector<double>(width),    std::vector<double>(width)};
  for (int row = 0; row < rows; ++row) {
    const size_t start = static_cast<size_t>(row) * width;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < width; ++i) {
      sum += x[start + i];
    }
    r.mean[row] = sum / width;
    for (int i = 0; i < width; ++i) {
      squares += (x[start + i] - r.mean[row]) * (x[start + i] - r.mean[row]);
    }
    r.rstd[row] = 1 / std::sqrt(squares / width + epsilon);
    double slope_sum = 0;
    double projection = 0;
    for (int i = 0; i < width; ++i) {
      const double normal = (x[start + i] - r.mean[row]) * r.rstd[row];
      r.y[start + i] = normal * gamma[i] + beta[i];
      slope_sum += static_cast<double>(dy[start + i]) * gamma[i];
      projection += static_cast<double>(dy[start + i]) * gamma[i] * normal;
      r.dgamma[i] += dy[start + i] * normal;
      r.dbeta[i] += dy[start + i];
    }
    for (int i = 0; i < width; ++i) {
      const double normal = (x[start + i] - r.mean[row]) * r.rstd[row];
      r.dx[start + i] = r.rstd[row] * (static_cast<double>(dy[start + i]) * gamma[i] -
                                       slope_sum / width - normal * projection / width);
    }
  }
  return r;
}

}  // namespace layer_norm

#endif  // ASSAY_GPU_PROGRAMS_COMMON_LAYER_NORM_CUH_
