// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_CHALLENGE_WORDS_H_
#define ASSAY_CLI_CHALLENGE_WORDS_H_

#include <string>
#include <vector>

#include "spec/repository.h"

namespace assay {

/// The challenges that `words` name, in the repository's order, each once; all of them when there
/// are no words. Errors: a word that names none, with the nearest name; every fault of a file of
/// those named. The pointers are into `loaded`.
[[nodiscard]] Checked<std::vector<const ChallengeSpec*>> SelectChallenges(
    const LoadedRepository& loaded, const std::vector<std::string>& words);

}  // namespace assay

#endif  // ASSAY_CLI_CHALLENGE_WORDS_H_
