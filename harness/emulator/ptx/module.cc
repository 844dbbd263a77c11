// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/module.h"

#include <algorithm>

namespace assay::gpu::ptx {

const Function* Module::FindFunction(std::string_view name) const {
  const auto found = std::ranges::find(functions, name, &Function::name);
  return found == functions.end() ? nullptr : &*found;
}

const Variable* Module::FindVariable(std::string_view name) const {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  return found == variables.end() ? nullptr : &*found;
}

}  // namespace assay::gpu::ptx
