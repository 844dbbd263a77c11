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

/// What cells of the same judge say of its cases must agree: each is held against those before it,
/// and the first difference of each that differs is named, at its place below `root`.
[[nodiscard]] Errors CheckAgainstEachOther(const std::filesystem::path& root,
                                           const std::vector<Evidence>& cells);

/// Replaces the evidence of its cell as one step. A signature of what was there goes first.
[[nodiscard]] Status SaveEvidence(const std::filesystem::path& root, const Evidence& evidence);

/// Whether the evidence of `cell` could be written: asked before minutes are spent on measuring it.
/// Creates its folder. An error of kind kConfiguration names the folder, the cause and the remedy.
[[nodiscard]] Status CheckEvidenceWritable(const std::filesystem::path& root, const CellId& cell);

/// All evidence below `reports/evidence/`, by challenge, then model, and what cannot be read or is
/// contradicted, by itself or by the evidence of another model.
struct StoredEvidence {
  std::vector<Evidence> cells;
  Errors faults;
};
[[nodiscard]] StoredEvidence LoadAllEvidence(const std::filesystem::path& root);

/// Why `evidence` does not stand for grading the cell now, in a few words; nothing when it does.
/// `changes` are those of what it was made from (ChangesSince). `now` is the environment that
/// grading would have; its seed counts only when one is asked for.
[[nodiscard]] std::optional<std::string> WhyStale(const Evidence& evidence,
                                                  const std::vector<std::string>& changes,
                                                  const Environment& now,
                                                  std::optional<std::uint64_t> seed);

}  // namespace assay

#endif  // ASSAY_EXEC_EVIDENCE_STORE_H_
