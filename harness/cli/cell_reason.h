// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_CELL_REASON_H_
#define ASSAY_CLI_CELL_REASON_H_

#include <string>

#include "evidence/evidence.h"

namespace assay {

/// Why a cell is not accepted, in one line for a terminal: the compiler's first error, or the
/// failing case and what it said. Empty for an accepted one. Cut short, without control characters.
[[nodiscard]] std::string ReasonOf(const Evidence& evidence);

}  // namespace assay

#endif  // ASSAY_CLI_CELL_REASON_H_
