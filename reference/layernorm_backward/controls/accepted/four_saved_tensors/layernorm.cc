// SPDX-License-Identifier: Apache-2.0
// Right in an unusual way: saves x with its statistics, four tensors, and takes mean(d xhat) from
// mean(d x); sums run one after the other, in T. It also loads them in another order than it saved.

#include "plain_layernorm.h"

namespace {

template <class T>
int Forward(const plain::ForwardCall<T>& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  if (c.rows == 0) return LN_OK;
  const std::size_t row_bytes = c.features * sizeof(T);
  T* gamma = static_cast<T*>(c.save(c.context, "scale", row_bytes));
  T* x = static_cast<T*>(c.save(c.context, "input", c.rows * row_bytes));
  T* mean = static_cast<T*>(c.save(c.context, "mean of each row", c.rows * sizeof(T)));
  T* rstd = static_cast<T*>(c.save(c.context, "one over its deviation", c.rows * sizeof(T)));
  if (!gamma || !x || !mean || !rstd) return LN_OUT_OF_MEMORY;
  std::memcpy(gamma, c.gamma, row_bytes);
  std::memcpy(x, c.x, c.rows * row_bytes);
  const T count = static_cast<T>(c.features);
  for (std::size_t i = 0; i < c.rows; ++i) {
    const T* row = c.x + i * c.features;
    T sum = 0;
    for (std::size_t j = 0; j < c.features; ++j) sum += row[j];
    mean[i] = sum / count;
    T squares = 0;
    for (std::size_t j = 0; j < c.features; ++j) squares += (row[j] - mean[i]) * (row[j] - mean[i]);
    rstd[i] = 1 / std::sqrt(squares / count + c.eps);
    for (std::size_t j = 0; j < c.features; ++j) {
      c.y[i * c.features + j] = (row[j] - mean[i]) * rstd[i] * c.gamma[j] + c.beta[j];
    }
  }
  return LN_OK;
}

template <class T>
int Backward(const plain::BackwardCall<T>& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  const T* rstd = static_cast<const T*>(c.load(c.context, "one over its deviation", nullptr));
  const T* mean = static_cast<const T*>(c.load(c.context, "mean of each row", nullptr));
  const T* x = static_cast<const T*>(c.load(c.context, "input", nullptr));
  const T* gamma = static_cast<const T*>(c.load(c.context, "scale", nullptr));
  if (c.rows > 0 && (!gamma || !x || !mean || !rstd)) return LN_INVALID_ARGUMENT;
  std::memset(c.dgamma, 0, c.features * sizeof(T));
  std::memset(c.dbeta, 0, c.features * sizeof(T));
  const T count = static_cast<T>(c.features);
  for (std::size_t i = 0; i < c.rows; ++i) {
    const T* dy = c.dy + i * c.features;
    const T* row = x + i * c.features;
    T d_sum = 0;
    T d_x_sum = 0;
    for (std::size_t j = 0; j < c.features; ++j) {
      d_sum += dy[j] * gamma[j];
      d_x_sum += dy[j] * gamma[j] * row[j];
      c.dgamma[j] += dy[j] * ((row[j] - mean[i]) * rstd[i]);
      c.dbeta[j] += dy[j];
    }
    const T mean_d = d_sum / count;
    const T mean_d_xhat = rstd[i] * (d_x_sum / count - mean[i] * mean_d);
    for (std::size_t j = 0; j < c.features; ++j) {
      const T xhat = (row[j] - mean[i]) * rstd[i];
      c.dx[i * c.features + j] = rstd[i] * (dy[j] * gamma[j] - mean_d - xhat * mean_d_xhat);
    }
  }
  return LN_OK;
}

}  // namespace

PLAIN_EXPORT(Forward, Backward);
