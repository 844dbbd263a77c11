// SPDX-License-Identifier: Apache-2.0
// Bug: dx is computed from dy instead of dy * gamma. Right as long as gamma is 1.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename V>
  static V ScaledGradient(V dy, V /*gamma*/) {
    return dy;
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
