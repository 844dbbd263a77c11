// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_DIRECTIVES_H_
#define ASSAY_EMULATOR_PTX_DIRECTIVES_H_

#include "base/error.h"
#include "emulator/ptx/module.h"
#include "emulator/ptx/source.h"

namespace assay::gpu::ptx {

enum class DirectivesOf : std::uint8_t { kFunction, kPrototype };

/// Reads `.loc 1 20 3, function_name …, inlined_at 1 7 2` into `source.line` (Source::EnterLine):
/// the file and line that it begins with, or those of the caller of a toolkit's header.
[[nodiscard]] Status ParseLoc(Source& source);

/// `.pragma "nounroll";`
[[nodiscard]] Status SkipPragma(Source& source);

/// Reads what stands between the parameters of a function and its body or `;`: `.maxntid 256`,
/// `.noreturn`. Of a prototype (whose directives say nothing to `function`) also its `;`.
[[nodiscard]] Status ParseFunctionDirectives(Source& source, Function& function, DirectivesOf of);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_DIRECTIVES_H_
