// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PR_FINDINGS_H_
#define ASSAY_PR_FINDINGS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pr/change.h"

namespace assay {

/// A line of a submission's file.
struct Place {
  std::string file;  ///< Relative to the submission's folder; one of its files.
  int line = 0;      ///< From 1; 0: the file as a whole.
  int column = 0;    ///< From 1; 0: not known.
  bool operator==(const Place&) const = default;
};

/// Something that a tool said of a submission, at its place where one is known.
struct Finding {
  enum class Kind { kFault, kCompiler, kSanitizer, kDevice, kCase };
  Kind kind = Kind::kCompiler;
  CellId cell;
  Place place;
  std::string message;  ///< Hostile text.
};
/// `compile_error`, `sanitizer` and so on: the rules of SARIF.
[[nodiscard]] std::string_view ToString(Finding::Kind kind);

/// The first `file:line`, `file:line:column` or `file(line)` in `text` that has the name of one of
/// `files`, in whatever folder. `text` is hostile: what it names is nothing but a file of its own
/// submission.
[[nodiscard]] std::optional<Place> FindPlace(std::string_view text,
                                             const std::vector<std::string>& files);

/// All that is to be shown at lines of a cell, worst first: faults of its files, compile errors,
/// findings of sanitizers and of the emulated GPU's checkers, and the first failing case, which has
/// no line. At most `most` of each kind.
[[nodiscard]] std::vector<Finding> FindingsOf(const ChangedCell& cell, std::size_t most);

/// `submissions/<model>/<challenge>/<file>`.
[[nodiscard]] std::string PathOf(const Finding& finding);

/// The first gating case that failed; null when none did.
[[nodiscard]] const CaseEvidence* FirstFailingCase(const Evidence& evidence);

}  // namespace assay

#endif  // ASSAY_PR_FINDINGS_H_
