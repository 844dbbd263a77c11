// SPDX-License-Identifier: Apache-2.0
#include "score/leads.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "score/uncertainty.h"

namespace assay {
namespace {

/// Sums that do not wait for each other.
constexpr std::size_t kLanes = 16;
/// After so many draws it is seen whether the rest matters.
constexpr std::size_t kChunk = 5 * kLanes;

/// Sums of squares in single precision are within a thousandth of the right ones where scores are
/// of 0 to 100 and the lead is not below this. Scores are of tenths.
constexpr double kDoubt = 1e-3;
constexpr double kLeastLead = 0.05;

/// The squares of the differences of kChunk numbers.
float SquaredDistance(const float* a, const float* b) {
  std::array<float, kLanes> sums{};
  for (std::size_t i = 0; i < kChunk; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float difference = a[i + lane] - b[i + lane];
      sums[lane] += difference * difference;
    }
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

}  // namespace

Leads::Leads(std::span<const Contender> contenders) : contenders_(contenders) {
  for (const Contender& contender : contenders) {
    draws_ = std::max(draws_, contender.draws.size());
  }
  padded_ = (draws_ + kChunk - 1) / kChunk * kChunk;
  from_mean_.resize(padded_ * contenders.size());
  reach_.reserve(contenders.size());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const std::span<const float> draws = contenders[i].draws;
    const double mean = std::accumulate(draws.begin(), draws.end(), 0.0) /
                        static_cast<double>(std::max<std::size_t>(1, draws.size()));
    std::ranges::transform(draws, from_mean_.begin() + static_cast<std::ptrdiff_t>(i * padded_),
                           [mean](float draw) { return static_cast<float>(draw - mean); });
    constexpr double kRounding = 1e-6;
    reach_.push_back(HalfWidth(draws) + kRounding);
  }
}

bool Leads::IsSure(std::size_t better, std::size_t worse) const {
  const double lead = *contenders_[better].score - *contenders_[worse].score;
  if (lead <= 0) {
    return false;
  }
  // A difference is no wider than both together.
  if (lead > reach_[better] + reach_[worse]) {
    return true;
  }
  if (lead < kLeastLead) {
    return IsSurelyBetter(contenders_[better], contenders_[worse]);
  }
  const double limit = SquaresWithin(lead, draws_);
  const float* const a = &from_mean_[better * padded_];
  const float* const b = &from_mean_[worse * padded_];
  double squares = 0;
  for (std::size_t i = 0; i < padded_; i += kChunk) {
    squares += double{SquaredDistance(a + i, b + i)};
    if (squares > limit * (1 + kDoubt)) {
      return false;
    }
  }
  return squares < limit * (1 - kDoubt) || IsSurelyBetter(contenders_[better], contenders_[worse]);
}

}  // namespace assay
