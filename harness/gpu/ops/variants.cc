// SPDX-License-Identifier: Apache-2.0
#include "gpu/ops/variants.h"

#include <array>

namespace assay::gpu {

#if defined(__x86_64__)

namespace avx512 {
Handlers SelectArithmetic(const ptx::Instruction& instruction);
}
namespace avx2 {
Handlers SelectArithmetic(const ptx::Instruction& instruction);
}

std::span<const ArithmeticVariant> ArithmeticVariants() {
  static constexpr std::array<ArithmeticVariant, 2> kVariants{
      {{"avx512", avx512::SelectArithmetic}, {"avx2", avx2::SelectArithmetic}}};
  std::span<const ArithmeticVariant> variants(kVariants);
  if (__builtin_cpu_supports("x86-64-v4") != 0) {
    return variants;
  }
  return __builtin_cpu_supports("x86-64-v3") != 0 ? variants.subspan(1) : variants.subspan(2);
}

#else

namespace portable {
Handlers SelectArithmetic(const ptx::Instruction& instruction);
}

std::span<const ArithmeticVariant> ArithmeticVariants() {
  static constexpr std::array<ArithmeticVariant, 1> kVariants{
      {{"portable", portable::SelectArithmetic}}};
  return kVariants;
}

#endif

}  // namespace assay::gpu
