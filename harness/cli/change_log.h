// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_CHANGE_LOG_H_
#define ASSAY_CLI_CHANGE_LOG_H_

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "score/challenge_view.h"

namespace assay {

/// Path of the log, relative to `reports/`.
inline constexpr std::string_view kChangesPage = "CHANGES.md";

/// Whether a change of evidence was written to the log.
enum class ChangesLogged { kYes, kNo };

/// Adds an entry to `reports/CHANGES.md` below `root` where `after` publishes a verdict, a score or
/// a rank that `before` did not. The first evidence of all changes nothing. The file is replaced as
/// one step; one that Assay did not write is an error, and stays as it is.
[[nodiscard]] Result<ChangesLogged> LogChanges(const std::filesystem::path& root,
                                               const std::vector<Evidence>& before,
                                               const std::vector<Evidence>& after,
                                               const Challenges& challenges);

}  // namespace assay

#endif  // ASSAY_CLI_CHANGE_LOG_H_
