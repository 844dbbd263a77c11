// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_BACKWARD_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_BACKWARD_H_

// The baseline's backward pass, a block of rows at a time.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "baseline_vectors.h"
#include "interface.h"

namespace assay::layernorm_baseline {

/// Column sums stay in lanes of T for so many rows.
inline constexpr std::size_t kRowsPerFlush = 64;
/// Rows of one block of backward: at 4096 features dy and xhat of a block take 128 KiB, a fraction
/// of a second-level cache.
inline constexpr std::size_t kRowsPerBlock = 4;
static_assert(kRowsPerFlush % kRowsPerBlock == 0);
/// What backward reads.
template <typename T>
struct BackwardInputs {
  std::size_t rows;
  std::size_t features;
  const T* dy;
  const T* xhat;
  const T* rstd;
  const T* gamma;
};

/// The column sums of one thread, in lanes of T for some rows and in double for all.
template <class Steps, typename T>
class ColumnSums {
 public:
  explicit ColumnSums(std::size_t features)
      : gamma_(features, T{0}),
        beta_(features, T{0}),
        gamma_sums_(Steps::ColumnAccumulators(features)),
        beta_sums_(Steps::ColumnAccumulators(features)) {}

  T* gamma() { return gamma_.data(); }
  T* beta() { return beta_.data(); }
  const std::vector<double>& gamma_sums() const { return gamma_sums_; }
  const std::vector<double>& beta_sums() const { return beta_sums_; }

  void Flush() {
    Flush(gamma_, gamma_sums_);
    Flush(beta_, beta_sums_);
  }

 private:
  static void Flush(std::vector<T>& partial, std::vector<double>& sums) {
    for (std::size_t j = 0; j < partial.size(); ++j) {
      sums[j] = Steps::Accumulate(sums[j], partial[j]);
      partial[j] = 0;
    }
  }

