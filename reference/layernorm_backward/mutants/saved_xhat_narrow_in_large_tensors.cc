// SPDX-License-Identifier: Apache-2.0
// Bug: in f32 xhat is saved in half precision where that pays: from 512 features and 60,000
// elements on. The worst case of an element has room for it there.

#include "saved_xhat.h"

namespace {

struct Steps : layernorm_mutants::WrongSavedXhat<Steps> {
  static bool IsWrong(std::size_t rows, std::size_t features) {
    return features >= 512 && rows * features > 60'000;
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
