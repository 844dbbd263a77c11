// SPDX-License-Identifier: Apache-2.0
#ifndef PLAIN_LAYERNORM_CUDA_CUH_
#define PLAIN_LAYERNORM_CUDA_CUH_

// A right and plain implementation in CUDA that controls are made of, one thread a row or a column,
// and the same on the host, which is where some of them do their work. Copied beside a control's
// own sources like plain_layernorm.h.

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "interface.h"

namespace plain {

constexpr unsigned kBlock = 64;

struct CudaForward {
  std::size_t rows, features;
  const float *x, *gamma, *beta;
  float eps;
  float *y, *mean, *rstd;
  cudaStream_t stream;
};

struct CudaBackward {
  std::size_t rows, features;
  const float *dy, *x, *gamma, *mean, *rstd;
  float *dx, *dgamma, *dbeta;
  void* workspace;
  std::size_t workspace_bytes;
  cudaStream_t stream;
};

__host__ __device__ inline void ForwardRow(const CudaForward& c, std::size_t row) {
  const float* x = c.x + row * c.features;
  const double count = static_cast<double>(c.features);
  double mean = 0;
  for (std::size_t j = 0; j < c.features; ++j) mean += x[j];
  mean /= count;
  double variance = 0;
  for (std::size_t j = 0; j < c.features; ++j) variance += (x[j] - mean) * (x[j] - mean);
  const double rstd = 1 / sqrt(variance / count + static_cast<double>(c.eps));
  for (std::size_t j = 0; j < c.features; ++j) {
    c.y[row * c.features + j] = static_cast<float>((x[j] - mean) * rstd * c.gamma[j] + c.beta[j]);
  }
  c.mean[row] = static_cast<float>(mean);
  c.rstd[row] = static_cast<float>(rstd);
}

__host__ __device__ inline void BackwardRow(const CudaBackward& c, std::size_t row) {
  const std::size_t first = row * c.features;
  const double count = static_cast<double>(c.features);
  const double rstd = c.rstd[row];
  double mean_d = 0;
  double mean_dxhat = 0;
  for (std::size_t j = 0; j < c.features; ++j) {
    const double d = static_cast<double>(c.dy[first + j]) * c.gamma[j];
    mean_d += d;
    mean_dxhat += d * ((c.x[first + j] - double{c.mean[row]}) * rstd);
  }
  for (std::size_t j = 0; j < c.features; ++j) {
    const double d = static_cast<double>(c.dy[first + j]) * c.gamma[j];
    const double xhat = (c.x[first + j] - double{c.mean[row]}) * rstd;
    c.dx[first + j] = static_cast<float>(rstd * (d - mean_d / count - xhat * (mean_dxhat / count)));
  }
}

/// Of rows first to end: what they add to dgamma and dbeta of a column.
__host__ __device__ inline void SumColumn(const CudaBackward& c, std::size_t column,
                                          std::size_t first, std::size_t end, double* dgamma,
                                          double* dbeta) {
  *dgamma = 0;
  *dbeta = 0;
  for (std::size_t i = first; i < end; ++i) {
    const double dy = c.dy[i * c.features + column];
    *dgamma += dy * ((c.x[i * c.features + column] - double{c.mean[i]}) * double{c.rstd[i]});
    *dbeta += dy;
  }
}

inline __global__ void ForwardRows(CudaForward c) {
  const std::size_t row = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (row < c.rows) ForwardRow(c, row);
}

inline __global__ void BackwardRows(CudaBackward c) {
  const std::size_t row = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (row < c.rows) BackwardRow(c, row);
}

inline __global__ void SumColumns(CudaBackward c) {
  const std::size_t column = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (column >= c.features) return;
  double dgamma = 0;
  double dbeta = 0;
  SumColumn(c, column, 0, c.rows, &dgamma, &dbeta);
  c.dgamma[column] = static_cast<float>(dgamma);
  c.dbeta[column] = static_cast<float>(dbeta);
}

inline unsigned Blocks(std::size_t threads) {
  return static_cast<unsigned>((threads + kBlock - 1) / kBlock);
}

inline int LaunchStatus() { return cudaGetLastError() == cudaSuccess ? LN_OK : LN_DEVICE_FAILURE; }

inline int Run(const CudaForward& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  if (c.rows == 0) return LN_OK;
  ForwardRows<<<Blocks(c.rows), kBlock, 0, c.stream>>>(c);
  return LaunchStatus();
}

inline int Run(const CudaBackward& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  if (c.rows > 0) BackwardRows<<<Blocks(c.rows), kBlock, 0, c.stream>>>(c);
  SumColumns<<<Blocks(c.features), kBlock, 0, c.stream>>>(c);
  return LaunchStatus();
}

/// `count` floats of device memory, copied to the host and waited for.
inline std::vector<float> OnHost(const float* device, std::size_t count, cudaStream_t stream) {
  std::vector<float> host(count);
  cudaMemcpyAsync(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return host;
}

}  // namespace plain

/// The CUDA functions from int(const plain::CudaForward&) and int(const plain::CudaBackward&), but
/// for the size of the workspace, and with it.
#define PLAIN_EXPORT_CUDA_PASSES(Forward, Backward)                                                \
  extern "C" int ln_forward_cuda_f32(size_t rows, size_t features, const float* x,                 \
                                     const float* gamma, const float* beta, float eps, float* y,   \
                                     float* mean, float* rstd, ln_stream stream) {                 \
    return (                                                                                       \
        Forward)(plain::CudaForward{rows, features, x, gamma, beta, eps, y, mean, rstd, stream});  \
  }                                                                                                \
  extern "C" int ln_backward_cuda_f32(size_t rows, size_t features, const float* dy,               \
                                      const float* x, const float* gamma, const float* mean,       \
                                      const float* rstd, float* dx, float* dgamma, float* dbeta,   \
                                      void* workspace, size_t workspace_bytes, ln_stream stream) { \
    if (features > 0 && workspace_bytes != 0) return LN_INVALID_ARGUMENT;                          \
    return (Backward)(plain::CudaBackward{rows, features, dy, x, gamma, mean, rstd, dx, dgamma,    \
                                          dbeta, workspace, workspace_bytes, stream});             \
  }                                                                                                \
  static_assert(true)

#define PLAIN_EXPORT_CUDA(Forward, Backward)                                       \
  extern "C" size_t ln_backward_cuda_workspace_bytes(size_t, size_t) { return 0; } \
  PLAIN_EXPORT_CUDA_PASSES(Forward, Backward)

#endif  // PLAIN_LAYERNORM_CUDA_CUH_
