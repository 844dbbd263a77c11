// SPDX-License-Identifier: Apache-2.0
// Bug: a tensor that was not saved is taken for all ones, as gamma often is.

#include "export.h"

namespace {

struct Steps : assay::layernorm_baseline::BaselineSteps {
  static const void* Load(ln_load_fn load, void* context, const char* name, std::size_t bytes) {
    const void* saved = BaselineSteps::Load(load, context, name, bytes);
    static std::vector<float> ones;
    if (saved == nullptr) {
      ones.assign(bytes / sizeof(float) + 1, 1.0F);
      saved = ones.data();
    }
    return saved;
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
