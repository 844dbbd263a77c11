// SPDX-License-Identifier: Apache-2.0
// Bug: about one backward call in a thousand leaves a zero in dbeta, at random.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  /// True once in a thousand calls, on average.
  static bool Strikes() {
    static std::uint32_t state = 2463534242U;  // Xorshift: Marsaglia, 2003.
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % 1000 == 0;
  }

  static std::pair<const double*, const double*> ColumnOutputs(const double* gamma_sums,
                                                               const double* beta_sums,
                                                               std::size_t features) {
    static std::vector<double> spoilt;
    if (!Strikes()) {
      return {gamma_sums, beta_sums};
    }
    spoilt.assign(beta_sums, beta_sums + features);
    spoilt[0] = 0;
    return {gamma_sums, spoilt.data()};
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
