// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_COMPARE_TEXT_H_
#define ASSAY_CLI_COMPARE_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "score/challenge_view.h"

namespace assay {

/// What RenderCompare says (report/report.h), as columns for a terminal: a line for each dimension
/// and criterion, then who wins. The same errors.
[[nodiscard]] Result<std::string> CompareText(const std::vector<Evidence>& cells,
                                              const Challenges& challenges,
                                              std::string_view model_a, std::string_view model_b);

}  // namespace assay

#endif  // ASSAY_CLI_COMPARE_TEXT_H_
