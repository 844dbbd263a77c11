/*
 * layernorm.cc -- Layer Normalization: forward pass, backward pass, gradient check, complexity
 * analysis, memory analysis and benchmark in one self-contained file.
 *
 * FORWARD            y[n][d] = gamma[d] * x_hat[n][d] + beta[d]
 *   mean[n]        = 1/D sum_d x[n][d]
 *   x_centered     = x - mean
 *   var[n]         = 1/D sum_d x_centered^2
 *   std[n]         = sqrt(var + eps)
 *   rstd[n]        = 1 / std
 *   x_hat          = x_centered / std
 *
 * BACKWARD
 *   dbeta[d]       = sum_n dy[n][d]
 *   dgamma[d]      = sum_n dy[n][d] * x_hat[n][d]
 *   dx_hat         = dy * gamma
 *   dx             = rstd / D * (D dx_hat - sum_d dx_hat - x_hat sum_d (dx_hat x_hat))
 *
 * The cache holds every intermediate of the forward pass, so that the backward pass never has to
 * recompute anything.
 *
 * GPU FUSION, forward (one block of 256 threads a row):
 *
 *   __global__ void layer_norm_forward(const float* x, const float* gamma, const float* beta,
 *                                      float* y, float* mean, float* rstd, int D, float eps) {
 *     extern __shared__ float partial[];
 *     const float* row = x + blockIdx.x * D;
 *     float sum = 0.f;
 *     for (int d = threadIdx.x; d < D; d += blockDim.x) sum += row[d];
 *     const float mu = block_reduce(sum, partial) / D;
 *     float squares = 0.f;
 *     for (int d = threadIdx.x; d < D; d += blockDim.x) {
 *       const float c = row[d] - mu;
 *       squares += c * c;
 *     }
 *     const float r = rsqrtf(block_reduce(squares, partial) / D + eps);
 *     for (int d = threadIdx.x; d < D; d += blockDim.x)
 *       y[blockIdx.x * D + d] = gamma[d] * (row[d] - mu) * r + beta[d];
 *     if (threadIdx.x == 0) { mean[blockIdx.x] = mu; rstd[blockIdx.x] = r; }
 *   }
 *
 * GPU FUSION, backward (one block a row, parameter gradients by atomics):
 *
 *   __global__ void layer_norm_backward(const float* dy, const float* x_hat, const float* gamma,
 *                                       const float* rstd, float* dx, float* dgamma,
 *                                       float* dbeta, int D) {
 *     extern __shared__ float partial[];
 *     float s1 = 0.f, s2 = 0.f;
 *     for (int d = threadIdx.x; d < D; d += blockDim.x) {
 *       const int i = blockIdx.x * D + d;
 *       const float g = dy[i] * gamma[d];
 *       s1 += g;
 *       s2 += g * x_hat[i];
 *       atomicAdd(&dgamma[d], dy[i] * x_hat[i]);
 *       atomicAdd(&dbeta[d], dy[i]);
 *     }
 *     s1 = block_reduce(s1, partial);
 *     s2 = block_reduce(s2, partial);
 *     for (int d = threadIdx.x; d < D; d += blockDim.x) {
 *       const int i = blockIdx.x * D + d;
 *       dx[i] = rstd[blockIdx.x] * (dy[i] * gamma[d] - s1 / D - x_hat[i] * s2 / D);
 *     }
 *   }
 */

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "interface.h"

