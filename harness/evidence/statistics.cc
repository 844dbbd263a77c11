// SPDX-License-Identifier: Apache-2.0
#include "evidence/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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

double MedianLogRatio(const TimeBlock& block) {
  std::vector<double> logs;
  logs.reserve(block.pairs.size());
  for (const TimePair& pair : block.pairs) {
    logs.push_back(LogRatio(pair));
  }
  return MedianOf(std::move(logs));
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
      logs.push_back(MedianLogRatio(block));
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

int CountFalseWins(const BenchEvidence& bench) {
  return static_cast<int>(
      std::ranges::count_if(bench.controls, [](const WorkloadEvidence& control) {
        const bool excludes_equal = control.ratio_low > 1 || control.ratio_high < 1;
        return control.verdict == Verdict::kAccepted && excludes_equal &&
               std::abs(std::log(control.ratio)) > std::log1p(kFalseWinMargin);
      }));
}

}  // namespace assay
