// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_MUTANT_HOMES_H_
#define ASSAY_EXEC_MUTANT_HOMES_H_

#include <filesystem>
#include <optional>
#include <string_view>

#include "score/signatures.h"
#include "spec/checked.h"
#include "spec/rubric.h"

namespace assay {

/// `<root>/reference/<challenge>/mutants.yaml`.
[[nodiscard]] std::filesystem::path MutantHomesPath(const std::filesystem::path& root,
                                                    std::string_view challenge);

/// The home of each mutant that has a signature: a criterion of `rubric` that counts cases and has
/// a weight. A challenge without signatures needs no file. Everything that is wrong is named with
/// its line: a criterion that is none, a mutant without a home, the home of a mutant that is not
/// there.
[[nodiscard]] Checked<MutantHomes> LoadMutantHomes(const std::filesystem::path& root,
                                                   const Rubric& rubric,
                                                   const std::optional<Signatures>& signatures);

}  // namespace assay

#endif  // ASSAY_EXEC_MUTANT_HOMES_H_
