// SPDX-License-Identifier: Apache-2.0
// Bug: each call of backward keeps 64 bytes for good.

#include <cstdlib>

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  static std::pair<const double*, const double*> ColumnOutputs(const double* gamma_sums,
                                                               const double* beta_sums,
                                                               std::size_t /*features*/) {
    static void* volatile last = nullptr;
    const auto kept = static_cast<void**>(std::malloc(64));
    if (kept != nullptr) {
      *kept = last;  // A list, so that the compiler keeps it.
      last = static_cast<void*>(kept);
    }
    return {gamma_sums, beta_sums};
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
