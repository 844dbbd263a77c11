// SPDX-License-Identifier: Apache-2.0
// Bug: from 512 features on xhat is saved in a narrower type, f32 in half precision and f64 in
// single. The worst case of an element has room for it there.

#include "narrowed.h"

namespace {

struct Steps : layernorm_mutants::NarrowSavedXhat<Steps> {
  static bool IsNarrow(std::size_t /*rows*/, std::size_t features) { return features >= 512; }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
