// SPDX-License-Identifier: Apache-2.0
// Bug: dgamma and dbeta are added to what the output holds, which nobody has set to zero.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename T>
  static void StoreColumn(T& output, double sum) {
    output += static_cast<T>(sum);
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
