// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_CORE_STEP_H_
#define ASSAY_EMULATOR_CORE_STEP_H_

#include <array>
#include <cstdint>

namespace assay::gpu {

inline constexpr std::uint32_t kWarpSize = 32;

/// Bit l: lane l.
using LaneMask = std::uint32_t;
inline constexpr LaneMask kAllLanes = 0xffffffffU;

struct Warp;
struct Step;

/// Executes `step` for the lanes of `warp` that are active and whose guard holds, and returns the
/// step to go on with (`step + 1`, or where a branch leads); nullptr: the warp has to stop, and
/// Warp::stop says why.
using Handler = const Step* (*)(Warp& warp, const Step* step);

/// An instruction decoded for execution: one cache line.
///
/// `operand[i]` is where the i-th operand, in the order in which PTX writes them and with vectors
/// laid out flat, starts in Warp::registers: a register, or constant lanes for an immediate or a
/// special register, in the width that the instruction reads. A value of b bits takes 32·b/8
/// bytes, lane 0 first (16-bit registers 64 bytes, 32-bit 128, 64-bit 256); a predicate is one
/// LaneMask. An address `[%rd+8]` is the offset of its base register (of constant zeros of 64
/// bits when there is none) and 8, or the variable's address, in `immediate`. A second address in
/// one instruction (the source of cp.async) takes two operands: its base, and constant lanes of 64
/// bits of what the first has in `immediate`. A sink `_` is a register that nobody reads. More than
/// five operands: all of them are at `operands`.
struct alignas(64) Step {
  Handler run = nullptr;
  std::array<std::uint32_t, 5> operand{};
  std::uint32_t guard = 0;        ///< Where the guard's LaneMask is; of constant ones without one.
  LaneMask guard_flip = 0;        ///< All ones for `@!p`.
  std::uint32_t instruction = 0;  ///< Index into Program::instructions.
  std::uint64_t immediate = 0;
  const std::uint32_t* operands = nullptr;
};
static_assert(sizeof(Step) == 64);

/// The two forms of an instruction. `full` may assume that all 32 lanes are active and there is
/// no guard; `masked` looks at Warp::active and the guard. Both null: not supported.
struct Handlers {
  Handler full = nullptr;
  Handler masked = nullptr;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_CORE_STEP_H_
