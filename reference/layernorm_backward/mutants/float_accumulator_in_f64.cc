// SPDX-License-Identifier: Apache-2.0
// Bug: the sums of a column are accumulated in float, in f64 too.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename T>
  static double Accumulate(double accumulator, T partial) {
    return static_cast<float>(accumulator) + static_cast<float>(partial);
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
