// SPDX-License-Identifier: Apache-2.0
// Right in an unusual way: xhat is a x + b, with b from the mean, which cancels late; backward goes
// through the graph one node after the other, with the gradients of the variance and of the mean.

#include "plain_layernorm.h"

namespace {

template <class T>
int Forward(const plain::ForwardCall<T>& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  if (c.rows == 0) return LN_OK;
  const std::size_t row_bytes = c.features * sizeof(T);
  T* centred = static_cast<T*>(c.save(c.context, "centred", c.rows * row_bytes));
  T* rstd = static_cast<T*>(c.save(c.context, "rstd", c.rows * sizeof(T)));
  T* gamma = static_cast<T*>(c.save(c.context, "gamma", row_bytes));
  if (!centred || !rstd || !gamma) return LN_OUT_OF_MEMORY;
  std::memcpy(gamma, c.gamma, row_bytes);
  const T count = static_cast<T>(c.features);
  for (std::size_t i = 0; i < c.rows; ++i) {
    const T* x = c.x + i * c.features;
    T sum = 0;
    for (std::size_t j = 0; j < c.features; ++j) sum += x[j];
    const T mean = sum / count;
    T squares = 0;
    for (std::size_t j = 0; j < c.features; ++j) {
      centred[i * c.features + j] = x[j] - mean;
      squares += (x[j] - mean) * (x[j] - mean);
    }
    rstd[i] = 1 / std::sqrt(squares / count + c.eps);
    const T b = -mean * rstd[i];
    for (std::size_t j = 0; j < c.features; ++j) {
      c.y[i * c.features + j] = (x[j] * rstd[i] + b) * c.gamma[j] + c.beta[j];
    }
  }
  return LN_OK;
}

template <class T>
int Backward(const plain::BackwardCall<T>& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  const T* all_centred = static_cast<const T*>(c.load(c.context, "centred", nullptr));
  const T* all_rstd = static_cast<const T*>(c.load(c.context, "rstd", nullptr));
  const T* gamma = static_cast<const T*>(c.load(c.context, "gamma", nullptr));
  if (c.rows > 0 && (!all_centred || !all_rstd || !gamma)) return LN_INVALID_ARGUMENT;
  std::memset(c.dgamma, 0, c.features * sizeof(T));
  std::memset(c.dbeta, 0, c.features * sizeof(T));
  const T count = static_cast<T>(c.features);
  for (std::size_t i = 0; i < c.rows; ++i) {
    const T* dy = c.dy + i * c.features;
    const T* centred = all_centred + i * c.features;
    const T rstd = all_rstd[i];
    T of_rstd = 0;
    T of_centred = 0;
    T centred_sum = 0;
    for (std::size_t j = 0; j < c.features; ++j) {
      c.dgamma[j] += dy[j] * (centred[j] * rstd);
      c.dbeta[j] += dy[j];
      const T d = dy[j] * gamma[j];
      of_rstd += d * centred[j];
      of_centred += d * rstd;
      centred_sum += centred[j];
    }
    // rstd^3 alone would underflow in rows of large elements.
    const T of_variance = of_rstd * rstd * rstd * rstd / -2;
    const T of_mean = -of_centred - of_variance * (2 * centred_sum / count);
    for (std::size_t j = 0; j < c.features; ++j) {
      c.dx[i * c.features + j] =
          dy[j] * gamma[j] * rstd + of_variance * (2 * centred[j] / count) + of_mean / count;
    }
  }
  return LN_OK;
}

}  // namespace

PLAIN_EXPORT(Forward, Backward);
