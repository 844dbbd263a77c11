// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_SYMBOL_ADVICE_H_
#define ASSAY_CLI_SYMBOL_ADVICE_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spec/challenge_spec.h"

namespace assay {

/// What the object of one source defines, names as they stand there (build/entry_points.h).
struct SourceSymbols {
  std::string source;
  std::set<std::string, std::less<>> defined;
};

/// What keeps one of a challenge's functions from being found.
struct SymbolAdvice {
  EntryPoint entry_point;
  std::string text;  ///< One line. Holds names from the submission: hostile text.
  bool operator==(const SymbolAdvice&) const = default;
};

/// For each required function that no source defines, with the name that was likely meant for it;
/// and for any that is defined as C++, so that its name is mangled.
[[nodiscard]] std::vector<SymbolAdvice> AdviseOnSymbols(const ChallengeSpec& challenge,
                                                        const std::vector<SourceSymbols>& sources);

/// The names inside a mangled one: `ops` and `ln_forward` of `_ZN3ops10ln_forwardEPKf`.
[[nodiscard]] std::vector<std::string> NamesInMangled(std::string_view symbol);

}  // namespace assay

#endif  // ASSAY_CLI_SYMBOL_ADVICE_H_
