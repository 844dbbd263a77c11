// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_INPUT_CHANGES_H_
#define ASSAY_EXEC_INPUT_CHANGES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "exec/inputs.h"

namespace assay {

/// One entry a file that differs, by path: `<path> changed`, `<path> is new`, `<path> is gone`.
[[nodiscard]] std::vector<std::string> ChangesBetween(const FileDigests& then,
                                                      const FileDigests& now);

/// The same over all four parts.
[[nodiscard]] std::vector<std::string> ChangesBetween(const CellInputs& then,
                                                      const CellInputs& now);

/// The first of `changes`, which are not empty, and how many there are besides.
[[nodiscard]] std::string Summary(const std::vector<std::string>& changes);

/// What evidence was made from is kept beside it, so that a later run can say which file changed:
/// `<root>/reports/evidence/inputs/<digest>.txt` holds the text (ToText) whose SHA-256 the evidence
/// carries. Cells share them, and each proves itself.

/// Writes the texts of `inputs` that are not there yet.
[[nodiscard]] Status SaveInputs(const std::filesystem::path& root, const CellInputs& inputs);

/// Removes the texts that no evidence in `cells` names. What is there and not such a text stays:
/// Assay did not write it.
[[nodiscard]] Status RemoveUnusedInputs(const std::filesystem::path& root,
                                        const std::vector<Evidence>& cells);

/// What differs between what `evidence` was made from and `now`; nothing when its digests are those
/// of `now`. Of a part whose text is not kept, only that it changed; where none is, only that.
[[nodiscard]] std::vector<std::string> ChangesSince(const std::filesystem::path& root,
                                                    const Evidence& evidence,
                                                    const CellInputs& now);

}  // namespace assay

#endif  // ASSAY_EXEC_INPUT_CHANGES_H_
