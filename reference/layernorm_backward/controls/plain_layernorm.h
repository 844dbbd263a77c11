// SPDX-License-Identifier: Apache-2.0
#ifndef PLAIN_LAYERNORM_H_
#define PLAIN_LAYERNORM_H_

// A right and plain implementation that controls are made of: each spoils one thing. It is copied
// beside a control's own sources before the control is graded, since a submission sees no files but
// its own.

#include <cmath>
#include <cstddef>
#include <cstring>

#include "interface.h"

namespace plain {

template <class T>
struct ForwardCall {
  std::size_t rows;
  std::size_t features;
  const T* x;
  const T* gamma;
  const T* beta;
  T eps;
  T* y;
  ln_save_fn save;
  void* context;
};

template <class T>
struct BackwardCall {
  std::size_t rows;
  std::size_t features;
  const T* dy;
  ln_load_fn load;
  void* context;
  T* dx;
  T* dgamma;
  T* dbeta;
};

template <class T>
int Forward(const ForwardCall<T>& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  if (c.rows == 0) return LN_OK;
  const std::size_t row_bytes = c.features * sizeof(T);
  T* xhat = static_cast<T*>(c.save(c.context, "xhat", c.rows * row_bytes));
  T* rstd = static_cast<T*>(c.save(c.context, "rstd", c.rows * sizeof(T)));
  T* gamma = static_cast<T*>(c.save(c.context, "gamma", row_bytes));
  if (!xhat || !rstd || !gamma) return LN_OUT_OF_MEMORY;
  std::memcpy(gamma, c.gamma, row_bytes);
  const double count = static_cast<double>(c.features);
  for (std::size_t i = 0; i < c.rows; ++i) {
    const T* x = c.x + i * c.features;
    double mean = 0;
    for (std::size_t j = 0; j < c.features; ++j) mean += x[j] / count;
    double offset = 0;
    for (std::size_t j = 0; j < c.features; ++j) offset += (x[j] - mean) / count;
    double variance = 0;
    for (std::size_t j = 0; j < c.features; ++j) {
      variance += (x[j] - mean - offset) * (x[j] - mean - offset) / count;
    }
    const double scale = 1 / std::sqrt(variance + static_cast<double>(c.eps));
    rstd[i] = static_cast<T>(scale);
    for (std::size_t j = 0; j < c.features; ++j) {
      const T normal = static_cast<T>((x[j] - mean - offset) * scale);
      xhat[i * c.features + j] = normal;
      c.y[i * c.features + j] = normal * c.gamma[j] + c.beta[j];
    }
  }
  return LN_OK;
}

template <class T>
int Backward(const BackwardCall<T>& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  const T* xhat = static_cast<const T*>(c.load(c.context, "xhat", nullptr));
  const T* rstd = static_cast<const T*>(c.load(c.context, "rstd", nullptr));
  const T* gamma = static_cast<const T*>(c.load(c.context, "gamma", nullptr));
  if (c.rows > 0 && (!xhat || !rstd || !gamma)) return LN_INVALID_ARGUMENT;
  std::memset(c.dgamma, 0, c.features * sizeof(T));
  std::memset(c.dbeta, 0, c.features * sizeof(T));
  const double count = static_cast<double>(c.features);
  for (std::size_t i = 0; i < c.rows; ++i) {
    const T* dy = c.dy + i * c.features;
    const T* row = xhat + i * c.features;
    double mean_d = 0;
    double mean_dxhat = 0;
    for (std::size_t j = 0; j < c.features; ++j) {
      const double d = static_cast<double>(dy[j]) * gamma[j];
      mean_d += d / count;
      mean_dxhat += d * row[j] / count;
      c.dgamma[j] += dy[j] * row[j];
      c.dbeta[j] += dy[j];
    }
    for (std::size_t j = 0; j < c.features; ++j) {
      const double d = static_cast<double>(dy[j]) * gamma[j];
      c.dx[i * c.features + j] = static_cast<T>(rstd[i] * (d - mean_d - row[j] * mean_dxhat));
    }
  }
  return LN_OK;
}

}  // namespace plain

/// Defines the four functions by `forward(ForwardCall<T>)` and `backward(BackwardCall<T>)`.
#define PLAIN_EXPORT(forward, backward)             \
  extern "C" {                                      \
  PLAIN_EXPORT_TYPE(forward, backward, float, f32)  \
  PLAIN_EXPORT_TYPE(forward, backward, double, f64) \
  }                                                 \
  static_assert(true)

#define PLAIN_EXPORT_TYPE(forward, backward, T, suffix)                                            \
  int ln_forward_##suffix(size_t rows, size_t features, const T* x, const T* gamma, const T* beta, \
                          T eps, T* y, ln_save_fn save, void* context) {                           \
    return (                                                                                       \
        forward)(plain::ForwardCall<T>{rows, features, x, gamma, beta, eps, y, save, context});    \
  }                                                                                                \
  int ln_backward_##suffix(size_t rows, size_t features, const T* dy, ln_load_fn load,             \
                           void* context, T* dx, T* dgamma, T* dbeta) {                            \
    return (                                                                                       \
        backward)(plain::BackwardCall<T>{rows, features, dy, load, context, dx, dgamma, dbeta});   \
  }

#endif  // PLAIN_LAYERNORM_H_
