// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_CHALLENGE_OF_FOLDER_H_
#define ASSAY_CLI_CHALLENGE_OF_FOLDER_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "spec/challenge_spec.h"

namespace assay {

/// Which of `challenges` the submission in `folder` answers: the one that is `named`; else the one
/// that the folder is called after, as below submissions/<model>/; else the one of whose functions
/// its files name most. An error of kind kConfiguration where none of that says it.
[[nodiscard]] Result<ChallengeSpec> ChallengeOfFolder(const std::filesystem::path& folder,
                                                      const std::vector<ChallengeSpec>& challenges,
                                                      const std::optional<std::string>& named);

}  // namespace assay

#endif  // ASSAY_CLI_CHALLENGE_OF_FOLDER_H_
