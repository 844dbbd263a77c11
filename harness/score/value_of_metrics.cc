// SPDX-License-Identifier: Apache-2.0
#include "score/value_of_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "score/value_parts.h"
#include "score/work.h"

namespace assay {
namespace {

using Points = std::vector<std::pair<double, double>>;

/// The value of a row that has no number.
CriterionValue WithoutNumber(const Criterion& criterion, const SuiteEvidence& suite) {
  if (suite.cases.empty()) {
    return NotMeasured("the suite was not run");
  }
  if (criterion.kind != CriterionKind::kGpu) {
    return Failed("not implemented, or failed before it could be measured");
  }
  if (IsBeyondDevice(criterion, suite)) {
    return NotMeasured(fmt::format("the emulated GPU lacks {}", suite.device_lacks.front()));
  }
  // What a kernel does counts where its answer is right: a kernel that reads less and is wrong
  // does not win the row of those that read all they need.
  return Failed("not right, or not run, at the shapes where it is measured");
}

CriterionValue Metric(const Criterion& criterion, const SuiteEvidence& suite) {
  const std::string name(Argument(criterion));
  const auto found = suite.metrics.find(name);
  if (found == suite.metrics.end()) {
    return WithoutNumber(criterion, suite);
  }
  return std::isnan(found->second) ? Failed(fmt::format("metric {} is not a number", name))
                                   : Measured(found->second);
}

bool IsOfACurve(ValueFunction function) {
  return function == ValueFunction::kAtLargest || function == ValueFunction::kWorstOf;
}

Points PointsOf(const Criterion& criterion, const SuiteEvidence& suite) {
  const auto found = suite.curves.find(std::string(Argument(criterion)));
  Points points = found == suite.curves.end() ? Points() : found->second;
  std::erase_if(points, [](const auto& point) {
    return std::isnan(point.first) || std::isnan(point.second);
  });
  return points;
}

/// The point that the row is about; `points` is not empty.
std::pair<double, double> PointOf(const Criterion& criterion, const Points& points) {
  if (criterion.value.function == ValueFunction::kAtLargest) {
    return *std::ranges::max_element(points);
  }
  using Point = std::pair<double, double>;
  return criterion.edge == Edge::kHigher ? *std::ranges::min_element(points, {}, &Point::second)
                                         : *std::ranges::max_element(points, {}, &Point::second);
}

CriterionValue OfPoints(const Criterion& criterion, const Points& points) {
  const auto [x, y] = PointOf(criterion, points);
  return Measured(y, fmt::format("at {:.15g} {}", x, criterion.value.arguments.back()));
}

bool HasX(const Points& points, double x) {
  return std::ranges::find(points, x, &std::pair<double, double>::first) != points.end();
}

}  // namespace

CriterionValue ValueOfMetric(const Criterion& criterion, const SuiteEvidence& suite) {
  if (!IsOfACurve(criterion.value.function)) {
    return Metric(criterion, suite);
  }
  const Points points = PointsOf(criterion, suite);
  return points.empty() ? WithoutNumber(criterion, suite) : OfPoints(criterion, points);
}

std::optional<ComparedValues> ValuesOfTheSameWork(const Criterion& criterion,
                                                  const SuiteEvidence& a, const SuiteEvidence& b) {
  if (!IsOfACurve(criterion.value.function)) {
    return std::nullopt;
  }
  Points of_a = PointsOf(criterion, a);
  Points of_b = PointsOf(criterion, b);
  std::erase_if(of_a, [&](const auto& point) { return !HasX(of_b, point.first); });
  std::erase_if(of_b, [&](const auto& point) { return !HasX(of_a, point.first); });
  if (of_a.empty()) {
    const CriterionValue none = NotMeasured("no shape at which both are right");
    return ComparedValues{.a = none, .b = none};
  }
  return ComparedValues{.a = OfPoints(criterion, of_a), .b = OfPoints(criterion, of_b)};
}

}  // namespace assay
