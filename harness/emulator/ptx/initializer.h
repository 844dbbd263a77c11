// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_INITIALIZER_H_
#define ASSAY_EMULATOR_PTX_INITIALIZER_H_

#include <cstdint>
#include <span>

#include "base/error.h"
#include "emulator/ptx/module.h"
#include "emulator/ptx/source.h"

namespace assay::gpu::ptx {

/// Fills in each of `dimensions` but the first that is left open, as 0: with the elements of the
/// first list that stands for it in the initialiser at which `lexer` is. `a[][] = {{1, 2}, {3,
/// 4}}`.
void CountInnerDimensions(Lexer lexer, std::span<std::uint64_t> dimensions);

/// Reads what stands behind the `=` of a variable of `variable.type` into its `initial` and
/// `addresses`. `dimensions`: the elements in each dimension, the first 0 when it is to be counted;
/// empty for a scalar. Returns how many elements the first dimension has.
/// Numbers, nested braces, symbols with offsets, generic(), and masks such as 0xFF00(symbol) of
/// which eight in a row are an address. Source: PTX ISA 9.0, section 5.4.4.
[[nodiscard]] Result<std::uint64_t> ParseInitializer(Source& source,
                                                     std::span<const std::uint64_t> dimensions,
                                                     Variable& variable);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_INITIALIZER_H_