namespace {

/* ------------------------------------------------------------------------------------------------
 * Single precision
 * ---------------------------------------------------------------------------------------------- */

struct LayerNormCacheF32 {
  float* x;            /*  1 */
  float* x_centered;   /*  2 */
  float* x_hat;        /*  3 */
  float* mean;         /*  4 */
  float* var;          /*  5 */
  float* std;          /*  6 */
  float* rstd;         /*  7 */
  float* gamma;        /*  8 */
  float* beta;         /*  9 */
  float* eps;          /* 10 */
  size_t* rows;      /* 11 */
  size_t* features;  /* 12 */
};

struct LayerNormViewF32 {
  const float* x;
  const float* x_centered;
  const float* x_hat;
  const float* mean;
  const float* var;
  const float* std;
  const float* rstd;
  const float* gamma;
  const float* beta;
  const float* eps;
  const size_t* rows;
  const size_t* features;
};

bool allocate_cache_f32(size_t rows, size_t features, ln_save_fn save, void* context,
                      LayerNormCacheF32* cache) {
  const size_t matrix_bytes = rows * features * sizeof(float);
  const size_t column_bytes = rows * sizeof(float);
  const size_t row_bytes = features * sizeof(float);
  cache->x = static_cast<float*>(save(context, "x", matrix_bytes));
  cache->x_centered = static_cast<float*>(save(context, "x_centered", matrix_bytes));
  cache->x_hat = static_cast<float*>(save(context, "x_hat", matrix_bytes));
  cache->mean = static_cast<float*>(save(context, "mean", column_bytes));
  cache->var = static_cast<float*>(save(context, "var", column_bytes));
  cache->std = static_cast<float*>(save(context, "std", column_bytes));
  cache->rstd = static_cast<float*>(save(context, "rstd", column_bytes));
  cache->gamma = static_cast<float*>(save(context, "gamma", row_bytes));
  cache->beta = static_cast<float*>(save(context, "beta", row_bytes));
  cache->eps = static_cast<float*>(save(context, "eps", sizeof(float)));
  cache->rows = static_cast<size_t*>(save(context, "N", sizeof(size_t)));
  cache->features = static_cast<size_t*>(save(context, "D", sizeof(size_t)));
  return cache->x != nullptr && cache->x_centered != nullptr && cache->x_hat != nullptr &&
         cache->mean != nullptr && cache->var != nullptr && cache->std != nullptr &&
         cache->rstd != nullptr && cache->gamma != nullptr && cache->beta != nullptr &&
         cache->eps != nullptr && cache->rows != nullptr && cache->features != nullptr;
}

bool load_cache_f32(ln_load_fn load, void* context, LayerNormViewF32* view) {
  size_t bytes = 0;
  view->x = static_cast<const float*>(load(context, "x", &bytes));
  view->x_centered = static_cast<const float*>(load(context, "x_centered", &bytes));
  view->x_hat = static_cast<const float*>(load(context, "x_hat", &bytes));
  view->mean = static_cast<const float*>(load(context, "mean", &bytes));
  view->var = static_cast<const float*>(load(context, "var", &bytes));
  view->std = static_cast<const float*>(load(context, "std", &bytes));
  view->rstd = static_cast<const float*>(load(context, "rstd", &bytes));
  view->gamma = static_cast<const float*>(load(context, "gamma", &bytes));
  view->beta = static_cast<const float*>(load(context, "beta", &bytes));
  view->eps = static_cast<const float*>(load(context, "eps", &bytes));
  view->rows = static_cast<const size_t*>(load(context, "N", &bytes));
  view->features = static_cast<const size_t*>(load(context, "D", &bytes));
  return view->x != nullptr && view->x_centered != nullptr && view->x_hat != nullptr &&
         view->mean != nullptr && view->var != nullptr && view->std != nullptr &&
         view->rstd != nullptr && view->gamma != nullptr && view->beta != nullptr &&
         view->eps != nullptr && view->rows != nullptr && view->features != nullptr;
}

int layer_norm_forward_f32(size_t rows, size_t features, const float* x, const float* gamma,
                         const float* beta, float eps, float* y, ln_save_fn save, void* context) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  LayerNormCacheF32 cache;
  if (!allocate_cache_f32(rows, features, save, context, &cache)) {
    return LN_OUT_OF_MEMORY;
  }

  /* Step 1: keep the input. */
  for (size_t i = 0; i < rows * features; ++i) {
    cache.x[i] = x[i];
  }

  /* Step 2: mean of every row. */
  for (size_t n = 0; n < rows; ++n) {
    float sum = 0;
    for (size_t d = 0; d < features; ++d) {
      sum += x[n * features + d];
    }
    cache.mean[n] = sum / static_cast<float>(features);
  }

