// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_WORDS_H_
#define ASSAY_EMULATOR_REPORT_WORDS_H_

#include <optional>
#include <string_view>

#include "emulator/report/finding.h"

namespace assay::gpu {

/// The words of JSON, `out_of_bounds` and so on: scripts rely on them, so they never change.
[[nodiscard]] std::string_view ToString(Checker checker);
[[nodiscard]] std::string_view ToString(FindingKind kind);
[[nodiscard]] std::string_view ToString(Severity severity);
[[nodiscard]] std::string_view ToString(AccessKind access);
[[nodiscard]] std::string_view ToString(MemorySpace space);

/// The value that `word` names; nothing when it names none. T is one of the types above.
template <class T>
[[nodiscard]] std::optional<T> FromWord(std::string_view word);

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_WORDS_H_
