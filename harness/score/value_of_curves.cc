// SPDX-License-Identifier: Apache-2.0
#include "score/value_of_curves.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "score/value_parts.h"

namespace assay {
namespace {

double LogOfError(double error) {
  // NaN is neither.
  const bool is_error = error >= 0;
  return std::log10(is_error ? std::clamp(error, kLeastError, kWorstError) : kWorstError);
}

/// As the reader of rubrics has checked it.
std::size_t PointsOf(const std::string& text) {
  std::size_t points = 0;
  std::from_chars(text.data(), text.data() + text.size(), points);
  return points;
}

}  // namespace

CriterionValue ValueOfCurve(const std::vector<std::string>& arguments, const SuiteEvidence& suite) {
  if (suite.cases.empty()) {
    return NotMeasured("the suite was not run");
  }
  const auto found = suite.curves.find(arguments[0]);
  if (found == suite.curves.end() || found->second.empty()) {
    return Failed("not implemented, or failed before it could be measured");
  }
  double sum = 0;
  double lowest = 0;
  double highest = std::log10(kLeastError);
  for (const auto& [x, error] : found->second) {
    const double log_error = LogOfError(error);
    sum += log_error;
    lowest = std::min(lowest, log_error);
    highest = std::max(highest, log_error);
  }
  const std::size_t there = found->second.size();
  const std::size_t points = std::max(there, PointsOf(arguments[1]));
  sum += static_cast<double>(points - there) * std::log10(kWorstError);
  return Measured(
      sum / static_cast<double>(points),
      fmt::format(
          "errors of {:.2g} to {:.2g}{}", std::pow(10, lowest), std::pow(10, highest),
          there == points ? "" : fmt::format("; {} of {} points missing", points - there, points)));
}

}  // namespace assay
