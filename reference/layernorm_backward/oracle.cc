// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Derivation of the error bounds
// ------------------------------
// u is the unit roundoff of T, g(n) = n u / (1 - n u) what n roundings do at most (Higham, Accuracy
// and Stability of Numerical Algorithms, 2nd ed., lemma 3.1), D the features, N the rows, A the
// mean of |x| over the row. The chain of a sum is its longest, the sequential one, so that a sum in
// any order is inside; tiny is the smallest normal number, for results flushed to zero.
//
// mean    A sum of D terms makes at most g(D-1) sum|x|. Welford's running mean adds u|m_k| and
//         3u|x_k - m_{k-1}|/k at step k, damped by (1 - 1/k) afterwards; since k|m_k| <= sum|x|
//         this is at most u (D + 3(1 + ln D)) A. Both: e_mean = g(D + 3 ln D + 8) A.
// x-mean  e_c = e_mean + 3u(|x| + |mean|): the last for x*a + b with a = rstd, b = -mean*rstd,
// whose
//         two products are rounded before they cancel.
// var     Two passes about a mean that is off by e give var + e^2, and g(D+3) var of rounding.
//         Welford's terms are (x_k - m_{k-1})(x_k - m_k), each factor off by at most e_mean; with
//         sum (x_k - m_{k-1})^2 <= 2 D var and Cauchy-Schwarz they add 2 sqrt(2 var) e_mean +
//         2 e_mean^2. Both: e_var = g(D+8) var + 3 sqrt(var) e_mean + 2 e_mean^2. Relative to var
//         this is about D u kappa, kappa = |mean|/sigma (Chan, Golub, LeVeque 1983 have the same
//         order); the difference sum(x^2)/D - mean^2 makes D u kappa^2 and is outside.
// rstd    w = (e_var + 2u(var+eps)) / (var+eps) moves it by (1-w)^(-1/2) - 1 relative at most; a
//         variance that is not negative keeps rstd below 1/sqrt(eps), which limits the same when w
//         nears 1. The root, the division and the rounding when saved add 4u. This is rho.
// xhat    e_h = (1 + rho) rstd e_c + rho |xhat| + 3u |xhat|: two roundings, and one when saved.
// y       |gamma| e_h + 4u |gamma xhat| + 3u (|y| + |beta|).
// M1      d carries u; e_M1 = g(D+8) mean|d|.
// M2      The same of d xhat, plus mean(|d| e_h), plus g(D+8) rstd mean(|d|(|x| + |mean|)) for
//         those who save x and form rstd (mean(d x) - mean M1).
// dx      q = d - M1 - xhat M2 has e_q = 6u(|d| + |M1| + |xhat M2|) + e_M1 + |xhat| e_M2 +
//         2 e_h (|M2| + e_M2); e_dx = (1 + rho) rstd e_q + (rho + 4u)|dx|. The 2 before e_h covers
//         the chain rule's mean(x - mean), which is e_mean and not 0.
// dgamma  sum over rows of |dy| e_h, plus g(N+8) sum |dy| (|xhat| + e_h).
// dbeta   g(N+8) sum |dy|.
//
// Statistics that are handed in are exact: e_mean = rho = 0, and the rest stays. The outputs mean
// and rstd are off by e_mean + u|mean| and by rho rstd.
//
// These are worst cases: a right float implementation lands at 0.001 to 0.3 of them.

namespace assay::layernorm {
namespace {

using Real = long double;

/// Rounding behaviour of arithmetic in T.
template <typename T>
struct Arithmetic {
  static constexpr Real kRoundoff = std::numeric_limits<T>::epsilon() / Real(2);
  static constexpr Real kTiny = std::numeric_limits<T>::min();

