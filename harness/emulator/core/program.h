// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_CORE_PROGRAM_H_
#define ASSAY_EMULATOR_CORE_PROGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/step.h"
#include "emulator/core/warp.h"
#include "emulator/ptx/module.h"

namespace assay::gpu {

/// What reports need of a decoded instruction, and what counters are kept by.
struct InstructionInfo {
  std::string spelling;
  ptx::Opcode opcode = ptx::Opcode::kMov;
  ptx::Type type = ptx::Type::kNone;
  ptx::Space space = ptx::Space::kGeneric;
  ptx::SourceLine source;
  std::uint32_t ptx_line = 0;
  std::uint32_t basic_block = 0;
  std::uint64_t matrix_flops = 0;  ///< Of mma: a warp's operations.
  bool guarded = false;
};

/// A run of steps that is entered only at its first and left only at its last.
struct BasicBlock {
  std::uint32_t first_step = 0;
  std::uint32_t step_count = 0;
};

/// Shared memory behind a block's own that %reserved_smem_offset_1 names: the system's.
inline constexpr std::uint32_t kReservedSharedBytes = 1024;

/// (x, y, z) of the `linear`-th of `size` threads or blocks: x + size.x * (y + size.y * z).
[[nodiscard]] inline std::array<std::uint32_t, 3> IndexIn(const std::array<std::uint32_t, 3>& size,
                                                          std::uint64_t linear) {
  return {static_cast<std::uint32_t>(linear % size[0]),
          static_cast<std::uint32_t>(linear / size[0] % size[1]),
          static_cast<std::uint32_t>(linear / size[0] / size[1])};
}

/// What every byte of a register holds before anything is written to it.
inline constexpr int kRegisterPoison = 0xcd;

/// Constant lanes that a warp or block fills in when it starts.
struct SpecialPlace {
  ptx::SpecialRegister special = ptx::SpecialRegister::kTidX;
  std::uint32_t number = 0;        ///< Of %envreg.
  std::uint32_t offset_bytes = 0;  ///< In the register file.
  std::uint32_t width_bytes = 4;   ///< Of a lane: 2, 4 or 8.
};

/// A load whose value goes into selections alone (compilers load before they know whether it is
/// wanted). Lanes use it where one of the predicates, flipped, is true.
struct SelectedLoad {
  struct Choice {
    std::uint32_t predicate = 0;  ///< Offset in the register file.
    LaneMask flip = 0;
  };
  std::uint32_t instruction = 0;
  std::vector<Choice> choices = {};
};

/// A kernel with its calls inlined, ready to run. `full` and `masked` have equal indices.
struct Program {
  std::string name;  ///< Mangled.
  std::string demangled;
  std::vector<std::string> files;
  std::vector<Step> full;
  std::vector<Step> masked;
  std::vector<InstructionInfo> instructions;
  std::vector<BasicBlock> blocks;
  std::vector<std::vector<std::uint32_t>> long_operands;  ///< What Step::operands points into.
  std::uint32_t register_bytes = 0;                       ///< A warp's register file.
  std::uint32_t first_register = 0;                       ///< Bytes: where registers begin in it,
  std::uint32_t registers_end = 0;                        ///< and end; constants follow.
  std::vector<std::byte> initial_registers;               ///< Constants in place; the rest poison.
  bool reads_before_writes = false;  ///< Registers must be reset for each block.
  bool uses_reserved_shared = false;
  bool uses_heap = false;        ///< Calls malloc or free.
  bool order_sensitive = false;  ///< Its blocks run on one core, in schedule order.
  std::vector<SpecialPlace> specials;
  std::vector<SelectedLoad> selected_loads;  ///< In order of instruction.
  std::vector<std::string> refusals;         ///< By Step::immediate of what cannot be run.
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;
};

/// The index of `step`, which is in Program::full or Program::masked.
[[nodiscard]] std::uint32_t IndexOf(const Program& program, const Step* step);

/// Whether `lane` uses what it loads at `step`.
[[nodiscard]] bool UsesLoad(const Warp& warp, const Step& step, std::uint32_t lane);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_CORE_PROGRAM_H_
