// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_OPS_VARIANTS_H_
#define ASSAY_EMULATOR_OPS_VARIANTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "emulator/core/step.h"
#include "emulator/ptx/module.h"

namespace assay::gpu {

/// The vectors of a machine, each with those before it.
enum class Vectors : std::uint8_t { kAny, kAvx2, kAvx512 };
[[nodiscard]] Vectors VectorsOfThisMachine();

using Selector = Handlers (*)(const ptx::Instruction& instruction);

/// The handlers of a group of instructions (select.h) in one instruction set.
struct HandlerVariant {
  std::string_view name;  ///< "avx512"
  Vectors vectors = Vectors::kAny;
  Selector select = nullptr;
};

/// Those that were built (ASSAY_GPU_ISAS) and that `machine` can run, the widest first.
[[nodiscard]] std::span<const HandlerVariant> ArithmeticVariants(
    Vectors machine = VectorsOfThisMachine());
[[nodiscard]] std::span<const HandlerVariant> MemoryVariants(
    Vectors machine = VectorsOfThisMachine());
[[nodiscard]] std::span<const HandlerVariant> WarpVariants(
    Vectors machine = VectorsOfThisMachine());

/// Nothing where `machine` can run one of the variants; else what was built, and the remedy.
[[nodiscard]] std::optional<std::string> WhyNoHandlers(Vectors machine = VectorsOfThisMachine());

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_VARIANTS_H_
