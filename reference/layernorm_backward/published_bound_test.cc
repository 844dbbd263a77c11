// SPDX-License-Identifier: Apache-2.0
// The bound that interface.h publishes is the one that the suite uses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "baseline_test_support.h"
#include "oracle.h"

namespace assay::layernorm {
namespace {

using Real = long double;

/// What the formula takes of one row, and its first lines.
struct Row {
  Real mean = 0, rstd = 0, em = 0, r = 0, M1 = 0, M2 = 0, e1 = 0, e2 = 0;
  std::vector<Real> xhat = {}, d = {}, eh = {};
};

Real MeanOf(const std::vector<Real>& values) {
  return std::accumulate(values.begin(), values.end(), Real(0)) / static_cast<Real>(values.size());
}

/// n u / (1 - n u).
template <typename T>
Real G(std::size_t roundings, Real more = 0) {
  const Real nu = (static_cast<Real>(roundings) + more) * std::numeric_limits<T>::epsilon() / 2;
  return nu / (1 - nu);
}

/// To e2, line by line as in interface.h.
template <typename T>
Row RowOf(const Problem<T>& problem, const Answer& answer, std::size_t i) {
  const Real u = std::numeric_limits<T>::epsilon() / Real(2);
  const std::size_t D = problem.features;
  Row row{.mean = answer.forward.mean[i], .rstd = answer.forward.rstd[i]};
  std::vector<Real> x_size, square, d_size, d_xhat, d_xhat_size, d_eh, d_x;
  for (std::size_t j = 0; j < D; ++j) {
    const Real x = problem.x[i * D + j];
    x_size.push_back(std::abs(x));
    square.push_back((x - row.mean) * (x - row.mean));
  }
  const Real var = MeanOf(square);
  row.em = G<T>(D, 3 * std::log(static_cast<Real>(D)) + 8) * MeanOf(x_size);
  const Real ev = G<T>(D + 8) * var + 3 * std::sqrt(var) * row.em + 2 * row.em * row.em;
  const Real w = ev / (var + Real(problem.eps)) + 2 * u;
  const Real f = std::sqrt(1 + var / Real(problem.eps)) * (1 + 4 * u);
  const Real least = w < 1 ? std::min(1 / std::sqrt(1 - w), f) : f;
  row.r = std::max(1 - 1 / std::sqrt(1 + w), least - 1) + 4 * u;
  for (std::size_t j = 0; j < D; ++j) {
    const Real xhat = answer.forward.xhat[i * D + j];
    const Real d = Real(problem.dy[i * D + j]) * Real(problem.gamma[j]);
    const Real eh =
        (1 + row.r) * row.rstd * (row.em + 3 * u * (x_size[j] + std::abs(row.mean) + row.em)) +
        (row.r + 3 * u) * std::abs(xhat);
    row.xhat.push_back(xhat);
    row.d.push_back(d);
    row.eh.push_back(eh);
    d_size.push_back(std::abs(d));
    d_xhat.push_back(d * xhat);
    d_xhat_size.push_back(std::abs(d * xhat));
    d_eh.push_back(std::abs(d) * eh);
    d_x.push_back(std::abs(d) * (x_size[j] + std::abs(row.mean)));
  }
  row.M1 = MeanOf(row.d);
  row.M2 = MeanOf(d_xhat);
  row.e1 = G<T>(D + 8) * MeanOf(d_size);
  row.e2 =
      MeanOf(d_eh) + G<T>(D + 8) * (MeanOf(d_xhat_size) + MeanOf(d_eh) + row.rstd * MeanOf(d_x));
  return row;
}

/// The outputs' lines.
template <typename T>
Bounds Published(const Problem<T>& problem, const Answer& answer) {
  const Real u = std::numeric_limits<T>::epsilon() / Real(2);
  const Real chain = G<T>(problem.rows + 8);
  Bounds bounds;
  std::vector<Real> dgamma(problem.features);
  std::vector<Real> dbeta(problem.features);
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const Row row = RowOf(problem, answer, i);
    for (std::size_t j = 0; j < problem.features; ++j) {
      const std::size_t at = i * problem.features + j;
      const Real eh = row.eh[j];
      const Real xhat = std::abs(row.xhat[j]);
      const Real dy = std::abs(Real(problem.dy[at]));
      const Real y = std::abs(Real(problem.gamma[j])) * (eh + 4 * u * (xhat + eh)) +
                     3 * u * (std::abs(answer.forward.y[at]) + std::abs(Real(problem.beta[j])));
      const Real q = 6 * u * (std::abs(row.d[j]) + std::abs(row.M1) + xhat * std::abs(row.M2)) +
                     row.e1 + xhat * row.e2 + 2 * eh * (std::abs(row.M2) + row.e2);
      const Real dx =
          (1 + row.r) * row.rstd * q + (row.r + 4 * u) * std::abs(answer.gradients.dx[at]);
      bounds.y.push_back(static_cast<double>(y));
      bounds.dx.push_back(static_cast<double>(dx));
      dgamma[j] += dy * (eh + chain * (xhat + eh));
      dbeta[j] += chain * dy;
    }
  }
  bounds.dgamma.assign(dgamma.begin(), dgamma.end());
  bounds.dbeta.assign(dbeta.begin(), dbeta.end());
  return bounds;
}

void ExpectSame(const std::vector<double>& published, const std::vector<double>& used) {
  ASSERT_EQ(published.size(), used.size());
  for (std::size_t k = 0; k < used.size(); ++k) {
    // The oracle adds a few of the smallest normal numbers.
    ASSERT_NEAR(published[k], used[k], 1e-9 * used[k] + 1e-33) << k;
  }
}

template <typename T>
void ExpectPublished(double offset) {
  for (const std::size_t features : {1U, 2U, 33U, 300U}) {
    const Problem<T> problem = RandomProblem<T>(13, features, offset);
    const Answer answer = Solve(problem);
    const Bounds published = Published(problem, answer);
    ExpectSame(published.y, answer.bounds.y);
    ExpectSame(published.dx, answer.bounds.dx);
    ExpectSame(published.dgamma, answer.bounds.dgamma);
    ExpectSame(published.dbeta, answer.bounds.dbeta);
  }
}

TEST(PublishedBound, IsTheOneOfTheSuite) {
  for (const double offset : {0.0, 30.0, 1e4, 1e7}) {
    ExpectPublished<float>(offset);
    ExpectPublished<double>(offset);
  }
}

}  // namespace
}  // namespace assay::layernorm
