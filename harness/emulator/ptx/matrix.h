// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_MATRIX_H_
#define ASSAY_EMULATOR_PTX_MATRIX_H_

#include <cstdint>

#include "emulator/ptx/module.h"

namespace assay::gpu::ptx {

/// Whether PTX has the shape, the types and the layouts of an `mma` or `wmma`.
/// Source: PTX ISA 9.0, sections 9.7.14.1 to 9.7.14.5.
[[nodiscard]] bool IsMatrixOperation(const Instruction& instruction);

/// How many registers (of 64 bits for f64, of 32 for the rest) the fragment of a matrix takes in
/// each lane. `instruction`: one for which IsMatrixOperation holds.
[[nodiscard]] std::uint32_t FragmentElements(const Instruction& instruction, MatrixPart part);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_MATRIX_H_
