// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_RANDOM_ROUNDING_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_RANDOM_ROUNDING_H_

#include <cstddef>
#include <span>

#include "oracle.h"

namespace assay::layernorm {

/// How far an output as a whole may fall from the oracle's when roundings are random: held against
/// its root mean square, beside the worst case of each element (oracle.h). A worst case grows with
/// the length n of a sum, and at 512 features has room for an xhat that was kept in half precision;
/// what really happens grows with sqrt(n), and has none at 70,000.
///
/// The model: roundings are independent and uniform, and terms come in random order. Then a sum of
/// n terms t is off by
///
///     Walk(t) = (u / 3) sqrt((n + 8) ((sum t)^2 + sum t^2))
///
/// at one deviation: roundings have variance (u S_k)^2 / 3 at partial sum S_k, and the mean of
/// sum_k S_k^2 over all orders is at most n ((sum t)^2 + sum t^2) / 3. The bounds are those of
/// interface.h with kDeviations * Walk in place of g(n) mean|t|, single roundings at their worst,
/// and errors of different rows, in a column, added as squares. No element's is above its worst
/// case.
///
/// Chance of a false alarm. An error is at most L + W |z|, the bound is L + kDeviations W, L and W
/// being of the element and z sub-Gaussian of variance 1. That the mean square of error over bound
/// passes 1 then has, however the elements depend on each other, at most the chance
///
///     kDeviations exp((1 - kDeviations^2) / 2) = 1.7e-13
///
/// (Jensen, with E exp(c z^2) <= (1 - 2c)^(-1/2)). A run judges fewer than 5,000 outputs so: below
/// 1e-9 together. For rows whose elements were drawn: in a constant row all roundings are alike.
///
/// Measured by random_rounding_test.cc, in f32 and f64, 8 to 70,000 features and up to 65,537
/// rows. Largest root mean square of error over bound of right implementations (sequential sums,
/// Welford, blocks with Kahan sums, x*a + b, the chain rule): 0.21. Smallest, of the
/// output that shows it best, of those that save xhat, rstd, gamma or x in f16, bf16, or in f32 for
/// f64: 6.7 in f32, 4e5 in f64.
///
/// Pure functions, safe from any thread; they throw only std::bad_alloc.
///
/// Source of the model: Higham, Mary, A New Approach to Probabilistic Rounding Error Analysis,
/// SIAM J. Sci. Comput. 41(5), 2019.
inline constexpr double kDeviations = 8;

/// The bounds of all elements. `answer` is Solve's or SolveWith's of that problem.
template <typename T>
[[nodiscard]] Bounds RandomRoundingBounds(const Problem<T>& problem, const Answer& answer,
                                          Statistics statistics = Statistics::kTaken);

/// Root mean square of (got - want) / bound: right up to 1. NaN where `got` has one.
template <typename T>
[[nodiscard]] double RmsOverBound(std::span<const T> got, std::span<const long double> want,
                                  std::span<const double> bound);

/// Root mean squares of the bounds of one output each.
struct RmsBounds {
  double y = 0;
  double dx = 0;
  double dgamma = 0;
  double dbeta = 0;
};

/// Of a problem with so many rows, all drawn like those of `sample`, whose columns sum to about 0.
template <typename T>
[[nodiscard]] RmsBounds RmsBoundsOfRowsLike(const Problem<T>& sample, const Answer& answer,
                                            std::size_t rows);

}  // namespace assay::layernorm

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_RANDOM_ROUNDING_H_
