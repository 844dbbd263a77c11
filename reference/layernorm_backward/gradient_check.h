// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_LAYERNORM_BACKWARD_GRADIENT_CHECK_H_
#define ASSAY_REFERENCE_LAYERNORM_BACKWARD_GRADIENT_CHECK_H_

// The gradient checker of the baseline: every element, of any size, in time linear in x.
//
// L = sum(dy * y) is differentiated without the backward formula. Row i of L depends on x[i][j]
// only through three sums over the row,
//
//     S = sum_k d_k (x_k - mean),   V = sum_k (x_k - mean)^2 / D,   rstd = (V + eps)^-1/2,
//
// with d = dy * gamma, and L_i = rstd * S + sum_k dy_k beta_k. A step h of x[i][j] moves S by
// (d_j - mean(d)) h and V by 2 (x_j - mean) h / D + O(h^2), so that L_i at the moved point costs a
// few operations. Taken as a complex step, i h with h = 1e-30, the difference quotient Im(L_i) / h
// has neither truncation nor cancellation: no step size to choose, nothing in x to perturb.
// In gamma and beta L is linear, and one difference of any size is exact.
//
// Source of the method: Squire, Trapp: Using Complex Variables to Estimate Derivatives of Real
// Functions, SIAM Review 40(1), 1998.

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

#include "interface.h"

namespace assay::layernorm_baseline {

struct CheckInputs {
  std::size_t rows;
  std::size_t features;
  const double* x;
  const double* gamma;
  const double* beta;
  double eps;
  const double* dy;
};

/// Between the 1e-8 that must be accepted and the 1e-4 that must be rejected.
inline constexpr double kWrongAbove = 1e-6;
/// Gradients below so many times the terms they are made of are rounding, not gradient.
inline constexpr double kRoundingShare = 1e-13;

/// Gradients by complex step, and the size of the terms that were added up to them.
struct NumericalGradients {
  std::vector<double> dx;
  std::vector<double> dgamma;
  std::vector<double> dbeta;
  double dx_terms = 0;
  double dgamma_terms = 0;
  double dbeta_terms = 0;
};

/// One row: dx, and its share of dgamma and dbeta.
inline void DifferentiateRow(const CheckInputs& in, std::size_t row, NumericalGradients& out) {
  constexpr double kStep = 1e-30;
  const double count = static_cast<double>(in.features);
  const double* x = in.x + row * in.features;
  const double* dy = in.dy + row * in.features;
  double mean = 0;
  double mean_d = 0;
  for (std::size_t j = 0; j < in.features; ++j) {
    mean += x[j] / count;
    mean_d += dy[j] * in.gamma[j] / count;
  }
  double offset = 0;
  for (std::size_t j = 0; j < in.features; ++j) {
    offset += (x[j] - mean) / count;
  }
  double variance = 0;
  double product = 0;
  for (std::size_t j = 0; j < in.features; ++j) {
    const double deviation = x[j] - mean - offset;
    variance += deviation * deviation / count;
    product += (dy[j] * in.gamma[j] - mean_d) * deviation;
  }
  const double rstd = 1 / std::sqrt(variance + in.eps);
  for (std::size_t j = 0; j < in.features; ++j) {
    const double deviation = x[j] - mean - offset;
    const double d = dy[j] * in.gamma[j];
    const std::complex<double> moved_variance(variance + in.eps, 2 * deviation * kStep / count);
    const std::complex<double> moved_product(product, (d - mean_d) * kStep);
    const std::complex<double> loss = moved_product / std::sqrt(moved_variance);
    out.dx[row * in.features + j] = loss.imag() / kStep;
    out.dgamma[j] += dy[j] * deviation * rstd;
    out.dbeta[j] += dy[j];
    out.dx_terms = std::fmax(out.dx_terms, std::abs(d * rstd));
    out.dgamma_terms = std::fmax(out.dgamma_terms, std::abs(dy[j] * deviation * rstd));
    out.dbeta_terms = std::fmax(out.dbeta_terms, std::abs(dy[j]));
  }
}

/// Takes `got` against `want` into the report: an error is taken relative to the largest |want|.
inline void CompareTensor(int tensor, const std::vector<double>& got,
                          const std::vector<double>& want, double terms, ln_check_report& report) {
  double largest = 0;
  for (double value : want) {
    largest = std::fmax(largest, std::abs(value));
  }
  const double floor = kRoundingShare * terms;
  for (std::size_t k = 0; k < want.size(); ++k) {
    const double error = std::abs(got[k] - want[k]);
    double relative = 0;
    if (!(error <= floor)) {
      relative = largest > 0 ? error / largest : std::numeric_limits<double>::infinity();
    }
    if (std::isnan(relative)) {
      relative = std::numeric_limits<double>::infinity();
    }
    if (relative > report.worst_relative_error) {
      report.worst_tensor = tensor;
      report.worst_index = k;
      report.worst_relative_error = relative;
    }
  }
}

/// ln_check_gradients of interface.h. Throws std::bad_alloc.
inline int CheckGradients(const CheckInputs& in, ln_backward_under_check_fn backward, void* context,
                          ln_check_report* report) {
  if (in.features == 0 || backward == nullptr || report == nullptr) {
    return LN_INVALID_ARGUMENT;
  }
  const std::size_t elements = in.rows * in.features;
  std::vector<double> dx(elements);
  std::vector<double> dgamma(in.features);
  std::vector<double> dbeta(in.features);
  const int status = backward(context, in.rows, in.features, in.x, in.gamma, in.beta, in.eps, in.dy,
                              dx.data(), dgamma.data(), dbeta.data());
  if (status != LN_OK) {
    return status;
  }
  NumericalGradients want = {std::vector<double>(elements), std::vector<double>(in.features),
                             std::vector<double>(in.features)};
  for (std::size_t row = 0; row < in.rows; ++row) {
    DifferentiateRow(in, row, want);
  }
  *report = {1, 0, 0, 0.0};
  CompareTensor(0, dx, want.dx, want.dx_terms, *report);
  CompareTensor(1, dgamma, want.dgamma, want.dgamma_terms, *report);
  CompareTensor(2, dbeta, want.dbeta, want.dbeta_terms, *report);
  report->right = report->worst_relative_error <= kWrongAbove ? 1 : 0;
  return LN_OK;
}

}  // namespace assay::layernorm_baseline

#endif  // ASSAY_REFERENCE_LAYERNORM_BACKWARD_GRADIENT_CHECK_H_
