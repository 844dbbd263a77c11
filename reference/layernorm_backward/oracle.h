// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_ORACLE_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_ORACLE_H_

#include <cstddef>
#include <vector>

namespace assay::layernorm {

/// The right answer to challenge `layernorm_backward`, in long double, plain and slow; and how far
/// from it arithmetic in T may fall.
///
/// For each row of x[rows][features], D = features (interface.h has the full contract):
///
///     mean = (1/D) sum x       var = (1/D) sum (x - mean)^2       rstd = 1/sqrt(var + eps)
///     xhat = (x - mean) rstd                                      y = xhat gamma + beta
///     d = dy gamma             M1 = (1/D) sum d                   M2 = (1/D) sum d xhat
///     dx = rstd (d - M1 - xhat M2)      dgamma = sum_rows dy xhat      dbeta = sum_rows dy
///
/// All matrices are row-major and dense. rows = 0 is allowed, features = 0 is not. NaN and
/// infinities follow arithmetic. Pure functions, safe from any thread; they throw only
/// std::bad_alloc. T is float or double.
///
/// Source: Ba, Kiros, Hinton, arXiv:1607.06450, equations (3) and (4).
template <typename T>
struct Problem {
  std::size_t rows = 0;
  std::size_t features = 0;
  T eps = T(1e-5);
  std::vector<T> x = {};      ///< [rows][features]
  std::vector<T> gamma = {};  ///< [features]
  std::vector<T> beta = {};   ///< [features]
  std::vector<T> dy = {};     ///< [rows][features]
};

struct Normalised {
  std::vector<long double> mean;  ///< [rows]
  std::vector<long double> rstd;  ///< [rows]
  std::vector<long double> xhat;  ///< [rows][features]
  std::vector<long double> y;     ///< [rows][features]
};

struct Gradients {
  std::vector<long double> dx;      ///< [rows][features]
  std::vector<long double> dgamma;  ///< [features]
  std::vector<long double> dbeta;   ///< [features]
};

template <typename T>
[[nodiscard]] Normalised Forward(const Problem<T>& problem);

/// By the closed form above.
template <typename T>
[[nodiscard]] Gradients Backward(const Problem<T>& problem, const Normalised& forward);

/// The same gradients by another way: the chain rule, one node of the graph after the other (y,
/// xhat, rstd, var, mean, x), without the closed form's cancellations. Tests hold the two against
/// each other.
template <typename T>
[[nodiscard]] Gradients BackwardByChainRule(const Problem<T>& problem);

/// The forward pass of one who is handed the mean and rstd of each row, whatever they are of: xhat
/// and y come from those bits.
template <typename T>
[[nodiscard]] Normalised NormaliseWith(const Problem<T>& problem, const std::vector<T>& mean,
                                       const std::vector<T>& rstd);

/// Whether an implementation takes the statistics of a row itself, or is handed the very ones in
/// `forward`.
enum class Statistics { kTaken, kGiven };

/// Largest error that a right implementation in T can make, element by element.
struct Bounds {
  std::vector<double> mean;
  std::vector<double> rstd;
  std::vector<double> y;
  std::vector<double> dx;
  std::vector<double> dgamma;
  std::vector<double> dbeta;
};

/// Error bounds from the conditioning of `problem`; oracle.cc derives them. Where the oracle's own
/// value is not finite, so is the bound.
///
/// They admit every right way to compute: sums in any order, two-pass or Welford variance, xhat
/// saved in T or x with its statistics, the normalisation folded into x*a + b, results flushed
/// when denormal. They do not admit sum(x^2) - mean^2 of rows far from zero, a narrower type than
/// T, or a term left out.
template <typename T>
[[nodiscard]] Bounds ErrorBounds(const Problem<T>& problem, const Normalised& forward,
                                 const Gradients& gradients,
                                 Statistics statistics = Statistics::kTaken);

/// Everything at once.
struct Answer {
  Normalised forward;
  Gradients gradients;
  Bounds bounds;
};
template <typename T>
[[nodiscard]] Answer Solve(const Problem<T>& problem);
/// The same of NormaliseWith: what backward makes of statistics that it is handed.
template <typename T>
[[nodiscard]] Answer SolveWith(const Problem<T>& problem, const std::vector<T>& mean,
                               const std::vector<T>& rstd);

/// Largest |got - want| over the largest |want|: how far off a tensor is as a whole. Infinite where
/// an element of either is NaN.
template <typename T>
[[nodiscard]] double NormalisedError(const std::vector<T>& got,
                                     const std::vector<long double>& want);

}  // namespace assay::layernorm

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_ORACLE_H_
