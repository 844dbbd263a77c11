// SPDX-License-Identifier: Apache-2.0
// Bug: the input is written to, here with the value that it has: rows are worked on in place.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename T>
  static const T* Row(const T* matrix, std::size_t row, std::size_t features) {
    volatile T* first = const_cast<T*>(matrix + row * features);
    *first = *first;
    return matrix + row * features;
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
