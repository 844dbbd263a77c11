// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_EVIDENCE_STORE_H_
#define ASSAY_EXEC_EVIDENCE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "spec/repository.h"

namespace assay {

/// The evidence of one cell, or nothing when it was never graded. A file that cannot be read, that
/// speaks of another cell than its place says, or that says what does not follow from its own cases
/// and samples (evidence/consistency.h), is an error of kind kConfiguration.
[[nodiscard]] Result<std::optional<Evidence>> LoadEvidence(const std::filesystem::path& root,
                                                           const CellId& cell);

inline constexpr std::size_t kLargestEvidence_bytes = std::size_t{64} << 20;

/// The same of `json`, which stands, or will stand, at `path`.
[[nodiscard]] Result<Evidence> ParseEvidence(std::string_view json,
                                             const std::filesystem::path& path, const CellId& cell);

/// Evidence that does not hold: it cannot be read, or it is contradicted, by itself or by that of
/// another model.
struct UnsoundEvidence {
  CellId cell;
  Error fault;  ///< With the file, the cause and the remedy.
};
[[nodiscard]] Errors FaultsOf(const std::vector<UnsoundEvidence>& unsound);

/// What cells of the same judge say of its cases must agree. Where they do not, what most of them
/// say holds, of as many the first; of each other its first difference is named, at its place below
/// `root`. In the order of `cells`.
[[nodiscard]] std::vector<UnsoundEvidence> CheckAgainstEachOther(
    const std::filesystem::path& root, const std::vector<Evidence>& cells);

/// Replaces the evidence of its cell as one step. A signature of what was there goes first.
[[nodiscard]] Status SaveEvidence(const std::filesystem::path& root, const Evidence& evidence);

/// Whether the evidence of `cell` could be written: asked before minutes are spent on measuring it.
/// Creates its folder. An error of kind kConfiguration names the folder, the cause and the remedy.
[[nodiscard]] Status CheckEvidenceWritable(const std::filesystem::path& root, const CellId& cell);

/// What `folder`, of evidence or anchors, holds, sorted; nothing where it is not there. One that
/// cannot be listed is an error of kind kConfiguration: whoever took what it holds for gone would
/// remove what was made of it.
[[nodiscard]] Result<std::vector<std::filesystem::path>> ListEvidenceFolder(
    const std::filesystem::path& folder);

/// All evidence below `reports/evidence/`, by challenge, then model. An error is a folder that
/// cannot be listed (ListEvidenceFolder).
struct StoredEvidence {
  std::vector<Evidence> cells;  ///< What holds.
  std::vector<UnsoundEvidence> unsound;
};
[[nodiscard]] Result<StoredEvidence> LoadAllEvidence(const std::filesystem::path& root);

/// The same of one challenge. LoadEvidence of one cell does not see what other models' contradicts.
[[nodiscard]] Result<StoredEvidence> LoadChallengeEvidence(const std::filesystem::path& root,
                                                           const std::string& challenge);

/// Why `evidence` does not stand for grading the cell now, in a few words; nothing when it does.
/// `changes` are those of what it was made from (ChangesSince). `now` is the environment that
/// grading would have; its seed counts only when one is asked for.
[[nodiscard]] std::optional<std::string> WhyStale(const Evidence& evidence,
                                                  const std::vector<std::string>& changes,
                                                  const Environment& now,
                                                  std::optional<std::uint64_t> seed);

}  // namespace assay

#endif  // ASSAY_EXEC_EVIDENCE_STORE_H_