  /// Higham's gamma_n. Past 1/u roundings no digit is left.
  static Real Accumulated(Real roundings) {
    const Real nu = roundings * kRoundoff;
    return nu < 1 ? nu / (1 - nu) : std::numeric_limits<Real>::infinity();
  }
};

/// What is known of one row before its elements are looked at.
struct RowError {
  Real mean = 0;
  Real relative_rstd = 0;
};

template <typename T>
RowError StatisticsError(const Problem<T>& problem, const Normalised& forward, std::size_t row) {
  using A = Arithmetic<T>;
  const std::size_t features = problem.features;
  const Real count = static_cast<Real>(features);
  const Real mean = forward.mean[row];
  Real mean_of_absolute = 0;
  Real variance = 0;
  for (std::size_t j = 0; j < features; ++j) {
    const Real value = problem.x[row * features + j];
    mean_of_absolute += std::abs(value) / count;
    variance += (value - mean) * (value - mean) / count;
  }
  RowError error;
  error.mean = A::Accumulated(count + 3 * std::log(count) + 8) * mean_of_absolute + A::kTiny;
  const Real variance_error = A::Accumulated(count + 8) * variance +
                              3 * std::sqrt(variance) * error.mean + 2 * error.mean * error.mean +
                              2 * A::kTiny;
  const Real eps = problem.eps;
  const Real radicand = variance + eps;
  const Real relative = (variance_error + 2 * A::kRoundoff * radicand) / radicand;
  const Real limit = std::sqrt(radicand / eps) * (1 + 4 * A::kRoundoff) - 1;
  const Real above = relative < 1 ? std::min(1 / std::sqrt(1 - relative) - 1, limit) : limit;
  const Real below = 1 - 1 / std::sqrt(1 + relative);
  error.relative_rstd = std::max(above, below) + 4 * A::kRoundoff;
  // std::min and std::max may swallow a NaN; a row that is not finite must keep it.
  if (!std::isfinite(mean) || !std::isfinite(variance)) {
    error.relative_rstd = std::numeric_limits<Real>::quiet_NaN();
  }
  return error;
}

/// e_h of each element of the row.
template <typename T>
std::vector<Real> NormalisedError(const Problem<T>& problem, const Normalised& forward,
                                  std::size_t row, const RowError& error) {
  using A = Arithmetic<T>;
  const std::size_t features = problem.features;
  std::vector<Real> result(features);
  for (std::size_t j = 0; j < features; ++j) {
    const std::size_t at = row * features + j;
    const Real centred =
        error.mean + A::kTiny +
        3 * A::kRoundoff *
            (std::abs(Real(problem.x[at])) + std::abs(forward.mean[row]) + error.mean);
    result[j] = (1 + error.relative_rstd) * forward.rstd[row] * centred +
                (error.relative_rstd + 3 * A::kRoundoff) * std::abs(forward.xhat[at]) + A::kTiny;
  }
  return result;
}

/// Means over the row that the bound on dx needs.
struct RowMeans {
  Real d = 0;                ///< M1
  Real d_xhat = 0;           ///< M2
  Real absolute_d = 0;       ///< mean |d|
  Real absolute_d_xhat = 0;  ///< mean |d xhat|
  Real d_error = 0;          ///< mean |d| e_h
  Real d_x = 0;              ///< mean |d| (|x| + |mean|)
};

template <typename T>
RowMeans MeansOfRow(const Problem<T>& problem, const Normalised& forward, std::size_t row,
                    const std::vector<Real>& xhat_error) {
  const std::size_t features = problem.features;
  const Real count = static_cast<Real>(features);
  RowMeans means;
  for (std::size_t j = 0; j < features; ++j) {
    const std::size_t at = row * features + j;
    const Real d = Real(problem.dy[at]) * Real(problem.gamma[j]);
    means.d += d / count;
    means.d_xhat += d * forward.xhat[at] / count;
    means.absolute_d += std::abs(d) / count;
    means.absolute_d_xhat += std::abs(d * forward.xhat[at]) / count;
    means.d_error += std::abs(d) * xhat_error[j] / count;
    means.d_x +=
        std::abs(d) * (std::abs(Real(problem.x[at])) + std::abs(forward.mean[row])) / count;
  }
  return means;
}

template <typename T>
void BoundRowOfDx(const Problem<T>& problem, const Normalised& forward, const Gradients& gradients,
                  std::size_t row, const RowError& error, const std::vector<Real>& xhat_error,
                  std::vector<double>& bound) {
  using A = Arithmetic<T>;
  const std::size_t features = problem.features;
  const RowMeans means = MeansOfRow(problem, forward, row, xhat_error);
  const Real chain = A::Accumulated(static_cast<Real>(features) + 8);
  const Real first_error = chain * means.absolute_d + A::kTiny;
  const Real second_error =
      chain * (means.absolute_d_xhat + means.d_error + forward.rstd[row] * means.d_x) +
      means.d_error + A::kTiny;
  for (std::size_t j = 0; j < features; ++j) {
    const std::size_t at = row * features + j;
    const Real d = Real(problem.dy[at]) * Real(problem.gamma[j]);
    const Real xhat = std::abs(forward.xhat[at]);
    const Real rounding =
        6 * A::kRoundoff * (std::abs(d) + std::abs(means.d) + xhat * std::abs(means.d_xhat));
    const Real inner = rounding + first_error + xhat * second_error +
                       2 * xhat_error[j] * (std::abs(means.d_xhat) + second_error) + 4 * A::kTiny;
    bound[at] = static_cast<double>(
        (1 + error.relative_rstd) * forward.rstd[row] * inner +
        (error.relative_rstd + 4 * A::kRoundoff) * std::abs(gradients.dx[at]) + A::kTiny);
  }
}

}  // namespace

template <typename T>
Normalised Forward(const Problem<T>& problem) {
  const std::size_t features = problem.features;
  const Real count = static_cast<Real>(features);
  Normalised result;
  result.mean.resize(problem.rows);
  result.rstd.resize(problem.rows);
  result.xhat.resize(problem.rows * features);
  result.y.resize(problem.rows * features);
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const T* x = problem.x.data() + i * features;
    Real sum = 0;
    for (std::size_t j = 0; j < features; ++j) {
      sum += x[j];
    }
    const Real mean = sum / count;
    Real squares = 0;
    for (std::size_t j = 0; j < features; ++j) {
      squares += (x[j] - mean) * (x[j] - mean);
    }
    const Real rstd = 1 / std::sqrt(squares / count + Real(problem.eps));
    result.mean[i] = mean;
    result.rstd[i] = rstd;
    for (std::size_t j = 0; j < features; ++j) {
      const Real xhat = (x[j] - mean) * rstd;
      result.xhat[i * features + j] = xhat;
      result.y[i * features + j] = xhat * Real(problem.gamma[j]) + Real(problem.beta[j]);
    }
  }
  return result;
}

