// SPDX-License-Identifier: Apache-2.0
// Bug: dx is not divided by the standard deviation of the row.

#include "export.h"

namespace {

namespace hn = assay::layernorm_baseline::hn;

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename V>
  static V InputGradient(V d, V xhat, V mean_d, V mean_dxhat, V /*rstd*/) {
    return hn::NegMulAdd(xhat, mean_dxhat, hn::Sub(d, mean_d));
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
