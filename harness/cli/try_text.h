// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_TRY_TEXT_H_
#define ASSAY_CLI_TRY_TEXT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/colour.h"
#include "cli/try_run.h"

namespace assay {

/// What a person is told of a try, as lines for a terminal: the build, what is wrong with its
/// symbols, how the cases ended, and of those that failed the one that is quickest to understand.
/// `again` is the command line that tries the same folder.
[[nodiscard]] std::string RenderTry(const TryOutcome& outcome, const std::string& again,
                                    Colour colour);

[[nodiscard]] nlohmann::json TryToJson(const TryOutcome& outcome);

/// The failing case to look at first: one whose calls were made short, else the one that was over
/// soonest; of equal ones the first. Null when none failed.
[[nodiscard]] const CaseEvidence* FirstToLookAt(const std::vector<CaseEvidence>& cases);

/// What became different since the try before, a line each: `builds again`, `now right: Edge.Nan`,
/// `now wrong: …`. Empty when nothing did.
[[nodiscard]] std::vector<std::string> DifferencesBetween(const TryOutcome& before,
                                                          const TryOutcome& after);

}  // namespace assay

#endif  // ASSAY_CLI_TRY_TEXT_H_
