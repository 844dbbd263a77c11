// SPDX-License-Identifier: Apache-2.0
#include "emulator/ops/variants.h"

#include <fmt/format.h>

#include <array>

#include "emulator/ops/built_variants.h"

namespace assay::gpu {

#define ASSAY_GPU_DECLARE(isa, vectors)                           \
  namespace isa {                                                 \
  Handlers SelectArithmetic(const ptx::Instruction& instruction); \
  }
ASSAY_GPU_EACH_ISA(ASSAY_GPU_DECLARE)

namespace {

#define ASSAY_GPU_VARIANT(isa, vectors) {#isa, vectors, isa::SelectArithmetic},
constexpr auto kBuilt = std::to_array<HandlerVariant>({ASSAY_GPU_EACH_ISA(ASSAY_GPU_VARIANT)});

}  // namespace

Vectors VectorsOfThisMachine() {
  if (__builtin_cpu_supports("x86-64-v4") != 0) {
    return Vectors::kAvx512;
  }
  if (__builtin_cpu_supports("x86-64-v3") != 0) {
    return Vectors::kAvx2;
  }
  return Vectors::kAny;
}

std::span<const HandlerVariant> ArithmeticVariants(Vectors machine) {
  return RunnableOf(kBuilt, machine);
}

std::optional<std::string> WhyNoHandlers(Vectors machine) {
  if (!RunnableOf(kBuilt, machine).empty()) {
    return std::nullopt;
  }
  std::string built;
  for (const HandlerVariant& variant : kBuilt) {
    built += (built.empty() ? "" : " or ") + std::string(variant.name);
  }
  return fmt::format(
      "the emulated GPU was built for machines with {}, which this one has not: configure on this "
      "machine, or with -DASSAY_GPU_ISAS=ALL, and build again (AVX2 is the least that will do)",
      built);
}

}  // namespace assay::gpu