template <typename T>
Normalised NormaliseWith(const Problem<T>& problem, const std::vector<T>& mean,
                         const std::vector<T>& rstd) {
  Normalised result{.mean = std::vector<Real>(mean.begin(), mean.end()),
                    .rstd = std::vector<Real>(rstd.begin(), rstd.end()),
                    .xhat = {},
                    .y = {}};
  for (std::size_t i = 0; i < problem.rows; ++i) {
    for (std::size_t j = 0; j < problem.features; ++j) {
      const Real xhat = (problem.x[i * problem.features + j] - result.mean[i]) * result.rstd[i];
      result.xhat.push_back(xhat);
      result.y.push_back(xhat * Real(problem.gamma[j]) + Real(problem.beta[j]));
    }
  }
  return result;
}

template <typename T>
Gradients Backward(const Problem<T>& problem, const Normalised& forward) {
  const std::size_t features = problem.features;
  const Real count = static_cast<Real>(features);
  Gradients result;
  result.dx.resize(problem.rows * features);
  result.dgamma.assign(features, 0);
  result.dbeta.assign(features, 0);
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const T* dy = problem.dy.data() + i * features;
    const Real* xhat = forward.xhat.data() + i * features;
    Real sum_d = 0;
    Real sum_d_xhat = 0;
    for (std::size_t j = 0; j < features; ++j) {
      const Real d = Real(dy[j]) * Real(problem.gamma[j]);
      sum_d += d;
      sum_d_xhat += d * xhat[j];
      result.dgamma[j] += dy[j] * xhat[j];
      result.dbeta[j] += dy[j];
    }
    for (std::size_t j = 0; j < features; ++j) {
      const Real d = Real(dy[j]) * Real(problem.gamma[j]);
      result.dx[i * features + j] =
          forward.rstd[i] * (d - sum_d / count - xhat[j] * (sum_d_xhat / count));
    }
  }
  return result;
}

template <typename T>
Gradients BackwardByChainRule(const Problem<T>& problem) {
  const std::size_t features = problem.features;
  const Real count = static_cast<Real>(features);
  const Normalised forward = Forward(problem);
  Gradients result;
  result.dx.resize(problem.rows * features);
  result.dgamma.assign(features, 0);
  result.dbeta.assign(features, 0);
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const Real mean = forward.mean[i];
    const Real rstd = forward.rstd[i];
    Real rstd_gradient = 0;  // From xhat = (x - mean) rstd.
    Real mean_gradient = 0;  // From the same, at fixed rstd.
    Real sum_centred = 0;    // From var = sum (x - mean)^2 / D: zero but for rounding.
    for (std::size_t j = 0; j < features; ++j) {
      const Real centred = problem.x[i * features + j] - mean;
      const Real dy = problem.dy[i * features + j];
      const Real xhat_gradient = dy * Real(problem.gamma[j]);
      result.dgamma[j] += dy * (centred * rstd);
      result.dbeta[j] += dy;
      rstd_gradient += xhat_gradient * centred;
      mean_gradient -= xhat_gradient * rstd;
      sum_centred += centred;
    }
    const Real variance_gradient = rstd_gradient * (Real(-0.5) * rstd * rstd * rstd);
    mean_gradient += variance_gradient * (-2 * sum_centred / count);
    for (std::size_t j = 0; j < features; ++j) {
      const Real centred = problem.x[i * features + j] - mean;
      const Real xhat_gradient = Real(problem.dy[i * features + j]) * Real(problem.gamma[j]);
      result.dx[i * features + j] =
          xhat_gradient * rstd + variance_gradient * (2 * centred / count) + mean_gradient / count;
    }
  }
  return result;
}

