// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_EXCHANGE_H_
#define ASSAY_CLIENT_EXCHANGE_H_

#include <cstddef>
#include <expected>
#include <optional>
#include <string>

#include "client/frames.h"
#include "client/invocation.h"
#include "client/layout.h"
#include "client/poison.h"

namespace assay {

/// Our mappings of the two arenas.
struct ArenaMemory {
  std::byte* inputs;
  std::byte* outputs;
};

/// Writes the inputs of a planned call, and poison wherever its host may write or has no business:
/// outputs, slack, the start of the save area.
void CopyIn(const Invocation& invocation, const CallPlan& plan, const Poison& poison,
            const ArenaMemory& memory);

/// Copies outputs to the caller's memory. First thing after a reply: what comes later is too late.
void CopyOutputs(const Invocation& invocation, const CallPlan& plan, const ArenaMemory& memory);

/// Copies what was saved, in order. `saved` has passed ParseReturn.
[[nodiscard]] SavedTensors CopySaved(const std::vector<SavedRange>& saved, const CallPlan& plan,
                                     const ArenaMemory& memory);

/// Where the host has written though it may not: around outputs, and between saved tensors.
/// Nothing when all is as it should be.
[[nodiscard]] std::optional<std::string> FindStrayWrite(const Invocation& invocation,
                                                        const CallPlan& plan,
                                                        const std::vector<SavedRange>& saved,
                                                        const Poison& poison,
                                                        const ArenaMemory& memory);

}  // namespace assay

#endif  // ASSAY_CLIENT_EXCHANGE_H_
