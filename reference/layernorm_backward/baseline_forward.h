// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_FORWARD_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_FORWARD_H_

// The baseline's forward pass, a row at a time.

#include <cstddef>
#include <cstring>

#include "baseline_vectors.h"
#include "interface.h"

namespace assay::layernorm_baseline {

template <typename T>
struct RowStatistics {
  T pivot;   ///< Subtracted first: the mean, rounded.
  T offset;  ///< Subtracted next: mean of x - pivot.
  T rstd;
};

template <class Steps, typename T>
inline RowStatistics<T> ComputeStatistics(const T* x, std::size_t features, T eps) {
  const std::size_t columns = Steps::template VisitedColumns<T>(features);
  Vector<T> sum = hn::Zero(Lanes<T>());
  ForEachVector<T>(columns, 0,
                   [&](auto part, std::size_t j) { sum = hn::Add(sum, part.Load(x + j)); });
  const T pivot = Steps::Pivot(Steps::Mean(Sum<T>(sum), features));
  const Vector<T> pivots = hn::Set(Lanes<T>(), pivot);
  Vector<T> deviations = hn::Zero(Lanes<T>());
  Vector<T> squares = hn::Zero(Lanes<T>());
  ForEachVector<T>(columns, 0, [&](auto part, std::size_t j) {
    const Vector<T> deviation = part.KeepOrZero(hn::Sub(part.Load(x + j), pivots));
    deviations = hn::Add(deviations, deviation);
    squares = hn::MulAdd(deviation, deviation, squares);
  });
  const T offset = Steps::Mean(Sum<T>(deviations), features);
  const T variance = Steps::Variance(Sum<T>(squares), offset, features);
  return {pivot, offset, Steps::ReciprocalStd(variance, eps)};
}

/// y and xhat of one row. Asks for the next one meanwhile.
template <class Steps, typename T>
inline void NormalizeRow(const T* x, const RowStatistics<T>& statistics, const T* gamma,
                         const T* beta, std::size_t features, StoreKind kind, T* y, T* xhat) {
  const Vector<T> pivot = hn::Set(Lanes<T>(), statistics.pivot);
  const Vector<T> offset = hn::Set(Lanes<T>(), statistics.offset);
  const Vector<T> rstd = hn::Set(Lanes<T>(), statistics.rstd);
  const std::size_t head = kind == StoreKind::kStreamed ? ElementsToAlignment(y) : 0;
  const StoreKind xhat_kind = IsAligned(xhat + head) ? kind : StoreKind::kCached;
  ForEachVector<T>(
      Steps::template VisitedColumns<T>(features), head, [&](auto part, std::size_t j) {
        const Vector<T> deviation = hn::Sub(part.Load(x + j), pivot);
        const Vector<T> normal = Steps::Normalize(deviation, offset, rstd);
        part.Store(Steps::Saved(normal), xhat + j, xhat_kind);
        part.Store(Steps::Affine(normal, part.Load(gamma + j), part.Load(beta + j)), y + j, kind);
      });
}

/// ln_forward_f32 and ln_forward_f64 of interface.h, on `threads` threads.
template <class Steps, typename T>
int Forward(std::size_t rows, std::size_t features, const T* x, const T* gamma, const T* beta,
            T eps, T* y, ln_save_fn save, void* context, std::size_t threads) {
  if (features == 0) {
    return LN_INVALID_ARGUMENT;
  }
  if (rows == 0) {
    return LN_OK;
  }
  const std::size_t row_bytes = features * sizeof(T);
  T* xhat = static_cast<T*>(Steps::Save(save, context, "xhat", rows * row_bytes));
  T* rstd = static_cast<T*>(Steps::Save(save, context, "rstd", rows * sizeof(T)));
  T* saved_gamma = static_cast<T*>(Steps::Save(save, context, "gamma", row_bytes));
  if (xhat == nullptr || rstd == nullptr || saved_gamma == nullptr) {
    return LN_OUT_OF_MEMORY;
  }
  std::memcpy(saved_gamma, gamma, row_bytes);
  const StoreKind kind = StoreKindFor(3 * rows * row_bytes);
  InParallel(Steps::VisitedRows(rows), threads,
             [&](std::size_t /*thread*/, std::size_t first, std::size_t last) {
               for (std::size_t i = first; i < last; ++i) {
                 const T* row = Steps::Row(x, i, features);
                 const RowStatistics<T> statistics = ComputeStatistics<Steps>(row, features, eps);
                 rstd[i] = statistics.rstd;
                 NormalizeRow<Steps>(row, statistics, gamma, beta, features, kind, y + i * features,
                                     xhat + i * features);
               }
               hwy::FlushStream();
             });
  return LN_OK;
}

}  // namespace assay::layernorm_baseline

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_FORWARD_H_