template <typename T>
Bounds ErrorBounds(const Problem<T>& problem, const Normalised& forward, const Gradients& gradients,
                   Statistics statistics) {
  using A = Arithmetic<T>;
  const std::size_t features = problem.features;
  const Real chain = A::Accumulated(static_cast<Real>(problem.rows) + 8);
  Bounds result;
  result.y.resize(problem.rows * features);
  result.dx.resize(problem.rows * features);
  std::vector<Real> dgamma(features, 0);
  std::vector<Real> dbeta(features, 0);
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const RowError error =
        statistics == Statistics::kTaken ? StatisticsError(problem, forward, i) : RowError{};
    result.mean.push_back(
        static_cast<double>(error.mean + A::kRoundoff * std::abs(forward.mean[i])));
    result.rstd.push_back(static_cast<double>(error.relative_rstd * forward.rstd[i]));
    const std::vector<Real> xhat_error = NormalisedError(problem, forward, i, error);
    BoundRowOfDx(problem, forward, gradients, i, error, xhat_error, result.dx);
    for (std::size_t j = 0; j < features; ++j) {
      const std::size_t at = i * features + j;
      const Real dy = std::abs(Real(problem.dy[at]));
      const Real gamma = std::abs(Real(problem.gamma[j]));
      const Real xhat = std::abs(forward.xhat[at]);
      dgamma[j] += dy * xhat_error[j] + chain * dy * (xhat + xhat_error[j]) + A::kTiny;
      dbeta[j] += chain * dy;
      result.y[at] = static_cast<double>(
          gamma * xhat_error[j] + 4 * A::kRoundoff * gamma * (xhat + xhat_error[j]) +
          3 * A::kRoundoff * (std::abs(forward.y[at]) + std::abs(Real(problem.beta[j]))) +
          2 * A::kTiny);
    }
  }
  result.dgamma.assign(dgamma.begin(), dgamma.end());
  result.dbeta.assign(dbeta.begin(), dbeta.end());
  return result;
}

template <typename T>
Answer Solve(const Problem<T>& problem) {
  Answer answer;
  answer.forward = Forward(problem);
  answer.gradients = Backward(problem, answer.forward);
  answer.bounds = ErrorBounds(problem, answer.forward, answer.gradients);
  return answer;
}

template <typename T>
Answer SolveWith(const Problem<T>& problem, const std::vector<T>& mean,
                 const std::vector<T>& rstd) {
  Answer answer;
  answer.forward = NormaliseWith(problem, mean, rstd);
  answer.gradients = Backward(problem, answer.forward);
  answer.bounds = ErrorBounds(problem, answer.forward, answer.gradients, Statistics::kGiven);
  return answer;
}

template <typename T>
double NormalisedError(const std::vector<T>& got, const std::vector<long double>& want) {
  Real error = 0;
  Real magnitude = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const Real distance = std::abs(static_cast<Real>(got[i]) - want[i]);
    if (std::isnan(distance)) {
      return std::numeric_limits<double>::infinity();
    }
    error = std::max(error, distance);
    magnitude = std::max(magnitude, std::abs(want[i]));
  }
  return static_cast<double>(error / magnitude);
}

#define ASSAY_LAYERNORM_INSTANTIATE(T)                                                             \
  template Normalised Forward(const Problem<T>&);                                                  \
  template Normalised NormaliseWith(const Problem<T>&, const std::vector<T>&,                      \
                                    const std::vector<T>&);                                        \
  template Gradients Backward(const Problem<T>&, const Normalised&);                               \
  template Gradients BackwardByChainRule(const Problem<T>&);                                       \
  template Bounds ErrorBounds(const Problem<T>&, const Normalised&, const Gradients&, Statistics); \
  template Answer Solve(const Problem<T>&);                                                        \
  template Answer SolveWith(const Problem<T>&, const std::vector<T>&, const std::vector<T>&);      \
  template double NormalisedError(const std::vector<T>&, const std::vector<Real>&)
ASSAY_LAYERNORM_INSTANTIATE(float);
ASSAY_LAYERNORM_INSTANTIATE(double);
#undef ASSAY_LAYERNORM_INSTANTIATE

}  // namespace assay::layernorm