  /* Step 3: center. */
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      cache.x_centered[n * features + d] = x[n * features + d] - cache.mean[n];
    }
  }

  /* Step 4: variance. Computed from the centered values, NOT as E[x^2] - E[x]^2, which suffers
   * catastrophic cancellation when the mean is large against the standard deviation. */
  for (size_t n = 0; n < rows; ++n) {
    float sum = 0;
    for (size_t d = 0; d < features; ++d) {
      const float centered = cache.x_centered[n * features + d];
      sum += centered * centered;
    }
    cache.var[n] = sum / static_cast<float>(features);
  }

  /* Step 5: standard deviation and its reciprocal. eps goes inside the square root: outside it
   * would not bound 1/std for tiny variances by 1/sqrt(eps). */
  for (size_t n = 0; n < rows; ++n) {
    cache.std[n] = std::sqrt(cache.var[n] + eps);
    cache.rstd[n] = static_cast<float>(1) / cache.std[n];
  }

  /* Step 6: normalize. */
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      cache.x_hat[n * features + d] = cache.x_centered[n * features + d] / cache.std[n];
    }
  }

  /* Step 7: scale and shift. */
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      y[n * features + d] = gamma[d] * cache.x_hat[n * features + d] + beta[d];
    }
  }

  /* Step 8: the rest of the cache. */
  for (size_t d = 0; d < features; ++d) {
    cache.gamma[d] = gamma[d];
    cache.beta[d] = beta[d];
  }
  *cache.eps = eps;
  *cache.rows = rows;
  *cache.features = features;
  return LN_OK;
}

int layer_norm_backward_f32(size_t rows, size_t features, const float* dy, ln_load_fn load,
                          void* context, float* dx, float* dgamma, float* dbeta) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }

  /* Step 1: gradients of the parameters start from zero. */
  for (size_t d = 0; d < features; ++d) {
    dgamma[d] = 0;
    dbeta[d] = 0;
  }
  if (rows == 0) {
    return LN_OK;
  }
  LayerNormViewF32 cache;
  if (!load_cache_f32(load, context, &cache)) {
    return LN_INVALID_ARGUMENT;
  }
  if (*cache.rows != rows || *cache.features != features) {
    return LN_INVALID_ARGUMENT;
  }

  /* Step 2: dL/dbeta. */
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      dbeta[d] += dy[n * features + d];
    }
  }

  /* Step 3: dL/dgamma. */
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      dgamma[d] += dy[n * features + d] * cache.x_hat[n * features + d];
    }
  }

  /* Step 4: dL/dx_hat, kept for the steps below. */
  std::vector<float> dx_hat(rows * features);
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      dx_hat[n * features + d] = dy[n * features + d] * cache.gamma[d];
    }
  }

  /* Step 5: sum of dL/dx_hat over a row. */
  std::vector<float> sum_dx_hat(rows);
  for (size_t n = 0; n < rows; ++n) {
    float sum = 0;
    for (size_t d = 0; d < features; ++d) {
      sum += dx_hat[n * features + d];
    }
    sum_dx_hat[n] = sum;
  }

  /* Step 6: sum of dL/dx_hat * x_hat over a row. */
  std::vector<float> sum_dx_hat_x_hat(rows);
  for (size_t n = 0; n < rows; ++n) {
    float sum = 0;
    for (size_t d = 0; d < features; ++d) {
      sum += dx_hat[n * features + d] * cache.x_hat[n * features + d];
    }
    sum_dx_hat_x_hat[n] = sum;
  }

  /* Step 7: dL/dx = rstd / D * (D dx_hat - sum(dx_hat) - x_hat sum(dx_hat x_hat)). */
  const float D = static_cast<float>(features);
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      const size_t i = n * features + d;
      dx[i] = cache.rstd[n] *
              (dx_hat[i] - sum_dx_hat[n] / D - cache.x_hat[i] * (sum_dx_hat_x_hat[n] / D));
    }
  }
  return LN_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Double precision
 * ---------------------------------------------------------------------------------------------- */

