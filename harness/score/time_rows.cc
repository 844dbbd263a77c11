// SPDX-License-Identifier: Apache-2.0
#include "score/time_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "evidence/statistics.h"
#include "evidence/trust_in_times.h"

namespace assay {
namespace {

constexpr double kAlpha = 0.05;
constexpr double kNormalQuantile = 1.959963984540054;  // 97.5 % of the standard normal.

double StandardError(const RatioEstimate& estimate) {
  return (std::log(estimate.high) - std::log(estimate.low)) / (2 * kNormalQuantile);
}

bool KnowsItsBandwidth(const BenchEvidence& bench) {
  return bench.runs && LogBandwidths(*bench.runs).size() >= 2;
}

struct Hypothesis {
  TimeDifferences::Pair pair;
  std::string criterion;
};

}  // namespace

bool IsTime(const Criterion& criterion) {
  return criterion.kind == CriterionKind::kBench || criterion.format == ValueFormat::kSeconds;
}

std::vector<bool> Holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return std::pair(p_values[left], left) < std::pair(p_values[right], right);
  });
  std::vector<bool> rejected(p_values.size(), false);
  for (std::size_t step = 0; step < order.size(); ++step) {
    const auto remaining = static_cast<double>(order.size() - step);
    if (p_values[order[step]] > kAlpha / remaining) {
      break;
    }
    rejected[order[step]] = true;
  }
  return rejected;
}

double PValueOfEqual(const RatioEstimate& a, const RatioEstimate& b) {
  const double error = std::hypot(StandardError(a), StandardError(b));
  const double difference = std::abs(std::log(a.ratio) - std::log(b.ratio));
  if (!std::isfinite(error) || !std::isfinite(difference)) {
    return 1;
  }
  if (error == 0) {
    return difference == 0 ? 1 : 0;
  }
  return std::erfc(difference / error / std::sqrt(2.0));
}

std::string WhyTimesAreNotTrusted(const BenchEvidence& bench) {
  switch (TrustInTimes(bench)) {
    case TimesTrust::kTrusted:
      return "";
    case TimesTrust::kWithoutControls:
      return "timed without an A/A control";
    case TimesTrust::kUneven:
      return fmt::format("the machine was too noisy: the baseline beat itself in {} of {} controls",
                         CountFalseWins(bench), bench.controls.size());
    case TimesTrust::kImprecise:
      return fmt::format(
          "the machine was too noisy: half of {} controls are known to {:.0f} % only",
          bench.controls.size(), ControlPrecision(bench) * 100);
  }
  return "";
}

bool AreOfOneClass(const Machine& a, const Machine& b) {
  return a.cpu_model == b.cpu_model && a.cores == b.cores;
}

bool DifferInBandwidth(const BenchEvidence& a, const BenchEvidence& b) {
  if (!KnowsItsBandwidth(a) || !KnowsItsBandwidth(b)) {
    return false;
  }
  const MeanEstimate difference = DifferenceOf(EstimateLogBandwidth(a), EstimateLogBandwidth(b));
  return std::abs(difference.mean) > IntervalHalfWidth(difference);
}

std::string WhyTimesDoNotCompare(const Evidence& a, const Evidence& b) {
  const Environment& left = a.environment;
  const Environment& right = b.environment;
  if (!AreOfOneClass(left.machine, right.machine)) {
    return "timed on machines of different classes";
  }
  if (left.compiler != right.compiler || left.release_flags != right.release_flags) {
    return "built by different compilers or flags";
  }
  if (DifferInBandwidth(a.bench, b.bench)) {
    return fmt::format("timed while memory was of another speed: {:.1f} and {:.1f} GB/s",
                       a.bench.bandwidth_bytes_per_second * 1e-9,
                       b.bench.bandwidth_bytes_per_second * 1e-9);
  }
  for (const Evidence* cell : {&a, &b}) {
    if (std::string why = WhyTimesAreNotTrusted(cell->bench); !why.empty()) {
      return why;
    }
  }
  return "";
}

TimeDifferences ResolveTimeDifferences(const Rubric& rubric, std::span<const Evidence* const> cells,
                                       std::span<const Scorecard> cards,
                                       std::span<const TimeDifferences::Pair> pairs) {
  std::vector<Hypothesis> hypotheses;
  std::vector<double> p_values;
  for (const auto& [i, j] : pairs) {
    if (!WhyTimesDoNotCompare(*cells[i], *cells[j]).empty()) {
      continue;
    }
    for (std::size_t row = 0; row < rubric.criteria.size(); ++row) {
      const auto& left = cards[i].criteria[row].value.interval;
      const auto& right = cards[j].criteria[row].value.interval;
      if (left.has_value() && right.has_value()) {
        hypotheses.push_back({.pair = {i, j}, .criterion = rubric.criteria[row].id});
        p_values.push_back(PValueOfEqual(*left, *right));
      }
    }
  }
  const std::vector<bool> rejected = Holm(p_values);
  TimeDifferences differences;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    if (rejected[i]) {
      differences.AddResolved(hypotheses[i].pair, std::move(hypotheses[i].criterion));
    }
  }
  return differences;
}

}  // namespace assay
