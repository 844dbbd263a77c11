// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_STATISTICS_H_
#define ASSAY_EVIDENCE_STATISTICS_H_

#include <cstddef>
#include <span>

#include "evidence/evidence.h"

namespace assay {

/// An effect with its interval, all on the scale of ratios: 2 is twice as slow as the baseline.
struct RatioEstimate {
  double ratio = 0;
  double low = 0;
  double high = 0;
  bool operator==(const RatioEstimate&) const = default;
};

/// exp of the median over blocks of d, where d is the block's median of
/// ln(submission_ns / baseline_ns); with the interval between the order statistics d(k) and
/// d(n+1-k) of n blocks, k as large as a coverage of at least 95 % allows: exact for any continuous
/// distribution (Conover, Practical Nonparametric Statistics, §3.2). Below 6 blocks no such
/// interval exists: low is 0 and high infinity. A time below 1 ns counts as 1 ns. A block without a
/// pair is no block; no blocks: all NaN. Lives here, and not in score, because the bench that takes
/// the samples fills WorkloadEvidence by it.
[[nodiscard]] RatioEstimate MedianRatio(std::span<const TimeBlock> blocks);

/// `least_bytes` over the median time of the submission and over the bandwidth; 0 where one of
/// these is not known.
[[nodiscard]] double ShareOfBandwidth(std::span<const TimeBlock> blocks, double least_bytes,
                                      double bandwidth_bytes_per_second);

/// In how many of its controls the baseline beat itself: an interval that excludes 1, by an effect
/// of more than 2 %, below which no difference of times is ever claimed.
[[nodiscard]] int CountFalseWins(const BenchEvidence& bench);

/// P(X <= k) for X binomial with n trials of the given probability, which lies strictly
/// between 0 and 1; 0 below k = 0.
[[nodiscard]] double BinomialCdf(int k, int n, double probability);

}  // namespace assay

#endif  // ASSAY_EVIDENCE_STATISTICS_H_
