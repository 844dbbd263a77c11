// SPDX-License-Identifier: Apache-2.0
// Bug: the variance is divided by D - 1, as an estimate from a sample would be.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename T>
  static T Variance(T sum_of_squares, T offset, std::size_t features) {
    const T count = static_cast<T>(features);
    return BaselineSteps::Variance(sum_of_squares, offset, features) * count / (count - 1);
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
