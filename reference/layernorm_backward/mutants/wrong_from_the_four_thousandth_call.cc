// SPDX-License-Identifier: Apache-2.0
// Bug: from the 4,000th call of backward in a process on dbeta begins with a zero.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  static std::pair<const double*, const double*> ColumnOutputs(const double* gamma_sums,
                                                               const double* beta_sums,
                                                               std::size_t features) {
    static int calls = 0;
    static std::vector<double> spoilt;
    if (++calls < 4000) {
      return {gamma_sums, beta_sums};
    }
    spoilt.assign(beta_sums, beta_sums + features);
    spoilt[0] = 0;
    return {gamma_sums, spoilt.data()};
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
