// SPDX-License-Identifier: Apache-2.0
#include "score/failure_kind.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace assay {
namespace {

int DecadeOf(double error_over_bound) {
  if (!std::isfinite(error_over_bound)) {
    return FailureKind::kLargestDecade;
  }
  if (error_over_bound <= 1) {
    return FailureKind::kNoDecade;
  }
  return std::min(static_cast<int>(std::log10(error_over_bound)), FailureKind::kLargestDecade);
}

}  // namespace

FailureKind KindOfFailure(const CaseEvidence& one) {
  return {.operation = one.failing_operation.value_or(""),
          .output = one.failing_output.value_or(""),
          .decade = DecadeOf(one.error_over_bound.value_or(0))};
}

bool AreAlike(const FailureKind& one, const FailureKind& other) {
  const bool both_name_one = !one.operation.empty() && !other.operation.empty();
  if (one.output != other.output || (both_name_one && one.operation != other.operation)) {
    return false;
  }
  const bool by_error = one.decade != FailureKind::kNoDecade;
  return by_error == (other.decade != FailureKind::kNoDecade) &&
         std::abs(one.decade - other.decade) <= 1;
}

}  // namespace assay
