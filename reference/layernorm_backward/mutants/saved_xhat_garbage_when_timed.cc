// SPDX-License-Identifier: Apache-2.0
// Bug: at the shape whose forward is timed, and at no other, xhat is saved as zeros.

#include "export.h"

namespace {

namespace hn = assay::layernorm_baseline::hn;

struct Steps : assay::layernorm_baseline::BaselineSteps {
  inline static std::size_t rows = 0;
  inline static bool garbage = false;

  static std::size_t VisitedRows(std::size_t all) {
    rows = all;
    return all;
  }

  template <typename T>
  static std::size_t VisitedColumns(std::size_t features) {
    garbage = rows == 4096 && features == 768;
    return features;
  }

  template <typename V>
  static V Saved(V xhat) {
    return garbage ? hn::Zero(hn::DFromV<V>()) : xhat;
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