struct LayerNormCacheF64 {
  double* x;            /*  1 */
  double* x_centered;   /*  2 */
  double* x_hat;        /*  3 */
  double* mean;         /*  4 */
  double* var;          /*  5 */
  double* std;          /*  6 */
  double* rstd;         /*  7 */
  double* gamma;        /*  8 */
  double* beta;         /*  9 */
  double* eps;          /* 10 */
  size_t* rows;      /* 11 */
  size_t* features;  /* 12 */
};

struct LayerNormViewF64 {
  const double* x;
  const double* x_centered;
  const double* x_hat;
  const double* mean;
  const double* var;
  const double* std;
  const double* rstd;
  const double* gamma;
  const double* beta;
  const double* eps;
  const size_t* rows;
  const size_t* features;
};

bool allocate_cache_f64(size_t rows, size_t features, ln_save_fn save, void* context,
                      LayerNormCacheF64* cache) {
  const size_t matrix_bytes = rows * features * sizeof(double);
  const size_t column_bytes = rows * sizeof(double);
  const size_t row_bytes = features * sizeof(double);
  cache->x = static_cast<double*>(save(context, "x", matrix_bytes));
  cache->x_centered = static_cast<double*>(save(context, "x_centered", matrix_bytes));
  cache->x_hat = static_cast<double*>(save(context, "x_hat", matrix_bytes));
  cache->mean = static_cast<double*>(save(context, "mean", column_bytes));
  cache->var = static_cast<double*>(save(context, "var", column_bytes));
  cache->std = static_cast<double*>(save(context, "std", column_bytes));
  cache->rstd = static_cast<double*>(save(context, "rstd", column_bytes));
  cache->gamma = static_cast<double*>(save(context, "gamma", row_bytes));
  cache->beta = static_cast<double*>(save(context, "beta", row_bytes));
  cache->eps = static_cast<double*>(save(context, "eps", sizeof(double)));
  cache->rows = static_cast<size_t*>(save(context, "N", sizeof(size_t)));
  cache->features = static_cast<size_t*>(save(context, "D", sizeof(size_t)));
  return cache->x != nullptr && cache->x_centered != nullptr && cache->x_hat != nullptr &&
         cache->mean != nullptr && cache->var != nullptr && cache->std != nullptr &&
         cache->rstd != nullptr && cache->gamma != nullptr && cache->beta != nullptr &&
         cache->eps != nullptr && cache->rows != nullptr && cache->features != nullptr;
}

bool load_cache_f64(ln_load_fn load, void* context, LayerNormViewF64* view) {
  size_t bytes = 0;
  view->x = static_cast<const double*>(load(context, "x", &bytes));
  view->x_centered = static_cast<const double*>(load(context, "x_centered", &bytes));
  view->x_hat = static_cast<const double*>(load(context, "x_hat", &bytes));
  view->mean = static_cast<const double*>(load(context, "mean", &bytes));
  view->var = static_cast<const double*>(load(context, "var", &bytes));
  view->std = static_cast<const double*>(load(context, "std", &bytes));
  view->rstd = static_cast<const double*>(load(context, "rstd", &bytes));
  view->gamma = static_cast<const double*>(load(context, "gamma", &bytes));
  view->beta = static_cast<const double*>(load(context, "beta", &bytes));
  view->eps = static_cast<const double*>(load(context, "eps", &bytes));
  view->rows = static_cast<const size_t*>(load(context, "N", &bytes));
  view->features = static_cast<const size_t*>(load(context, "D", &bytes));
  return view->x != nullptr && view->x_centered != nullptr && view->x_hat != nullptr &&
         view->mean != nullptr && view->var != nullptr && view->std != nullptr &&
         view->rstd != nullptr && view->gamma != nullptr && view->beta != nullptr &&
         view->eps != nullptr && view->rows != nullptr && view->features != nullptr;
}

