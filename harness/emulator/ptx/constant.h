// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_CONSTANT_H_
#define ASSAY_EMULATOR_PTX_CONSTANT_H_

#include <cstdint>

#include "base/error.h"
#include "emulator/ptx/source.h"

namespace assay::gpu::ptx {

/// A number. `type` is kS64 or kU64 (`bits` in two's complement), kF32 (32 bits) or kF64; of
/// ConvertFloat also kF16 or kBf16 (16 bits).
struct Constant {
  Type type = Type::kS64;
  std::uint64_t bits = 0;
};

/// Whether a constant expression can begin with the present token.
[[nodiscard]] bool StartsConstant(const Lexer& lexer);

/// Reads a constant expression: numbers, + - * / % << >> & | ^ ~ ! && || comparisons, ?: and casts.
/// Source: PTX ISA 9.0, section 4.5.
[[nodiscard]] Result<Constant> ParseConstant(Source& source);

/// `constant` rounded to nearest even where `to` is .f16, .bf16, .f32 or .f64 and it is a float.
[[nodiscard]] Constant ConvertFloat(Constant constant, Type to);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_CONSTANT_H_
