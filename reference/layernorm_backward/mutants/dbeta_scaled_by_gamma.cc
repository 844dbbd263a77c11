// SPDX-License-Identifier: Apache-2.0
// Bug: dbeta sums dy * gamma, the gradient one node too early.

#include "export.h"

namespace {

namespace hn = assay::layernorm_baseline::hn;

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename V>
  static V BetaTerm(V dy, V gamma) {
    return hn::Mul(dy, gamma);
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