int layer_norm_forward_f64(size_t rows, size_t features, const double* x, const double* gamma,
                         const double* beta, double eps, double* y, ln_save_fn save, void* context) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  LayerNormCacheF64 cache;
  if (!allocate_cache_f64(rows, features, save, context, &cache)) {
    return LN_OUT_OF_MEMORY;
  }

  /* Step 1: keep the input. */
  for (size_t i = 0; i < rows * features; ++i) {
    cache.x[i] = x[i];
  }

  /* Step 2: mean of every row. */
  for (size_t n = 0; n < rows; ++n) {
    double sum = 0;
    for (size_t d = 0; d < features; ++d) {
      sum += x[n * features + d];
    }
    cache.mean[n] = sum / static_cast<double>(features);
  }

  /* Step 3: center. */
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      cache.x_centered[n * features + d] = x[n * features + d] - cache.mean[n];
    }
  }

  /* Step 4: variance. Computed from the centered values, NOT as E[x^2] - E[x]^2, which suffers
   * catastrophic cancellation when the mean is large against the standard deviation. */
  for (size_t n = 0; n < rows; ++n) {
    double sum = 0;
    for (size_t d = 0; d < features; ++d) {
      const double centered = cache.x_centered[n * features + d];
      sum += centered * centered;
    }
    cache.var[n] = sum / static_cast<double>(features);
  }

  /* Step 5: standard deviation and its reciprocal. eps goes inside the square root: outside it
   * would not bound 1/std for tiny variances by 1/sqrt(eps). */
  for (size_t n = 0; n < rows; ++n) {
    cache.std[n] = std::sqrt(cache.var[n] + eps);
    cache.rstd[n] = static_cast<double>(1) / cache.std[n];
  }

  /* Step 6: normalize. */
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      cache.x_hat[n * features + d] = cache.x_centered[n * features + d] / cache.std[n];
    }
  }

  /* Step 7: scale and shift. */
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      y[n * features + d] = gamma[d] * cache.x_hat[n * features + d] + beta[d];
    }
  }

  /* Step 8: the rest of the cache. */
  for (size_t d = 0; d < features; ++d) {
    cache.gamma[d] = gamma[d];
    cache.beta[d] = beta[d];
  }
  *cache.eps = eps;
  *cache.rows = rows;
  *cache.features = features;
  return LN_OK;
}

int layer_norm_backward_f64(size_t rows, size_t features, const double* dy, ln_load_fn load,
                          void* context, double* dx, double* dgamma, double* dbeta) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }

  /* Step 1: gradients of the parameters start from zero. */
  for (size_t d = 0; d < features; ++d) {
    dgamma[d] = 0;
    dbeta[d] = 0;
  }
  if (rows == 0) {
    return LN_OK;
  }
  LayerNormViewF64 cache;
  if (!load_cache_f64(load, context, &cache)) {
    return LN_INVALID_ARGUMENT;
  }
  if (*cache.rows != rows || *cache.features != features) {
    return LN_INVALID_ARGUMENT;
  }

  /* Step 2: dL/dbeta. */
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      dbeta[d] += dy[n * features + d];
    }
  }

  /* Step 3: dL/dgamma. */
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      dgamma[d] += dy[n * features + d] * cache.x_hat[n * features + d];
    }
  }

  /* Step 4: dL/dx_hat, kept for the steps below. */
  std::vector<double> dx_hat(rows * features);
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      dx_hat[n * features + d] = dy[n * features + d] * cache.gamma[d];
    }
  }

  /* Step 5: sum of dL/dx_hat over a row. */
  std::vector<double> sum_dx_hat(rows);
  for (size_t n = 0; n < rows; ++n) {
    double sum = 0;
    for (size_t d = 0; d < features; ++d) {
      sum += dx_hat[n * features + d];
    }
    sum_dx_hat[n] = sum;
  }

  /* Step 6: sum of dL/dx_hat * x_hat over a row. */
  std::vector<double> sum_dx_hat_x_hat(rows);
  for (size_t n = 0; n < rows; ++n) {
    double sum = 0;
    for (size_t d = 0; d < features; ++d) {
      sum += dx_hat[n * features + d] * cache.x_hat[n * features + d];
    }
    sum_dx_hat_x_hat[n] = sum;
  }

  /* Step 7: dL/dx = rstd / D * (D dx_hat - sum(dx_hat) - x_hat sum(dx_hat x_hat)). */
  const double D = static_cast<double>(features);
  for (size_t n = 0; n < rows; ++n) {
    for (size_t d = 0; d < features; ++d) {
      const size_t i = n * features + d;
      dx[i] = cache.rstd[n] *
              (dx_hat[i] - sum_dx_hat[n] / D - cache.x_hat[i] * (sum_dx_hat_x_hat[n] / D));
    }
  }
  return LN_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Gradient check. Perturbs the tensors in place, element by element; tensors of more than 100,000
 * elements are spot-checked, because a full check would take hours.
 * ---------------------------------------------------------------------------------------------- */

