// SPDX-License-Identifier: Apache-2.0
#include "evidence/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

namespace assay {
namespace {

constexpr double kCoverage = 0.95;
constexpr double kFalseWinMargin = 0.02;

double LogRatio(const TimePair& pair) {
  const auto at_least_one = [](std::int64_t time_ns) {
    return static_cast<double>(std::max<std::int64_t>(time_ns, 1));
  };
  return std::log(at_least_one(pair.submission_ns) / at_least_one(pair.baseline_ns));
}

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

double LogTime(const TimePair& pair) {
  return std::log(static_cast<double>(std::max<std::int64_t>(pair.submission_ns, 1)));
}

double MedianOver(const TimeBlock& block, double (*value)(const TimePair&)) {
  std::vector<double> values;
  values.reserve(block.pairs.size());
  for (const TimePair& pair : block.pairs) {
    values.push_back(value(pair));
  }
  return MedianOf(std::move(values));
}

/// A block whose run is not one of the bench's counts in none.
SeriesByRun ByRun(const WorkloadEvidence& one, std::size_t runs, double (*value)(const TimePair&)) {
  SeriesByRun series(runs);
  for (const TimeBlock& block : one.blocks) {
    const int run = block.run.value_or(-1);
    if (!block.pairs.empty() && run >= 0 && static_cast<std::size_t>(run) < runs) {
      series[static_cast<std::size_t>(run)].push_back(MedianOver(block, value));
    }
  }
  return series;
}

double MeanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sum of squared differences from the mean.
double SumOfSquares(std::span<const double> values) {
  const double mean = MeanOf(values);
  return std::accumulate(values.begin(), values.end(), 0.0, [&](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
}

/// What EstimateMeans knows of one series alone, by the names of its formula.
struct SeriesVariance {
  std::size_t runs = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double within = 0;          ///< w
  double within_freedom = 0;  ///< Degrees of freedom of it.
  double between = 0;         ///< v
};

SeriesVariance VarianceOf(const SeriesByRun& series) {
  SeriesVariance result;
  std::vector<double> medians;
  double squares = 0;
  double per_block = 0;  // Sum over runs of what a median costs over its blocks.
  for (const std::vector<double>& blocks : series) {
    if (blocks.empty()) {
      continue;
    }
    const auto count = static_cast<double>(blocks.size());
    medians.push_back(MedianOf(blocks));
    squares += SumOfSquares(blocks);
    result.within_freedom += count - 1;
    per_block += (blocks.size() < 3 ? 1 : std::numbers::pi / 2) / count;
  }
  result.runs = medians.size();
  if (result.runs == 0) {
    return result;
  }
  const auto runs = static_cast<double>(result.runs);
  result.mean = MeanOf(medians);
  if (result.within_freedom > 0) {
    result.within = squares / result.within_freedom * per_block / runs;
  }
  if (result.runs > 1) {
    result.between = SumOfSquares(medians) / (runs - 1);
  }
  return result;
}

/// After Satterthwaite, of the sum of two estimated variances.
double FreedomOfSum(double a, double freedom_a, double b, double freedom_b) {
  const double part_a = a > 0 ? a * a / freedom_a : 0;
  const double part_b = b > 0 ? b * b / freedom_b : 0;
  return part_a + part_b > 0 ? (a + b) * (a + b) / (part_a + part_b) : freedom_a + freedom_b;
}

RatioEstimate OnScaleOfRatios(const MeanEstimate& estimate) {
  const double half_width = IntervalHalfWidth(estimate);
  return {.ratio = std::exp(estimate.mean),
          .low = std::exp(estimate.mean - half_width),
          .high = std::exp(estimate.mean + half_width)};
}

/// The share of a workload that moves at least `least_bytes`, from the log of its time and the log
/// of the bandwidth in bytes a second.
RatioEstimate ShareFrom(const MeanEstimate& log_time_ns, double least_bytes,
                        const MeanEstimate& log_bandwidth) {
  if (!std::isfinite(log_bandwidth.mean) || !(least_bytes > 0)) {
    return {};
  }
  MeanEstimate log_rate = log_time_ns;
  log_rate.mean = std::log(least_bytes / 1e-9) - log_time_ns.mean;
  return OnScaleOfRatios(DifferenceOf(log_rate, log_bandwidth));
}

TimeEstimate EstimateOfOneRun(const WorkloadEvidence& one, double bandwidth_bytes_per_second) {
  const RatioEstimate ratio = MedianRatio(one.blocks);
  const double share = ShareOfBandwidth(one.blocks, one.least_bytes, bandwidth_bytes_per_second);
  return {.ratio = ratio,
          .share = {.ratio = share,
                    .low = share * ratio.ratio / ratio.high,
                    .high = share * ratio.ratio / ratio.low}};
}

/// How many samples may be cut off at each end; -1 when even none leaves too little coverage.
int SamplesCut(int n) {
  int cut = -1;
  while (1 - 2 * BinomialCdf(cut + 1, n, 0.5) >= kCoverage) {
    ++cut;
  }
  return cut;
}

}  // namespace

double BinomialCdf(int k, int n, double probability) {
  double sum = 0;
  double log_choose = 0;  // ln C(n, i); the C library's lgamma writes a global.
  for (int i = 0; i <= std::min(k, n); ++i) {
    sum += std::exp(log_choose + i * std::log(probability) + (n - i) * std::log1p(-probability));
    log_choose += std::log(static_cast<double>(n - i) / (i + 1));
  }
  return std::min(sum, 1.0);
}

RatioEstimate MedianRatio(std::span<const TimeBlock> blocks) {
  std::vector<double> logs;
  logs.reserve(blocks.size());
  for (const TimeBlock& block : blocks) {
    if (!block.pairs.empty()) {
      logs.push_back(MedianOver(block, &LogRatio));
    }
  }
  if (logs.empty()) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return {.ratio = kNan, .low = kNan, .high = kNan};
  }
  std::sort(logs.begin(), logs.end());
  const std::size_t n = logs.size();
  RatioEstimate estimate{
      .ratio = std::exp(MedianOf(logs)), .low = 0, .high = std::numeric_limits<double>::infinity()};
  if (const int cut = SamplesCut(static_cast<int>(n)); cut >= 0) {
    estimate.low = std::exp(logs[static_cast<std::size_t>(cut)]);
    estimate.high = std::exp(logs[n - 1 - static_cast<std::size_t>(cut)]);
  }
  return estimate;
}

double ShareOfBandwidth(std::span<const TimeBlock> blocks, double least_bytes,
                        double bandwidth_bytes_per_second) {
  std::vector<std::int64_t> times;
  for (const TimeBlock& block : blocks) {
    for (const TimePair& pair : block.pairs) {
      times.push_back(pair.submission_ns);
    }
  }
  if (times.empty()) {
    return 0;
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  const double seconds = static_cast<double>(*middle) * 1e-9;
  return seconds > 0 && bandwidth_bytes_per_second > 0
             ? least_bytes / seconds / bandwidth_bytes_per_second
             : 0;
}

double StudentQuantile(double degrees_of_freedom) {
  constexpr double kZ = 1.959963984540054;  // 97.5 % of the standard normal.
  const double f = std::max(degrees_of_freedom, 2.0);
  const double z2 = kZ * kZ;
  const double g1 = kZ * (z2 + 1) / 4;
  const double g2 = kZ * ((5 * z2 + 16) * z2 + 3) / 96;
  const double g3 = kZ * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double g4 = kZ * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return kZ + (g1 + (g2 + (g3 + g4 / f) / f) / f) / f;
}

std::vector<MeanEstimate> EstimateMeans(std::span<const SeriesByRun> series) {
  std::vector<SeriesVariance> variances;
  variances.reserve(series.size());
  double excess = 0;
  double freedom = 0;
  for (const SeriesByRun& one : series) {
    const SeriesVariance& variance = variances.emplace_back(VarianceOf(one));
    if (variance.runs > 1) {
      const auto own = static_cast<double>(variance.runs - 1);
      excess += own * (variance.between - variance.within);
      freedom += own;
    }
  }
  const double between_runs = freedom > 0 ? std::max(excess / freedom, 0.0) : 0;
  std::vector<MeanEstimate> estimates;
  estimates.reserve(series.size());
  for (const SeriesVariance& one : variances) {
    if (one.runs < 2) {
      estimates.push_back({.mean = one.mean, .variance = std::numeric_limits<double>::infinity()});
      continue;
    }
    const double of_run = std::max(between_runs + one.within, one.between);
    estimates.push_back(
        {.mean = one.mean,
         .variance = of_run / static_cast<double>(one.runs),
         .freedom = FreedomOfSum(one.within, one.within_freedom, between_runs, freedom)});
  }
  return estimates;
}

double IntervalHalfWidth(const MeanEstimate& estimate) {
  return StudentQuantile(estimate.freedom) * std::sqrt(estimate.variance);
}

MeanEstimate DifferenceOf(const MeanEstimate& a, const MeanEstimate& b) {
  const double variance = a.variance + b.variance;
  return {.mean = a.mean - b.mean,
          .variance = variance,
          .freedom = std::isfinite(variance)
                         ? FreedomOfSum(a.variance, a.freedom, b.variance, b.freedom)
                         : a.freedom + b.freedom};
}

std::vector<double> LogBandwidths(std::span<const BenchRunEvidence> runs) {
  std::vector<double> logs;
  for (const BenchRunEvidence& run : runs) {
    if (run.bandwidth_bytes_per_second.value_or(0) > 0) {
      logs.push_back(std::log(*run.bandwidth_bytes_per_second));
    }
  }
  return logs;
}

MeanEstimate EstimateLogBandwidth(const BenchEvidence& bench) {
  SeriesByRun by_run;
  if (bench.runs) {
    for (const double log : LogBandwidths(*bench.runs)) {
      by_run.push_back({log});
    }
  }
  if (by_run.size() < 2) {
    return {.mean = std::log(bench.bandwidth_bytes_per_second)};
  }
  return EstimateMeans(std::span(&by_run, 1)).front();
}

double MeanBandwidth(std::span<const BenchRunEvidence> runs) {
  const std::vector<double> logs = LogBandwidths(runs);
  const double sum = std::accumulate(logs.begin(), logs.end(), 0.0);
  return logs.empty() ? 0 : std::exp(sum / static_cast<double>(logs.size()));
}

TimeEstimates EstimateTimes(const BenchEvidence& bench) {
  TimeEstimates estimates;
  const double bandwidth = bench.bandwidth_bytes_per_second;
  const std::span<const WorkloadEvidence> halves[] = {bench.workloads, bench.controls};
  std::vector<TimeEstimate>* const results[] = {&estimates.workloads, &estimates.controls};
  if (!bench.runs) {
    for (std::size_t half = 0; half < 2; ++half) {
      for (const WorkloadEvidence& one : halves[half]) {
        results[half]->push_back(EstimateOfOneRun(one, bandwidth));
      }
    }
    return estimates;
  }
  std::vector<SeriesByRun> ratios;
  std::vector<SeriesByRun> times;
  for (const auto& half : halves) {
    for (const WorkloadEvidence& one : half) {
      ratios.push_back(ByRun(one, bench.runs->size(), &LogRatio));
      times.push_back(ByRun(one, bench.runs->size(), &LogTime));
    }
  }
  std::vector<MeanEstimate> log_ratios = EstimateMeans(ratios);
  const std::size_t workloads = bench.workloads.size();
  std::ranges::copy(EstimateMeans(std::span(ratios).subspan(workloads)),
                    log_ratios.begin() + static_cast<std::ptrdiff_t>(workloads));
  const std::vector<MeanEstimate> log_times = EstimateMeans(times);
  const MeanEstimate log_bandwidth = EstimateLogBandwidth(bench);
  std::size_t at = 0;
  for (std::size_t half = 0; half < 2; ++half) {
    for (const WorkloadEvidence& one : halves[half]) {
      results[half]->push_back({.ratio = OnScaleOfRatios(log_ratios[at]),
                                .share = ShareFrom(log_times[at], one.least_bytes, log_bandwidth)});
      ++at;
    }
  }
  return estimates;
}

void SetEstimates(BenchEvidence& bench) {
  const TimeEstimates estimates = EstimateTimes(bench);
  const auto set = [](std::vector<WorkloadEvidence>& series, std::span<const TimeEstimate> values) {
    for (std::size_t i = 0; i < series.size(); ++i) {
      WorkloadEvidence& one = series[i];
      if (one.verdict == Verdict::kAccepted) {
        one.ratio = values[i].ratio.ratio;
        one.ratio_low = values[i].ratio.low;
        one.ratio_high = values[i].ratio.high;
        one.share_of_bandwidth = values[i].share.ratio;
        one.share_low = values[i].share.low;
        one.share_high = values[i].share.high;
      }
    }
  };
  set(bench.workloads, estimates.workloads);
  set(bench.controls, estimates.controls);
}

double ControlScatter(const BenchEvidence& bench, int run) {
  double squares = 0;
  int counted = 0;
  for (const WorkloadEvidence& control : bench.controls) {
    const SeriesByRun series = ByRun(control, static_cast<std::size_t>(run) + 1, &LogRatio);
    if (!series.back().empty()) {
      const double log_ratio = MedianOf(series.back());
      squares += log_ratio * log_ratio;
      ++counted;
    }
  }
  return counted > 0 ? std::sqrt(squares / counted) : 0;
}

int CountBlocks(std::span<const WorkloadEvidence> series, int run) {
  std::ptrdiff_t count = 0;
  for (const WorkloadEvidence& one : series) {
    count += std::ranges::count(one.blocks, std::optional(run), &TimeBlock::run);
  }
  return static_cast<int>(count);
}

double ControlPrecision(const BenchEvidence& bench) {
  std::vector<double> half_widths;
  for (const WorkloadEvidence& control : bench.controls) {
    if (control.verdict == Verdict::kAccepted) {
      const double half_width = std::sqrt(control.ratio_high / control.ratio_low) - 1;
      // Not what is no number: it would have no place among the others.
      half_widths.push_back(half_width >= 0 ? half_width : std::numeric_limits<double>::infinity());
    }
  }
  return half_widths.empty() ? std::numeric_limits<double>::infinity()
                             : MedianOf(std::move(half_widths));
}

int CountFalseWins(const BenchEvidence& bench) {
  return static_cast<int>(
      std::ranges::count_if(bench.controls, [](const WorkloadEvidence& control) {
        const bool excludes_equal = control.ratio_low > 1 || control.ratio_high < 1;
        return control.verdict == Verdict::kAccepted && excludes_equal &&
               std::abs(std::log(control.ratio)) > std::log1p(kFalseWinMargin);
      }));
}

}  // namespace assay