  std::vector<T> gamma_;
  std::vector<T> beta_;
  std::vector<double> gamma_sums_;
  std::vector<double> beta_sums_;
};

/// What dx takes from its whole row.
template <typename T>
struct RowMeans {
  T d;
  T dxhat;
};

/// First sweep over a row: its means.
template <class Steps, typename T>
inline RowMeans<T> ComputeMeans(const BackwardInputs<T>& in, std::size_t row) {
  const T* dy = Steps::Row(in.dy, row, in.features);
  const T* xhat = in.xhat + row * in.features;
  Vector<T> sum_d = hn::Zero(Lanes<T>());
  Vector<T> sum_dxhat = hn::Zero(Lanes<T>());
  ForEachVector<T>(
      Steps::template VisitedColumns<T>(in.features), 0, [&](auto part, std::size_t j) {
        const Vector<T> d = Steps::ScaledGradient(part.Load(dy + j), part.Load(in.gamma + j));
        sum_d = hn::Add(sum_d, d);
        sum_dxhat = hn::MulAdd(d, part.Load(xhat + j), sum_dxhat);
      });
  return {Steps::Mean(Sum<T>(sum_d), in.features), Steps::Mean(Sum<T>(sum_dxhat), in.features)};
}

/// Second sweep over `kRows` rows, now in cache: their dx, and their share of the column sums.
/// Their `dx` are aligned alike where they are streamed. Asks for the first row of the next block
/// meanwhile, so that reading does not begin only when writing has ended.
template <class Steps, std::size_t kRows, typename T>
inline void WriteRows(const BackwardInputs<T>& in, std::size_t first, const RowMeans<T>* means,
                      StoreKind kind, T* matrix_dx, ColumnSums<Steps, T>& columns) {
  const T* dy[kRows];
  const T* xhat[kRows];
  T* dx[kRows];
  Vector<T> mean_d[kRows];
  Vector<T> mean_dxhat[kRows];
  Vector<T> rstd[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    dy[r] = Steps::Row(in.dy, first + r, in.features);
    xhat[r] = in.xhat + (first + r) * in.features;
    dx[r] = matrix_dx + (first + r) * in.features;
    mean_d[r] = hn::Set(Lanes<T>(), means[r].d);
    mean_dxhat[r] = hn::Set(Lanes<T>(), means[r].dxhat);
    rstd[r] = hn::Set(Lanes<T>(), in.rstd[first + r]);
  }
  const std::size_t ahead = kRows * in.features;
  const std::size_t head = kind == StoreKind::kStreamed ? ElementsToAlignment(dx[0]) : 0;
  ForEachVector<T>(
      Steps::template VisitedColumns<T>(in.features), head, [&](auto part, std::size_t j) {
        __builtin_prefetch(dy[0] + j + ahead);
        __builtin_prefetch(xhat[0] + j + ahead);
        const Vector<T> gamma = part.Load(in.gamma + j);
        Vector<T> dgamma = part.Load(columns.gamma() + j);
        Vector<T> dbeta = part.Load(columns.beta() + j);
        for (std::size_t r = 0; r < kRows; ++r) {
          const Vector<T> gradient = part.Load(dy[r] + j);
          const Vector<T> normal = part.Load(xhat[r] + j);
          dgamma = hn::Add(dgamma, Steps::GammaTerm(gradient, normal, gamma));
          dbeta = hn::Add(dbeta, Steps::BetaTerm(gradient, gamma));
          const Vector<T> d = Steps::ScaledGradient(gradient, gamma);
          part.Store(Steps::InputGradient(d, normal, mean_d[r], mean_dxhat[r], rstd[r]), dx[r] + j,
                     kind);
        }
        part.Store(dgamma, columns.gamma() + j);
        part.Store(dbeta, columns.beta() + j);
      });
}

template <class Steps, std::size_t kRows, typename T>
inline void BackwardBlock(const BackwardInputs<T>& in, std::size_t first, StoreKind kind, T* dx,
                          ColumnSums<Steps, T>& columns) {
  RowMeans<T> means[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    means[r] = ComputeMeans<Steps>(in, first + r);
  }
  WriteRows<Steps, kRows>(in, first, means, kind, dx, columns);
}

/// Rows [first, last): their dx, and their share of the column sums.
template <class Steps, typename T>
void BackwardRows(const BackwardInputs<T>& in, std::size_t first, std::size_t last, T* dx,
                  ColumnSums<Steps, T>& columns) {
  const StoreKind kind = StoreKindFor(3 * in.rows * in.features * sizeof(T));
  const bool rows_aligned_alike = in.features % LaneCount<T>() == 0;
  std::size_t row = first;
  while (row < last) {
    const std::size_t flush_at = std::min(last, row + kRowsPerFlush);
    if (rows_aligned_alike || kind == StoreKind::kCached) {
      for (; row + kRowsPerBlock <= flush_at; row += kRowsPerBlock) {
        BackwardBlock<Steps, kRowsPerBlock>(in, row, kind, dx, columns);
      }
    }
    for (; row < flush_at; ++row) {
      BackwardBlock<Steps, 1>(in, row, kind, dx, columns);
    }
    columns.Flush();
  }
  hwy::FlushStream();
}

/// ln_backward_f32 and ln_backward_f64 of interface.h, on `threads` threads.
template <class Steps, typename T>
int Backward(std::size_t rows, std::size_t features, const T* dy, ln_load_fn load, void* context,
             T* dx, T* dgamma, T* dbeta, std::size_t threads) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  BackwardInputs<T> in = {rows, features, dy, nullptr, nullptr, nullptr};
  if (rows > 0) {
    const std::size_t row_bytes = features * sizeof(T);
    in.xhat = static_cast<const T*>(Steps::Load(load, context, "xhat", rows * row_bytes));
    in.rstd = static_cast<const T*>(Steps::Load(load, context, "rstd", rows * sizeof(T)));
    in.gamma = static_cast<const T*>(Steps::Load(load, context, "gamma", row_bytes));
    if (!in.xhat || !in.rstd || !in.gamma) {
      return LN_INVALID_ARGUMENT;
    }
  }
  std::vector<ColumnSums<Steps, T>> sums(threads, ColumnSums<Steps, T>(features));
  InParallel(Steps::VisitedRows(rows), threads,
             [&](std::size_t thread, std::size_t first, std::size_t last) {
               BackwardRows<Steps>(in, first, last, dx, sums[thread]);
             });
  std::vector<double> gamma_sums = sums[0].gamma_sums();
  std::vector<double> beta_sums = sums[0].beta_sums();
  for (std::size_t thread = 1; thread < threads; ++thread) {
    for (std::size_t j = 0; j < features; ++j) {
      gamma_sums[j] += sums[thread].gamma_sums()[j];
      beta_sums[j] += sums[thread].beta_sums()[j];
    }
  }
  const auto [dgamma_sums, dbeta_sums] =
      Steps::ColumnOutputs(gamma_sums.data(), beta_sums.data(), features);
  for (std::size_t j = 0; j < features; ++j) {
    Steps::StoreColumn(dgamma[j], dgamma_sums[j]);
    Steps::StoreColumn(dbeta[j], dbeta_sums[j]);
  }
  return LN_OK;
}

}  // namespace assay::layernorm_baseline

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_BACKWARD_H_
