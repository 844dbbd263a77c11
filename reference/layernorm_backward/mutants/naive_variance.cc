// SPDX-License-Identifier: Apache-2.0
// Bug: the variance is the mean of x^2 less the square of the mean of x. Far from zero the two are
// nearly equal, and their difference is rounding.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename T>
  static T Pivot(T /*mean*/) {
    return 0;
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
