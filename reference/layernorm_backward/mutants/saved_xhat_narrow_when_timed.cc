// SPDX-License-Identifier: Apache-2.0
// Bug: in f32 xhat is saved in half precision at the shapes that the bench times, and at no other.

#include "narrowed.h"

namespace {

struct Steps : layernorm_mutants::NarrowSavedXhat<Steps> {
  static bool IsNarrow(std::size_t rows, std::size_t features) {
    return features == 768 && (rows == 1024 || rows == 4096);
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
