// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_OPS_VARIANTS_H_
#define ASSAY_GPU_OPS_VARIANTS_H_

#include <span>
#include <string_view>

#include "gpu/exec/step.h"
#include "gpu/ptx/module.h"

namespace assay::gpu {

using Selector = Handlers (*)(const ptx::Instruction& instruction);

/// The arithmetic of one instruction set, for tests and benchmarks that go through all of them.
struct ArithmeticVariant {
  std::string_view name;  ///< "avx512"
  Selector select = nullptr;
};

/// Those that this machine can run, the widest first. Never empty on a supported machine.
[[nodiscard]] std::span<const ArithmeticVariant> ArithmeticVariants();

}  // namespace assay::gpu

#endif  // ASSAY_GPU_OPS_VARIANTS_H_