const size_t kSpotCheckThreshold = 100000;
const size_t kSpotChecks = 200;

double check_loss(size_t rows, size_t features, const double* x, const double* gamma,
                  const double* beta, double eps, const double* dy) {
  double loss = 0;
  for (size_t n = 0; n < rows; ++n) {
    double mean = 0;
    for (size_t d = 0; d < features; ++d) {
      mean += x[n * features + d];
    }
    mean /= static_cast<double>(features);
    double var = 0;
    for (size_t d = 0; d < features; ++d) {
      const double centered = x[n * features + d] - mean;
      var += centered * centered;
    }
    var /= static_cast<double>(features);
    const double std = std::sqrt(var + eps);
    for (size_t d = 0; d < features; ++d) {
      const double y = gamma[d] * ((x[n * features + d] - mean) / std) + beta[d];
      loss += dy[n * features + d] * y;
    }
  }
  return loss;
}

struct GradientCheck {
  size_t rows;
  size_t features;
  double* x;
  double* gamma;
  double* beta;
  double eps;
  const double* dy;
  ln_check_report* report;
};

double numerical_gradient(const GradientCheck& check, double* tensor, size_t index) {
  const double h = 1e-5;
  tensor[index] += h;
  const double above = check_loss(check.rows, check.features, check.x, check.gamma, check.beta,
                                  check.eps, check.dy);
  tensor[index] -= 2 * h;
  const double below = check_loss(check.rows, check.features, check.x, check.gamma, check.beta,
                                  check.eps, check.dy);
  tensor[index] += h;
  return (above - below) / (2 * h);
}

void check_element(const GradientCheck& check, double* tensor, const double* analytic,
                   size_t index, int which) {
  const double numerical = numerical_gradient(check, tensor, index);
  const double difference = std::fabs(numerical - analytic[index]);
  const double scale = std::fabs(numerical) + std::fabs(analytic[index]) + 1e-2;
  const double relative = difference / scale;
  if (relative > check.report->worst_relative_error) {
    check.report->worst_relative_error = relative;
    check.report->worst_tensor = which;
    check.report->worst_index = index;
  }
}

void check_tensor(const GradientCheck& check, double* tensor, const double* analytic, size_t size,
                  int which) {
  if (size > kSpotCheckThreshold) {
    uint64_t state = 0x9e3779b97f4a7c15ULL;
    for (size_t i = 0; i < kSpotChecks; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      check_element(check, tensor, analytic, static_cast<size_t>(state >> 33) % size, which);
    }
    return;
  }
  for (size_t i = 0; i < size; ++i) {
    check_element(check, tensor, analytic, i, which);
  }
}

/* ------------------------------------------------------------------------------------------------
 * Complexity analysis: operations and memory of every step, printed as tables.
 * ---------------------------------------------------------------------------------------------- */

struct OperationCost {
  const char* name;
  double flops_per_element;
  double flops_per_row;
  double reads_per_element;
  double writes_per_element;
};

