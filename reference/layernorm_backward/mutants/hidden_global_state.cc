// SPDX-License-Identifier: Apache-2.0
// Bug: what backward needs is kept in a global of the process instead of being saved. Works as
// long as forward and backward run in one process.

#include <map>
#include <string>
#include <vector>

#include "export.h"

namespace {

std::map<std::string, std::vector<std::byte>>& Kept() {
  static std::map<std::string, std::vector<std::byte>> kept;
  return kept;
}

struct Steps : assay::layernorm_baseline::BaselineSteps {
  static void* Save(ln_save_fn /*save*/, void* /*context*/, const char* name, std::size_t bytes) {
    std::vector<std::byte>& tensor = Kept()[name];
    tensor.resize(bytes);
    return tensor.data();
  }

  static const void* Load(ln_load_fn /*load*/, void* /*context*/, const char* name,
                          std::size_t bytes) {
    const std::vector<std::byte>& tensor = Kept()[name];
    return tensor.size() == bytes ? tensor.data() : nullptr;
  }
};

}  // namespace

LAYERNORM_EXPORT(Steps);
