// SPDX-License-Identifier: Apache-2.0
// Bug: every row is read from where the first one begins: the index of the row is lost.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  template <typename T>
  static const T* Row(const T* matrix, std::size_t /*row*/, std::size_t /*features*/) {
    return matrix;
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
