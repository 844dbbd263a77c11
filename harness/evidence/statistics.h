// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_STATISTICS_H_
#define ASSAY_EVIDENCE_STATISTICS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "evidence/evidence.h"

namespace assay {

/// An effect with its interval, all on the scale of ratios: 2 is twice as slow as the baseline.
struct RatioEstimate {
  double ratio = 0;
  double low = 0;
  double high = 0;
  bool operator==(const RatioEstimate&) const = default;
};

/// Of one run: exp of the median over blocks of d, where d is the block's median of
/// ln(submission_ns / baseline_ns); with the interval between the order statistics d(k) and
/// d(n+1-k) of n blocks, k as large as a coverage of at least 95 % allows: exact for any continuous
/// distribution (Conover, Practical Nonparametric Statistics, §3.2). Below 6 blocks no such
/// interval exists: low is 0 and high infinity. A time below 1 ns counts as 1 ns. A block without a
/// pair is no block; no blocks: all NaN.
[[nodiscard]] RatioEstimate MedianRatio(std::span<const TimeBlock> blocks);

/// `least_bytes` over the median time of the submission and over the bandwidth; 0 where one of
/// these is not known.
[[nodiscard]] double ShareOfBandwidth(std::span<const TimeBlock> blocks, double least_bytes,
                                      double bandwidth_bytes_per_second);

/// Quantity of one workload or control: values by run and block.
using SeriesByRun = std::vector<std::vector<double>>;
/// An estimated mean with the variance of that estimate, and the degrees of freedom from which the
/// variance is known. Infinite variance where nothing is known of it.
struct MeanEstimate {
  double mean = 0;
  double variance = 0;
  double freedom = 2;
};

/// Half of the 95 % interval: t(freedom) sqrt(variance).
[[nodiscard]] double IntervalHalfWidth(const MeanEstimate& estimate);

/// The difference of two independent estimates: variances add, degrees of freedom after
/// Satterthwaite.
[[nodiscard]] MeanEstimate DifferenceOf(const MeanEstimate& a, const MeanEstimate& b);

/// The mean of each of several series and its 95 % interval, which holds the variance between runs
/// beside that between blocks. Series s has R_s runs, and run r of it n_sr blocks:
///
///     m_sr  median of the blocks of a run       mean_s = mean of m_sr over the runs
///     w_s   variance of m_sr by its blocks: their variance within runs, pooled over the runs of s,
///           times (pi/2) / n_sr, on average over r; pi/2 is what a median costs at most against a
///           mean (normal), and is left out below three blocks
///     v_s   variance of m_sr over the runs, with R_s - 1 degrees of freedom
///     tau2  max(0, sum of (R_s - 1)(v_s - w_s) / sum of (R_s - 1)): between runs alone, one for
///     all
///           series, since two degrees of freedom of one series would say next to nothing
///     mean_s -+ t(f) sqrt(max(tau2 + w_s, v_s) / R_s)
///
/// v_s for a series whose runs differ by more than all series do; f degrees of freedom after
/// Satterthwaite for (tau2 + w_s) / R_s, from 2 on. Assumes that runs are independent, that blocks
/// of a run are, and that the series share what differs between runs (README.md has how often an
/// interval held, simulated). A series of fewer than two runs has no interval (variance infinite),
/// one without a block NaN. Runs without a block do not count.
///
/// One-way random effects by the method of moments: Searle, Casella, McCulloch, Variance Components
/// (1992), §3.6; DerSimonian, Laird, Controlled Clinical Trials 7 (1986). Degrees of freedom:
/// Satterthwaite, Biometrics Bulletin 2 (1946).
[[nodiscard]] std::vector<MeanEstimate> EstimateMeans(std::span<const SeriesByRun> series);

/// 97.5 % quantile of Student's t for at least 2 degrees of freedom, within 1 %: Abramowitz,
/// Stegun, Handbook of Mathematical Functions, 26.7.5.
[[nodiscard]] double StudentQuantile(double degrees_of_freedom);

/// The log of the bandwidth of each run that measured it, in bytes a second.
[[nodiscard]] std::vector<double> LogBandwidths(std::span<const BenchRunEvidence> runs);

/// Mean over the runs of the log of their bandwidth, its variance being that between runs. Runs
/// that have not measured it do not count; of fewer than two the bandwidth is taken as exact.
[[nodiscard]] MeanEstimate EstimateLogBandwidth(const BenchEvidence& bench);

/// Geometric mean over the runs that measured it; 0 where none did.
[[nodiscard]] double MeanBandwidth(std::span<const BenchRunEvidence> runs);

/// Ratio and share of the bandwidth, each with its interval. The share is `least_bytes` over time
/// and bandwidth: 0 where these are not known.
struct TimeEstimate {
  RatioEstimate ratio;
  RatioEstimate share;
};
struct TimeEstimates {
  std::vector<TimeEstimate> workloads;
  std::vector<TimeEstimate> controls;
};

/// Of each workload and control of a bench, in their order. Of several runs: EstimateMeans of the
/// blocks' medians of ln(submission_ns / baseline_ns), and of those of ln(submission_ns). The
/// ratios of controls are estimated from controls alone: a submission that is slow in one run and
/// fast in the next would else make them look noisy, and be rid of its times (TrustInTimes). A
/// share's interval holds beside the latter what the bandwidth differs by from run to run. Of
/// evidence without runs: MedianRatio and ShareOfBandwidth, the share's interval being the ratio's.
[[nodiscard]] TimeEstimates EstimateTimes(const BenchEvidence& bench);

/// Writes them into all that was accepted. Lives here, and not in score, because grading fills
/// evidence by it.
void SetEstimates(BenchEvidence& bench);

/// Root mean square over the controls of the log of their ratio in run `run` alone: median over its
/// blocks. 0 where no control has a block in it.
[[nodiscard]] double ControlScatter(const BenchEvidence& bench, int run);

/// Blocks of `series` in that run.
[[nodiscard]] int CountBlocks(std::span<const WorkloadEvidence> series, int run);

/// The median over the accepted controls of half the width of the ratio's interval, as a factor
/// less 1: 0.04 where half of them are known to 4 %. Infinite without controls.
[[nodiscard]] double ControlPrecision(const BenchEvidence& bench);

/// In how many of its controls the baseline beat itself: an interval that excludes 1, by an effect
/// of more than 2 %, below which no difference of times is ever claimed.
[[nodiscard]] int CountFalseWins(const BenchEvidence& bench);

/// P(X <= k) for X binomial with n trials of the given probability, which lies strictly
/// between 0 and 1; 0 below k = 0.
[[nodiscard]] double BinomialCdf(int k, int n, double probability);

}  // namespace assay

#endif  // ASSAY_EVIDENCE_STATISTICS_H_
