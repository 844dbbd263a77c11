// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_PARSER_H_
#define ASSAY_EMULATOR_PTX_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ptx {

// What a module may have at most. Each is an error by name when passed; memory stays within some
// hundred times the text, whatever sizes the text declares.
inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kMaxInstructions = std::size_t{1} << 22U;  ///< Of a module.
inline constexpr std::size_t kMaxOperands = 32;                         ///< Of an instruction.
inline constexpr std::size_t kMaxListed = 1024;                         ///< In one {…} or (…).
inline constexpr std::size_t kMaxScopes = 64;                           ///< Nested `{`.
inline constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 40U;
inline constexpr std::uint64_t kMaxInitialBytes = std::uint64_t{64} << 20U;  ///< Of a variable.
inline constexpr std::uint32_t kMaxAlignBytes = 1U << 16U;
inline constexpr std::uint32_t kMaxRegistersOfName = 1U << 24U;  ///< `%r<n>`; only used ones count.
inline constexpr std::uint32_t kMaxFiles = 1U << 16U;

/// Reads PTX of ISA 6.0 to 9.0. `name` stands in errors for the text, which the result does not
/// point into.
///
/// An instruction that the emulated GPU does not have does not fail the module: it becomes
/// Opcode::kUnsupported, so that kernels that do not reach it run. Text that is no PTX is an
/// error: `where` is `name:line` of the text, the cause names the instruction and, where a `.loc`
/// is in force, the CUDA file and line. Pure and thread-safe; time is linear in the text.
/// Source: PTX ISA 9.0.
[[nodiscard]] Result<Module> Parse(std::string_view text, std::string_view name);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_PARSER_H_
