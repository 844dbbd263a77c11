// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_LOOKUP_H_
#define ASSAY_REPORT_LOOKUP_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "score/challenge_view.h"

/// Things that a person asks for by name. What is not there is an error of kind kConfiguration
/// that lists what is.
namespace assay {

/// Index of the criterion of that id.
[[nodiscard]] Result<std::size_t> FindCriterionIndex(const ChallengeView& challenge,
                                                     std::string_view id);

/// Whether both are models of `cells`, and not the same one.
[[nodiscard]] Status CheckModels(const std::vector<Evidence>& cells, std::string_view a,
                                 std::string_view b);

}  // namespace assay

#endif  // ASSAY_REPORT_LOOKUP_H_
