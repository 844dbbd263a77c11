// SPDX-License-Identifier: Apache-2.0
#include "score/tie.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

/// Decimal amounts such as 20 % have no exact double: a value on the border still ties.
constexpr double kRounding = 1e-12;

}  // namespace

bool IsWithin(const Tie& tie, double a, double b) {
  if (a == b) {
    return true;
  }
  if (!std::isfinite(a) || !std::isfinite(b)) {
    return false;
  }
  const double difference = std::abs(a - b);
  const double larger = std::max(std::abs(a), std::abs(b));
  switch (tie.kind) {
    case Tie::Kind::kDifference:
      return difference <= tie.amount + kRounding * larger;
    case Tie::Kind::kShare:
      return difference <= (tie.amount + kRounding) * larger;
    case Tie::Kind::kFactor:
      return a * b > 0 &&
             larger <= tie.amount * (1 + kRounding) * std::min(std::abs(a), std::abs(b));
  }
  return false;
}

}  // namespace assay