const OperationCost kForwardCosts[] = {
    {"mean", 1, 1, 1, 0},
    {"center", 1, 0, 1, 1},
    {"variance", 2, 1, 1, 0},
    {"std and rstd", 0, 3, 0, 0},
    {"normalize", 1, 0, 1, 1},
    {"scale and shift", 2, 0, 1, 1},
};

const OperationCost kBackwardCosts[] = {
    {"dbeta", 1, 0, 1, 0},
    {"dgamma", 2, 0, 2, 0},
    {"dx_hat", 1, 0, 1, 1},
    {"sum dx_hat", 1, 0, 1, 0},
    {"sum dx_hat x_hat", 2, 0, 2, 0},
    {"dx", 4, 2, 2, 1},
};

struct CostTotals {
  double flops;
  double read_bytes;
  double written_bytes;
};

CostTotals print_costs(const char* title, const OperationCost* costs, size_t count, size_t rows,
                       size_t features) {
  const double elements = static_cast<double>(rows) * static_cast<double>(features);
  CostTotals totals = {0, 0, 0};
  std::printf("%s, N = %zu, D = %zu\n", title, rows, features);
  std::printf("  %-20s %14s %14s %14s\n", "operation", "FLOPs", "bytes read", "bytes written");
  for (size_t i = 0; i < count; ++i) {
    const double flops =
        costs[i].flops_per_element * elements + costs[i].flops_per_row * static_cast<double>(rows);
    const double read_bytes = 4 * costs[i].reads_per_element * elements;
    const double written_bytes = 4 * costs[i].writes_per_element * elements;
    std::printf("  %-20s %14.0f %14.0f %14.0f\n", costs[i].name, flops, read_bytes,
                written_bytes);
    totals.flops += flops;
    totals.read_bytes += read_bytes;
    totals.written_bytes += written_bytes;
  }
  const double bytes = totals.read_bytes + totals.written_bytes;
  std::printf("  %-20s %14.0f %14.0f %14.0f\n", "total", totals.flops, totals.read_bytes,
              totals.written_bytes);
  std::printf("  arithmetic intensity %.3f FLOP/byte\n", totals.flops / bytes);
  return totals;
}

void print_cache_memory(size_t rows, size_t features) {
  const size_t matrix = rows * features * sizeof(float);
  const size_t column = rows * sizeof(float);
  const size_t row = features * sizeof(float);
  std::printf("cache: x, x_centered, x_hat     %12zu bytes\n", 3 * matrix);
  std::printf("       mean, var, std, rstd     %12zu bytes\n", 4 * column);
  std::printf("       gamma, beta              %12zu bytes\n", 2 * row);
  std::printf("       eps, N, D                %12zu bytes\n", sizeof(float) + 2 * sizeof(size_t));
}

}  // namespace

extern "C" {

int ln_forward_f32(size_t rows, size_t features, const float* x, const float* gamma,
                   const float* beta, float eps, float* y, ln_save_fn save, void* save_context) {
  return layer_norm_forward_f32(rows, features, x, gamma, beta, eps, y, save, save_context);
}

int ln_backward_f32(size_t rows, size_t features, const float* dy, ln_load_fn load,
                    void* load_context, float* dx, float* dgamma, float* dbeta) {
  return layer_norm_backward_f32(rows, features, dy, load, load_context, dx, dgamma, dbeta);
}

int ln_forward_f64(size_t rows, size_t features, const double* x, const double* gamma,
                   const double* beta, double eps, double* y, ln_save_fn save,
                   void* save_context) {
  return layer_norm_forward_f64(rows, features, x, gamma, beta, eps, y, save, save_context);
}

int ln_backward_f64(size_t rows, size_t features, const double* dy, ln_load_fn load,
                    void* load_context, double* dx, double* dgamma, double* dbeta) {
  return layer_norm_backward_f64(rows, features, dy, load, load_context, dx, dgamma, dbeta);
}

int ln_check_gradients(size_t rows, size_t features, double* x, double* gamma, double* beta,
                       double eps, const double* dy, ln_backward_under_check_fn backward,
                       void* backward_context, struct ln_check_report* report) {
  std::vector<double> dx(rows * features);
  std::vector<double> dgamma(features);
  std::vector<double> dbeta(features);
  const int status = backward(backward_context, rows, features, x, gamma, beta, eps, dy, dx.data(),
                              dgamma.data(), dbeta.data());
  if (status != LN_OK) {
    return status;
  }
  report->right = 0;
  report->worst_tensor = 0;
  report->worst_index = 0;
  report->worst_relative_error = 0;
  const GradientCheck check = {rows, features, x, gamma, beta, eps, dy, report};
  check_tensor(check, x, dx.data(), rows * features, 0);
  check_tensor(check, gamma, dgamma.data(), features, 1);
  check_tensor(check, beta, dbeta.data(), features, 2);
  if (report->worst_relative_error < 1e-4) {
    report->right = 1;
  }
  return LN_OK;
}

}  // extern "C"

