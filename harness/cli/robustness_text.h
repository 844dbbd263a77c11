// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_ROBUSTNESS_TEXT_H_
#define ASSAY_CLI_ROBUSTNESS_TEXT_H_

#include <string>
#include <vector>

#include "evidence/evidence.h"
#include "score/challenge_view.h"

namespace assay {

/// How well the rankings hold, in columns, and how often each row tells two submissions apart.
[[nodiscard]] std::string RobustnessText(const std::vector<Evidence>& cells,
                                         const Challenges& challenges, int weight_draws);

}  // namespace assay

#endif  // ASSAY_CLI_ROBUSTNESS_TEXT_H_
