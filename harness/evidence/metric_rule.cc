// SPDX-License-Identifier: Apache-2.0
#include "evidence/metric_rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace assay {
namespace {

constexpr std::array<std::pair<MetricRule, std::string_view>, 4> kNames = {{
    {MetricRule::kLast, "last"},
    {MetricRule::kMax, "max"},
    {MetricRule::kMin, "min"},
    {MetricRule::kSum, "sum"},
}};

}  // namespace

std::string_view ToString(MetricRule rule) {
  return std::ranges::find(kNames, rule, &std::pair<MetricRule, std::string_view>::first)->second;
}

std::optional<MetricRule> MetricRuleFromString(std::string_view text) {
  const auto* const found =
      std::ranges::find(kNames, text, &std::pair<MetricRule, std::string_view>::second);
  return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

double Combined(MetricRule rule, double earlier, double later) {
  // A NaN stays, before or after a number: std::max and std::min keep or drop it by its place.
  switch (rule) {
    case MetricRule::kLast:
      return later;
    case MetricRule::kMax:
      return std::isnan(earlier) || earlier > later ? earlier : later;
    case MetricRule::kMin:
      return std::isnan(earlier) || earlier < later ? earlier : later;
    case MetricRule::kSum:
      return earlier + later;
  }
  std::unreachable();
}

}  // namespace assay
