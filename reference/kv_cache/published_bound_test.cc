// SPDX-License-Identifier: Apache-2.0
// The bounds that interface.h publishes are those that the suite uses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "oracle.h"
#include "precision.h"

namespace assay::kvcache {
namespace {

/// Of one head that reads all of its history, line by line as in interface.h.
std::vector<double> Published(std::size_t head_size, const History& history,
                              const std::vector<float>& q, const std::vector<double>& out) {
  const double u = std::exp2(-24);
  const auto d = static_cast<double>(head_size);
  const std::size_t tokens = history.k.size() / head_size;
  const auto L = static_cast<double>(tokens);
  std::vector<double> s(tokens);
  std::vector<double> absolute(tokens);
  for (std::size_t j = 0; j < tokens; ++j) {
    for (std::size_t i = 0; i < head_size; ++i) {
      const double product = double{q[i]} * double{history.k[j * head_size + i]};
      s[j] += product / std::sqrt(d);
      absolute[j] += std::abs(product) / std::sqrt(d);
    }
  }
  const double most = std::ranges::max(s);
  double sum = 0;
  for (const double score : s) {
    sum += std::exp(score - most);
  }
  const auto p = [&](std::size_t j) { return std::exp(s[j] - most) / sum; };
  const auto e = [&](std::size_t j) {
    return (d + 12) * u * absolute[j] + 2 * u * (most - s[j]) + 8 * u;
  };
  const double c = 2 * (L + 16) * u;
  double E = 0;
  for (std::size_t j = 0; j < tokens; ++j) {
    E += p(j) * e(j);
  }
  std::vector<double> bounds;
  for (std::size_t i = 0; i < head_size; ++i) {
    double first = 0;
    double least = INFINITY;
    double largest = -INFINITY;
    double magnitude = 0;
    for (std::size_t j = 0; j < tokens; ++j) {
      const double v = history.v[j * head_size + i];
      first += p(j) == 0 ? 0 : p(j) * std::abs(v) * (std::exp(e(j) + E) - 1 + c);
      least = std::min(least, v);
      largest = std::max(largest, v);
      magnitude = std::max(magnitude, std::abs(v));
    }
    bounds.push_back(std::min(first, largest - least + c * magnitude) + 8 * u * std::abs(out[i]) +
                     std::exp2(-126));
  }
  return bounds;
}

TEST(PublishedBound, IsTheOneOfTheSuite) {
  std::mt19937_64 random(3);
  for (const double scale : {0.1, 3.0, 300.0}) {
    for (const std::size_t tokens : {1U, 2U, 90U}) {
      constexpr std::size_t kHeadSize = 24;
      std::normal_distribution<float> normal(0, static_cast<float>(scale));
      const auto draw = [&](std::size_t count) {
        std::vector<float> values(count);
        std::ranges::generate(values, [&] { return normal(random); });
        return values;
      };
      const History history{.k = draw(tokens * kHeadSize), .v = draw(tokens * kHeadSize)};
      const std::vector<float> q = draw(kHeadSize);
      const Answer answer = Attend({.head_size = kHeadSize}, history, tokens - 1, q);
      const std::vector<double> published = Published(kHeadSize, history, q, answer.out);
      for (std::size_t i = 0; i < kHeadSize; ++i) {
        EXPECT_NEAR(published[i], answer.bound[i], 1e-6 * published[i]) << tokens << ", " << i;
      }
    }
  }
}

TEST(PublishedBound, OfTheMeanIsTheOneOfSuiteAndBench) {
  const double u = std::exp2(-24);
  for (const std::int32_t d : {64, 128, 255}) {
    for (const std::size_t tokens : {1U, 192U, 4097U}) {
      const double L = static_cast<double>(tokens);
      EXPECT_DOUBLE_EQ(RelativeRmsBound(d, tokens, Weights::kSpread),
                       4 * u * (1.5 * std::sqrt(d) + 0.4 * std::sqrt(L)));
      EXPECT_EQ(RelativeRmsBound(d, tokens, Weights::kOnOneToken), 16 * u);
    }
  }
}

}  // namespace
}  // namespace assay::kvcache
