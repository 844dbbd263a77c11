// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_STEPS_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_STEPS_H_

// The formula of the baseline, one function a term: a mutant replaces one of them.

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "baseline_vectors.h"
#include "interface.h"

namespace assay::layernorm_baseline {

/// The formula, term by term. `T` is float or double, `V` a vector of them.
struct BaselineSteps {
  /// How many rows are visited: all.
  static std::size_t VisitedRows(std::size_t rows) { return rows; }

  /// How many columns the loops over a row visit: all, the last ones with a masked vector.
  template <typename T>
  static std::size_t VisitedColumns(std::size_t features) {
    return features;
  }

  /// Where row `row` of an input begins.
  template <typename T>
  static const T* Row(const T* matrix, std::size_t row, std::size_t features) {
    return matrix + row * features;
  }

  template <typename T>
  static T Mean(T sum, std::size_t features) {
    return sum / static_cast<T>(features);
  }

  /// What is subtracted from x before squares are taken: the mean, so that an offset of the row
  /// cancels before it is squared.
  template <typename T>
  static T Pivot(T mean) {
    return mean;
  }

  /// Biased variance from sums of deviations from the pivot. `offset` is the mean deviation: what
  /// rounding left of the mean; its square corrects the sum of squares.
  template <typename T>
  static T Variance(T sum_of_squares, T offset, std::size_t features) {
    const T variance = sum_of_squares / static_cast<T>(features) - offset * offset;
    return variance < 0 ? 0 : variance;  // Keeps a NaN, as std::max would not.
  }

  template <typename T>
  static T ReciprocalStd(T variance, T eps) {
    return 1 / std::sqrt(variance + eps);
  }

  template <typename V>
  static V Normalize(V deviation, V offset, V rstd) {
    return hn::Mul(hn::Sub(deviation, offset), rstd);
  }

  /// xhat as it is saved.
  template <typename V>
  static V Saved(V xhat) {
    return xhat;
  }

  template <typename V>
  static V Affine(V xhat, V gamma, V beta) {
    return hn::MulAdd(xhat, gamma, beta);
  }

  /// Memory that backward will see under `name`; null when there is none.
  static void* Save(ln_save_fn save, void* context, const char* name, std::size_t bytes) {
    return save(context, name, bytes);
  }

  /// What forward saved under `name`; null unless it is there and has that size.
  static const void* Load(ln_load_fn load, void* context, const char* name, std::size_t bytes) {
    std::size_t saved_bytes = 0;
    const void* saved = load(context, name, &saved_bytes);
    return saved_bytes == bytes ? saved : nullptr;
  }

  /// d = dL/dxhat, rounded: with one feature d - mean(d) is 0 and not what rounding took from d.
  template <typename V>
  static V ScaledGradient(V dy, V gamma) {
    return Rounded(hn::Mul(dy, gamma));
  }

  template <typename V>
  static V GammaTerm(V dy, V xhat, V /*gamma*/) {
    return hn::Mul(dy, xhat);
  }

  template <typename V>
  static V BetaTerm(V dy, V /*gamma*/) {
    return dy;
  }

  /// dx = rstd * (d - mean(d) - xhat * mean(d * xhat)).
  template <typename V>
  static V InputGradient(V d, V xhat, V mean_d, V mean_dxhat, V rstd) {
    return hn::Mul(rstd, hn::NegMulAdd(xhat, mean_dxhat, hn::Sub(d, mean_d)));
  }

  /// Moves the partial sum of a column to its accumulator.
  template <typename T>
  static double Accumulate(double accumulator, T partial) {
    return accumulator + static_cast<double>(partial);
  }

  /// The accumulators of one kind of column sum, for one thread.
  static std::vector<double> ColumnAccumulators(std::size_t features) {
    return std::vector<double>(features, 0.0);
  }

  template <typename T>
  static void StoreColumn(T& output, double sum) {
    output = static_cast<T>(sum);
  }

  /// Which sums become dgamma, and which dbeta.
  static std::pair<const double*, const double*> ColumnOutputs(const double* gamma_sums,
                                                               const double* beta_sums,
                                                               std::size_t /*features*/) {
    return {gamma_sums, beta_sums};
  }
};

}  // namespace assay::layernorm_baseline

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_BASELINE_STEPS_H_
