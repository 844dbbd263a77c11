// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_ORACLE_H_
#define ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_ORACLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::softmax_topk {

/// The right answer to challenge `fused_softmax_topk`, plain and slow; and how far from it
/// arithmetic in float may fall.
///
/// For each row x[0..V) of logits (interface.h has the full contract):
///
///     m = max_j x_j       S = sum_j exp(x_j - m)       p_i = exp(x_i - m) / S
///
/// and the k first of 0..V in the order: larger logits first, equal ones (-0 equals +0) by lower
/// index, NaN after every number. Exponentials are computed in double and summed in long double,
/// nine digits below the narrowest bound.
///
/// rows = 0 and k = 0 are allowed; k > vocabulary is not. Pure functions, safe from any thread;
/// they throw only std::bad_alloc.

/// IEEE binary16 and bfloat16 by their bits, as interface.h passes them.
struct Half {
  std::uint16_t bits = 0;
  bool operator==(const Half&) const = default;
};
struct BFloat16 {
  std::uint16_t bits = 0;
  bool operator==(const BFloat16&) const = default;
};

/// The value of a logit; exact, and NaN for NaN.
[[nodiscard]] inline float ToFloat(float logit) { return logit; }
[[nodiscard]] float ToFloat(Half logit);
[[nodiscard]] float ToFloat(BFloat16 logit);

/// The logit nearest to `value`, ties to even; too large a value gives an infinity. T is float,
/// Half or BFloat16.
template <class T>
[[nodiscard]] T Nearest(double value);

template <class T>
struct Problem {
  std::size_t rows = 0;
  std::size_t vocabulary = 0;
  std::size_t k = 0;
  std::vector<T> logits = {};  ///< [rows][vocabulary]
};

/// What a right implementation's error of a row's first probability is made of, relative, where the
/// row's logits are drawn independently (row_errors.h); 0 for a special row. oracle.cc derives it.
struct DrawnError {
  double steady = 0;  ///< May be to the same side in every row.
  double varied = 0;  ///< Is to either side alike: at most this, as the proxy of a sub-Gaussian.
};

/// All [rows][k], but for what is said to be [rows].
struct Answer {
  std::vector<std::int32_t> indices;
  std::vector<long double> probabilities;
  /// Largest |error| of a right implementation in float; oracle.cc derives it. 0 where only one
  /// value is right: NaN of a special row, 0 of -infinity.
  std::vector<double> bounds;
  /// Of the relative error, what is each probability's own: the rest all of a row have in common
  /// (row_errors.h).
  std::vector<double> own_errors;
  std::vector<DrawnError> drawn_errors;  ///< [rows]
};

/// The k first of 0..row.size(), in order.
[[nodiscard]] std::vector<std::int32_t> Select(std::span<const float> row, std::size_t k);

/// Of T float, Half or BFloat16.
template <class T>
[[nodiscard]] Answer Solve(const Problem<T>& problem);

/// The same without `bounds`, for which each row has to be sorted.
[[nodiscard]] Answer SolveWithoutBounds(const Problem<float>& problem);

}  // namespace assay::softmax_topk

#endif  // ASSAY_REFERENCE_FUSED_SOFTMAX_TOPK_ORACLE_H_
