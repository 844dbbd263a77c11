// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "emulator/ops/built_variants.h"

namespace assay::gpu {

#define ASSAY_GPU_DECLARE(isa, vectors)                       \
  namespace isa {                                             \
  Handlers SelectMemory(const ptx::Instruction& instruction); \
  }
ASSAY_GPU_EACH_ISA(ASSAY_GPU_DECLARE)

std::span<const HandlerVariant> MemoryVariants(Vectors machine) {
#define ASSAY_GPU_VARIANT(isa, vectors) {#isa, vectors, isa::SelectMemory},
  static constexpr auto kBuilt =
      std::to_array<HandlerVariant>({ASSAY_GPU_EACH_ISA(ASSAY_GPU_VARIANT)});
  return RunnableOf(kBuilt, machine);
}

}  // namespace assay::gpu
