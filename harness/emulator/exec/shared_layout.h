// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_SHARED_LAYOUT_H_
#define ASSAY_EMULATOR_EXEC_SHARED_LAYOUT_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/ptx/module.h"

namespace assay::gpu {

/// Where a kernel's shared variables lie. They have one address for the whole kernel, and only
/// those that it can reach count. Dynamic shared memory (`.extern .shared x[]`) lies behind the
/// others.
struct SharedLayout {
  /// By the function that declares it (null: the module) and its name.
  std::map<std::pair<const ptx::Function*, std::string>, std::uint64_t> offsets;
  std::uint32_t static_bytes = 0;  ///< Where dynamic shared memory starts.
  /// What a call through a pointer can reach; empty when the kernel makes no such call.
  std::vector<const ptx::Function*> address_taken;
};

[[nodiscard]] SharedLayout LayOutShared(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_SHARED_LAYOUT_H_
