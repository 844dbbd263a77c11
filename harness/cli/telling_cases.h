// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_TELLING_CASES_H_
#define ASSAY_CLI_TELLING_CASES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.h"
#include "score/signatures.h"

namespace assay {

/// The cases of a suite that say most about a submission, at most `most` of `cases`, which is the
/// whole suite, and in its order: first those that find the known bugs, each one that finds nearly
/// the most of the bugs that no case before it finds, of several the first: suites go from simple
/// to hard; then one of each group of cases that has none yet. Without
/// signatures, one of each group.
///
/// `tried` are cases that ran already. They are not chosen again, and what one of them that was not
/// skipped finds needs no other; a skipped one, whose operation the submission lacks, finds
/// nothing.
[[nodiscard]] std::vector<std::string> ChooseTellingCases(
    const std::vector<std::string>& cases, const std::optional<Signatures>& signatures,
    const std::vector<CaseEvidence>& tried, std::size_t most);

/// `Edge/f32` of `Edge/f32.NanInX`.
[[nodiscard]] std::string_view GroupOf(std::string_view name);

/// Those of `cases` that `pattern` means: a name, or one with `*` and `?`.
[[nodiscard]] std::vector<std::string> CasesMatching(const std::vector<std::string>& cases,
                                                     const std::string& pattern);

}  // namespace assay

#endif  // ASSAY_CLI_TELLING_CASES_H_