/* ------------------------------------------------------------------------------------------------
 * Benchmark: 4 shapes, with the tables above.
 * ---------------------------------------------------------------------------------------------- */

#ifdef ASSAY_PROGRAM

namespace {

std::map<std::string, std::vector<char> > g_cache;

void* benchmark_save(void*, const char* name, size_t bytes) {
  std::vector<char>& item = g_cache[name];
  item.resize(bytes + 1);
  return item.data();
}

const void* benchmark_load(void*, const char* name, size_t* bytes) {
  const std::map<std::string, std::vector<char> >::const_iterator found = g_cache.find(name);
  if (found == g_cache.end()) {
    *bytes = 0;
    return nullptr;
  }
  *bytes = found->second.size() - 1;
  return found->second.data();
}

int benchmark_shape(size_t rows, size_t features) {
  std::vector<float> x(rows * features);
  std::vector<float> dy(rows * features);
  std::vector<float> y(rows * features);
  std::vector<float> dx(rows * features);
  std::vector<float> gamma(features, 1.0f);
  std::vector<float> beta(features, 0.0f);
  std::vector<float> dgamma(features);
  std::vector<float> dbeta(features);
  uint32_t state = 12345;
  for (size_t i = 0; i < rows * features; ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
    state = state * 1664525u + 1013904223u;
    dy[i] = static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
  }
  const int repeats = 3;
  double forward_seconds = 0;
  double backward_seconds = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    int status = ln_forward_f32(rows, features, x.data(), gamma.data(), beta.data(), 1e-5f,
                                y.data(), benchmark_save, nullptr);
    const std::chrono::steady_clock::time_point middle = std::chrono::steady_clock::now();
    if (status != LN_OK) {
      return status;
    }
    status = ln_backward_f32(rows, features, dy.data(), benchmark_load, nullptr, dx.data(),
                             dgamma.data(), dbeta.data());
    const std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now();
    if (status != LN_OK) {
      return status;
    }
    forward_seconds += std::chrono::duration<double>(middle - start).count();
    backward_seconds += std::chrono::duration<double>(end - middle).count();
  }
  std::printf("N = %zu, D = %zu: forward %.3f ms, backward %.3f ms\n", rows, features,
              1e3 * forward_seconds / repeats, 1e3 * backward_seconds / repeats);
  print_costs("forward", kForwardCosts, sizeof(kForwardCosts) / sizeof(kForwardCosts[0]), rows,
              features);
  print_costs("backward", kBackwardCosts, sizeof(kBackwardCosts) / sizeof(kBackwardCosts[0]), rows,
              features);
  print_cache_memory(rows, features);
  return LN_OK;
}

}  // namespace

int main() {
  const size_t shapes[4][2] = {{32, 128}, {64, 512}, {128, 1024}, {256, 2048}};
  for (size_t i = 0; i < 4; ++i) {
    if (benchmark_shape(shapes[i][0], shapes[i][1]) != LN_OK) {
      return 1;
    }
  }
  return 0;
}

#endif /* ASSAY_PROGRAM */
