// SPDX-License-Identifier: Apache-2.0
// Bug: at the shape whose forward is timed, and at no other, xhat is saved as zeros.

#include "saved_xhat.h"

namespace {

namespace hn = assay::layernorm_baseline::hn;

struct Steps : layernorm_mutants::WrongSavedXhat<Steps> {
  static bool IsWrong(std::size_t rows, std::size_t features) {
    return rows == 4096 && features == 768;
  }

  template <typename V>
  static V Instead(V /*xhat*/) {
    return hn::Zero(hn::DFromV<V>());
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
