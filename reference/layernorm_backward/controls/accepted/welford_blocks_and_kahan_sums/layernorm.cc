// SPDX-License-Identifier: Apache-2.0
// Right in an unusual way: statistics by Welford in blocks of 64 that are merged (Chan, Golub,
// LeVeque, 1983), all other sums compensated (Kahan, 1965), and nothing in a wider type than T.

#include <algorithm>
#include <vector>

#include "plain_layernorm.h"

namespace {

template <class T>
struct KahanSum {
  T sum = 0;
  T lost = 0;
  void Add(T value) {
    const T wanted = value - lost;
    const T next = sum + wanted;
    lost = (next - sum) - wanted;
    sum = next;
  }
};

template <class T>
struct Moments {
  T count = 0;
  T mean = 0;
  T squares = 0;
  void Add(T value) {
    count += 1;
    const T delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
  }
  void Merge(const Moments& other) {
    const T both = count + other.count;
    const T delta = other.mean - mean;
    mean += delta * (other.count / both);
    squares += other.squares + delta * delta * (count / both) * other.count;
    count = both;
  }
};

template <class T>
Moments<T> MomentsOf(const T* x, std::size_t features) {
  constexpr std::size_t kBlock = 64;
  Moments<T> all;
  for (std::size_t first = 0; first < features; first += kBlock) {
    Moments<T> block;
    for (std::size_t j = first; j < std::min(features, first + kBlock); ++j) block.Add(x[j]);
    all.Merge(block);
  }
  return all;
}

template <class T>
int Forward(const plain::ForwardCall<T>& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  if (c.rows == 0) return LN_OK;
  const std::size_t row_bytes = c.features * sizeof(T);
  T* xhat = static_cast<T*>(c.save(c.context, "xhat", c.rows * row_bytes));
  T* rstd = static_cast<T*>(c.save(c.context, "rstd", c.rows * sizeof(T)));
  T* gamma = static_cast<T*>(c.save(c.context, "gamma", row_bytes));
  if (!xhat || !rstd || !gamma) return LN_OUT_OF_MEMORY;
  std::memcpy(gamma, c.gamma, row_bytes);
  for (std::size_t i = 0; i < c.rows; ++i) {
    const std::size_t first = i * c.features;
    const Moments<T> row = MomentsOf(c.x + first, c.features);
    rstd[i] = 1 / std::sqrt(row.squares / row.count + c.eps);
    for (std::size_t j = 0; j < c.features; ++j) {
      xhat[first + j] = (c.x[first + j] - row.mean) * rstd[i];
      c.y[first + j] = xhat[first + j] * c.gamma[j] + c.beta[j];
    }
  }
  return LN_OK;
}

template <class T>
int Backward(const plain::BackwardCall<T>& c) {
  if (c.features == 0) return LN_INVALID_ARGUMENT;
  const T* xhat = static_cast<const T*>(c.load(c.context, "xhat", nullptr));
  const T* rstd = static_cast<const T*>(c.load(c.context, "rstd", nullptr));
  const T* gamma = static_cast<const T*>(c.load(c.context, "gamma", nullptr));
  if (c.rows > 0 && (!xhat || !rstd || !gamma)) return LN_INVALID_ARGUMENT;
  std::vector<KahanSum<T>> dgamma(c.features);
  std::vector<KahanSum<T>> dbeta(c.features);
  const T count = static_cast<T>(c.features);
  for (std::size_t i = 0; i < c.rows; ++i) {
    const T* dy = c.dy + i * c.features;
    const T* row = xhat + i * c.features;
    KahanSum<T> d_sum;
    KahanSum<T> d_xhat_sum;
    for (std::size_t j = 0; j < c.features; ++j) {
      d_sum.Add(dy[j] * gamma[j]);
      d_xhat_sum.Add(dy[j] * gamma[j] * row[j]);
      dgamma[j].Add(dy[j] * row[j]);
      dbeta[j].Add(dy[j]);
    }
    for (std::size_t j = 0; j < c.features; ++j) {
      c.dx[i * c.features + j] =
          rstd[i] * (dy[j] * gamma[j] - d_sum.sum / count - row[j] * (d_xhat_sum.sum / count));
    }
  }
  for (std::size_t j = 0; j < c.features; ++j) {
    c.dgamma[j] = dgamma[j].sum;
    c.dbeta[j] = dbeta[j].sum;
  }
  return LN_OK;
}

}  // namespace

PLAIN_EXPORT(Forward, Backward);
