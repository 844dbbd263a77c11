// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_ANCHORS_H_
#define ASSAY_EXEC_ANCHORS_H_

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"

namespace assay {

/// The evidence of a challenge's anchors, `<root>/reports/anchors/<challenge>/<anchor>.json`, by
/// name; empty where none are kept. Read and checked as that of a cell is (LoadEvidence): what
/// cannot be read, or contradicts itself, is an error of kind kConfiguration.
[[nodiscard]] Result<std::vector<Evidence>> LoadAnchors(const std::filesystem::path& root,
                                                        std::string_view challenge);

}  // namespace assay

#endif  // ASSAY_EXEC_ANCHORS_H_
