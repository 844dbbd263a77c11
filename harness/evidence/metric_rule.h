// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EVIDENCE_METRIC_RULE_H_
#define ASSAY_EVIDENCE_METRIC_RULE_H_

#include <optional>
#include <string_view>

namespace assay {

/// How two values of one metric become one. Written to a results file by name.
enum class MetricRule {
  kLast,  ///< `last`: the later.
  kMax,   ///< `max`: the larger; NaN if either is.
  kMin,   ///< `min`: the smaller; NaN if either is.
  kSum,   ///< `sum`.
};
[[nodiscard]] std::string_view ToString(MetricRule rule);
[[nodiscard]] std::optional<MetricRule> MetricRuleFromString(std::string_view text);

/// `earlier` and `later` as one number.
[[nodiscard]] double Combined(MetricRule rule, double earlier, double later);

}  // namespace assay

#endif  // ASSAY_EVIDENCE_METRIC_RULE_H_
