// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_FLATTEN_H_
#define ASSAY_EMULATOR_EXEC_FLATTEN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "emulator/ptx/module.h"

namespace assay::gpu {

/// A function that device code calls and the emulator provides.
enum class Builtin : std::uint8_t { kNone, kPrintf, kAssert, kMalloc, kFree };

enum class FlatKind : std::uint8_t {
  kOrdinary,     ///< A handler of ops/ runs it.
  kBranch,       ///< To targets[0]; with a guard, else on.
  kBranchTable,  ///< brx.idx: operand 0 chooses among targets.
  kTrap,         ///< trap, brkpt.
  kExit,         ///< exit, or ret of the kernel.
  kBarrier,      ///< bar.*, barrier.*
  kBuiltin,      ///< `builtin`; arguments and result are in local memory at `slots`.
  kRefuse,       ///< Ends the launch with `refusal`: what cannot be run, if it is ever reached.
};

struct FlatInstruction {
  FlatKind kind = FlatKind::kOrdinary;
  ptx::Instruction ptx = {};                ///< Register operands index FlatKernel::registers.
  std::vector<std::uint32_t> targets = {};  ///< Indices of instructions.
  Builtin builtin = Builtin::kNone;
  std::vector<std::uint32_t> slots = {};  ///< Local offsets: result first, then arguments.
  std::string refusal = {};
};

/// A kernel without calls: every function it calls is inlined, each time anew; variables are
/// addresses; parameters of calls are local memory.
struct FlatKernel {
  std::vector<ptx::Type> registers;
  std::vector<FlatInstruction> instructions;
  std::uint32_t static_shared_bytes = 0;  ///< Dynamic shared memory starts here.
  std::uint32_t local_bytes = 0;          ///< A thread's.
};

/// Where module variables and functions are, for code that takes their addresses.
struct ModuleAddresses {
  std::function<std::optional<std::uint64_t>(std::string_view name)> variable;
  std::function<std::optional<std::uint64_t>(std::string_view name)> function;
};

/// Offsets of a kernel's parameters in its parameter block, and its size (last element).
[[nodiscard]] std::vector<std::uint32_t> ParameterOffsets(const ptx::Function& kernel);

/// Where an error at `instruction` is: `file.cu:12`, or its line of PTX where no source is known.
[[nodiscard]] std::string PlaceOf(const ptx::Module& module, const ptx::Instruction& instruction);

/// Errors (kConfiguration) name the kernel and the source line: recursion, a call of an unknown
/// function, an instruction that is not supported, code past 2 million instructions.
[[nodiscard]] Result<FlatKernel> Flatten(const ptx::Module& module, const ptx::Function& kernel,
                                         const ModuleAddresses& addresses);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_FLATTEN_H_
