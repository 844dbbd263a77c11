// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_DEPLOY_FOLDER_H_
#define ASSAY_CLI_DEPLOY_FOLDER_H_

#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/submission_stub.h"
#include "spec/challenge_spec.h"

namespace assay {

/// What a model is given of a challenge, by path relative to the challenge's folder: `README.md`,
/// `PROMPT.md`, `interface.h`, and below `answer/` a stub with one test and the sheet of questions.
/// `prompt` and `interface_header` are the contents of those files; nothing else of the challenge
/// is in it but what challenge.yaml asks. interface.h stands alone when submissions are compiled,
/// so that no other header belongs to it.
[[nodiscard]] Result<FileContents> DeployedFiles(const ChallengeSpec& challenge,
                                                 std::string_view model, std::string_view prompt,
                                                 std::string_view interface_header);

}  // namespace assay

#endif  // ASSAY_CLI_DEPLOY_FOLDER_H_
