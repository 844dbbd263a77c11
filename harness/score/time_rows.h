// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SCORE_TIME_ROWS_H_
#define ASSAY_SCORE_TIME_ROWS_H_

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "score/scorecard.h"

namespace assay {

enum class TimeDifference { kResolved, kNotResolved };

/// Which rows of time differ beyond chance: for each pair of cells and each criterion.
class TimeDifferences {
 public:
  using Pair = std::pair<std::size_t, std::size_t>;
  void AddResolved(Pair pair, std::string criterion) {
    resolved_.emplace(pair, std::move(criterion));
  }
  [[nodiscard]] TimeDifference Find(Pair pair, const std::string& criterion) const {
    return resolved_.contains({pair, criterion}) ? TimeDifference::kResolved
                                                 : TimeDifference::kNotResolved;
  }

 private:
  std::set<std::pair<Pair, std::string>> resolved_;
};

/// Whether a clock decides the row.
[[nodiscard]] bool IsTime(const Criterion& criterion);

/// Holm's step-down procedure at a family-wise error of 5 %: which of `p_values` are rejected, by
/// index (Holm 1979).
[[nodiscard]] std::vector<bool> Holm(std::span<const double> p_values);

/// Two-sided p-value of "the two ratios are equal": normal on the scale of logs, standard errors
/// from the widths of the 95 % intervals. 1 where an interval is unbounded.
[[nodiscard]] double PValueOfEqual(const RatioEstimate& a, const RatioEstimate& b);

/// Why the controls speak against the times of a bench (TrustInTimes), in words; empty when they do
/// not.
[[nodiscard]] std::string WhyTimesAreNotTrusted(const BenchEvidence& bench);

/// Whether times of the two compare, as far as the machine goes: model of the processor and number
/// of cores. Hosted machines of one kind differ in the kernel's build and by a few bytes of memory
/// at every start. The toolchain is compared beside it.
[[nodiscard]] bool AreOfOneClass(const Machine& a, const Machine& b);

/// Whether the machine's memory was faster for one of the two than for the other, beyond what it
/// differs by between the runs of each: the difference of the logs of their bandwidths is outside
/// its 95 % interval (DifferenceOf). Neighbours on the host of a virtual machine can slow it for
/// minutes, in which a ratio to the baseline moves too. False where either has not measured it in
/// two runs.
[[nodiscard]] bool DifferInBandwidth(const BenchEvidence& a, const BenchEvidence& b);

/// Why no time of the two cells may be compared; empty when they may.
[[nodiscard]] std::string WhyTimesDoNotCompare(const Evidence& a, const Evidence& b);

/// Holm over every row of time between those of `pairs`, indices into `cells` and `cards`, that may
/// be compared.
[[nodiscard]] TimeDifferences ResolveTimeDifferences(const Rubric& rubric,
                                                     std::span<const Evidence* const> cells,
                                                     std::span<const Scorecard> cards,
                                                     std::span<const TimeDifferences::Pair> pairs);

}  // namespace assay

#endif  // ASSAY_SCORE_TIME_ROWS_H_
