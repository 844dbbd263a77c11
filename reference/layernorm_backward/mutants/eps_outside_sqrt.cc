// SPDX-License-Identifier: Apache-2.0
// Bug: eps is added to the standard deviation, not to the variance.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename T>
  static T ReciprocalStd(T variance, T eps) {
    return 1 / (std::sqrt(variance) + eps);
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
