// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_VARIABLES_H_
#define ASSAY_EMULATOR_PTX_VARIABLES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "emulator/ptx/module.h"
#include "emulator/ptx/source.h"

namespace assay::gpu::ptx {

/// A variable and its name in the text, which its renaming in a nested scope may change.
struct DeclaredVariable {
  Variable variable;
  std::string_view name;
  bool is_initialised = false;  ///< With an `=`, if only of `{}`.
};

/// The space that `.global`, `.shared`, `.local`, `.const` or `.param` names; Space::kGeneric for
/// every other directive.
[[nodiscard]] Space SpaceOf(std::string_view directive);

/// Reads a declaration from behind its space to behind its `;`:
/// `.align 4 .b8 a[4] = {1, 2}, b;`. Nothing is allocated but the initialisers listed.
[[nodiscard]] Result<std::vector<DeclaredVariable>> ParseVariables(Source& source, Space space);

/// Reads `(.param .b64 a, .param .align 8 .b8 b[16])`, from the parenthesis on.
[[nodiscard]] Result<std::vector<DeclaredVariable>> ParseParameters(Source& source);

/// Reads `.b32`; an error for what is no type.
[[nodiscard]] Result<Type> ParseType(Source& source);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_VARIABLES_H_
