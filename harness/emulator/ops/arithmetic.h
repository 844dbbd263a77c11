// SPDX-License-Identifier: Apache-2.0
// The parts of SelectArithmetic: each answers for its own, with nulls for anything else.
#ifndef ASSAY_EMULATOR_OPS_ARITHMETIC_H_
#define ASSAY_EMULATOR_OPS_ARITHMETIC_H_

#include "emulator/ops/lanes.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ASSAY_GPU_ISA {

Handlers SelectInteger(const ptx::Instruction& instruction);       // integer_ops.cc
Handlers SelectCarry(const ptx::Instruction& instruction);         // carry_ops.cc
Handlers SelectDivide(const ptx::Instruction& instruction);        // divide_ops.cc: integers
Handlers SelectLogic(const ptx::Instruction& instruction);         // logic_ops.cc
Handlers SelectBits(const ptx::Instruction& instruction);          // bit_ops.cc
Handlers SelectFloat(const ptx::Instruction& instruction);         // float_ops.cc: f32, f64
Handlers SelectHalf(const ptx::Instruction& instruction);          // half_ops.cc: f16, bf16
Handlers SelectCompare(const ptx::Instruction& instruction);       // compare_ops.cc
Handlers SelectConvert(const ptx::Instruction& instruction);       // convert_ops.cc: cvt
Handlers SelectConvertFloat(const ptx::Instruction& instruction);  // convert_float_ops.cc
Handlers SelectMove(const ptx::Instruction& instruction);          // move_ops.cc
Handlers SelectMath(const ptx::Instruction& instruction);          // math_ops.cc: approximations

/// The part of SelectHalf for set and setp: half_compare_ops.cc.
Handlers SelectHalfComparison(const ptx::Instruction& instruction);

}  // namespace assay::gpu::ASSAY_GPU_ISA

#endif  // ASSAY_EMULATOR_OPS_ARITHMETIC_H_
