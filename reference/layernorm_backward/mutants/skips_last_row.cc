// SPDX-License-Identifier: Apache-2.0
// Bug: the loop over rows ends one too early.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  static std::size_t VisitedRows(std::size_t rows) { return rows - (rows > 0 ? 1 : 0); }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
