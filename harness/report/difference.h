// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_DIFFERENCE_H_
#define ASSAY_REPORT_DIFFERENCE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "evidence/evidence.h"
#include "score/challenge_view.h"
#include "score/ranking.h"

/// What differs between two sets of evidence, and what moved it. Both are scored by the same
/// rubrics. Names and values are hostile text.
namespace assay {

/// What a cell's evidence was made from, part by part, and chance.
enum class DifferenceCause {
  kSubmission,
  kChallenge,
  kReference,
  kHarness,
  kCompiler,
  kMachine,
  kSandbox,
  kSeed,
  kChance,  ///< All else is the same: what a clock gave.
  kOthers,  ///< Its evidence is the same: its rank is among other scores.
};
/// `submission`, `challenge`, `reference`, `harness`, `compiler`, `machine`, `sandbox`, `seed`,
/// `chance`, `other cells`.
[[nodiscard]] std::string_view ToString(DifferenceCause cause);

/// A row that prints another value, or has another score.
struct RowDifference {
  std::string title;
  std::string before;  ///< As tables print it.
  std::string after;
  double points = 0;  ///< Of the overall score: share * score, after less before.
  /// Both are times whose intervals overlap: nobody knows that it moved.
  enum class Certainty { kMoved, kWithinNoise };
  Certainty certainty = Certainty::kMoved;
};

/// What is published of a cell, or of a model over all challenges.
struct PublishedNumbers {
  std::optional<Verdict> verdict;  ///< Of a cell.
  std::optional<double> score;
  std::optional<double> uncertainty;
  std::optional<RankInterval> ranks;
  bool operator==(const PublishedNumbers&) const = default;
};

struct CellDifference {
  std::string model;
  std::string model_name;
  std::string challenge;
  std::string title;                       ///< Of the challenge.
  std::optional<PublishedNumbers> before;  ///< None: it was not there.
  std::optional<PublishedNumbers> after;   ///< None: it is gone.
  std::vector<DifferenceCause> causes;     ///< Empty where there is no before or after.
  std::vector<RowDifference> rows;         ///< By points, the most first.
};

struct ModelDifference {
  std::string model;
  std::string model_name;
  std::optional<PublishedNumbers> before;
  std::optional<PublishedNumbers> after;
};

struct EvidenceDifference {
  std::vector<CellDifference> cells;    ///< By challenge, then model; those that differ.
  std::vector<ModelDifference> models;  ///< By id; those whose numbers differ.
  int same = 0;                         ///< Cells of which every number and row is the same.
};

[[nodiscard]] EvidenceDifference FindDifference(const std::vector<Evidence>& before,
                                                const std::vector<Evidence>& after,
                                                const Challenges& challenges);

/// Whether a number that reports lead with differs: a verdict, a score, a rank; of rows alone it
/// does not.
[[nodiscard]] bool ChangesPublished(const EvidenceDifference& difference);

/// For a terminal: what differs, cell by cell, with the rows that moved most.
[[nodiscard]] std::string DifferenceText(const EvidenceDifference& difference);
/// Indented JSON with a final line break.
[[nodiscard]] std::string DifferenceJson(const EvidenceDifference& difference);

/// What `reports/CHANGES.md` begins with, whoever writes below it.
inline constexpr std::string_view kChangesMark = "<!-- Kept by `assay grade`";
/// `existing`, or a new page where there is none, with an entry for `difference` above those there
/// are. `when` and `whose` head it: a time, a version. Fails where `existing` is no such page.
[[nodiscard]] Result<std::string> WithChangesEntry(const std::optional<std::string>& existing,
                                                   const EvidenceDifference& difference,
                                                   std::string_view when, std::string_view whose);

}  // namespace assay

#endif  // ASSAY_REPORT_DIFFERENCE_H_
