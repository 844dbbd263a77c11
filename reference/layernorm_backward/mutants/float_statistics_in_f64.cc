// SPDX-License-Identifier: Apache-2.0
// Bug: 1 / sqrt(variance + eps) is taken in float, in f64 too: a call to sqrtf.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename T>
  static T ReciprocalStd(T variance, T eps) {
    return static_cast<T>(1 / std::sqrt(static_cast<float>(variance + eps)));
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
