// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_SHELL_WORD_H_
#define ASSAY_CLI_SHELL_WORD_H_

#include <string>

namespace assay {

/// `word` as a shell takes it for one word: in quotes, unless it is plain.
[[nodiscard]] std::string ShellWord(const std::string& word);

}  // namespace assay

#endif  // ASSAY_CLI_SHELL_WORD_H_
