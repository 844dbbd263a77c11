// SPDX-License-Identifier: Apache-2.0
// The bound that interface.h publishes is the one that the suite uses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "oracle.h"

namespace assay::softmax_topk {
namespace {

/// Of one row and the logit at `i`, line by line as in interface.h.
double Published(const std::vector<float>& x, std::size_t i) {
  const double u = std::exp2(-24);
  const double e = std::exp2(-21.5);
  const auto V = static_cast<double>(x.size());
  const double m = std::ranges::max(x);
  const auto d = [&](std::size_t j) { return m - x[j]; };
  double S = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    S += std::exp(-d(j));
  }
  const auto p = [&](std::size_t j) { return std::exp(-d(j)) / S; };
  double first = 0;
  double second = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (p(j) > 0) {
      std::set<float> above;
      std::ranges::copy_if(x, std::inserter(above, above.end()),
                           [&](float other) { return other > x[j]; });
      first += p(j) * (3 * u * d(j) + e + (e + 2 * u) * (32 + static_cast<double>(above.size())));
      second += std::min(u, p(j));
    }
  }
  const double E = first + (1 + V * u) * second;
  const double r = std::min(0.5, 3 * u * d(i) + 2 * (e + u) + 6 * u + 7 * u * std::log(S) + E);
  return p(i) * r / (1 - r) + std::exp2(-126);
}

void ExpectPublished(const std::vector<float>& row) {
  const Problem<float> problem{.rows = 1,
                               .vocabulary = row.size(),
                               .k = std::min<std::size_t>(row.size(), 9),
                               .logits = row};
  const Answer answer = Solve(problem);
  for (std::size_t place = 0; place < problem.k; ++place) {
    const double published = Published(row, static_cast<std::size_t>(answer.indices[place]));
    EXPECT_NEAR(published, answer.bounds[place], 1e-9 * published) << row.size() << ", " << place;
  }
}

TEST(PublishedBound, IsTheOneOfTheSuite) {
  std::mt19937_64 random(5);
  for (const double scale : {0.0, 1.0, 20.0}) {
    for (const std::size_t vocabulary : {1U, 9U, 500U}) {
      std::normal_distribution<float> normal(3, static_cast<float>(scale) + 1e-9F);
      std::vector<float> row(vocabulary);
      std::ranges::generate(row, [&] { return std::round(normal(random) * 8) / 8; });
      ExpectPublished(row);
    }
  }
  ExpectPublished({3e38F, -3e38F, 0, 1, 1e30F});
}

}  // namespace
}  // namespace assay::softmax_topk
