// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PR_ASSESS_H_
#define ASSAY_PR_ASSESS_H_

#include <optional>
#include <string>
#include <vector>

#include "pr/change.h"
#include "score/challenge_view.h"

namespace assay {

/// What makes `assay pr` end with 1.
enum class ChangeGate {
  kNone,
  kCorrectness,  ///< A cell that was accepted and no longer is; a new one that is not accepted.
  kPerformance,  ///< And a row of times that is worse beyond chance than the base's.
};

/// Places that a score holds in an order: several where others have the same score.
struct Standing {
  int best = 0;  ///< From 1.
  int worst = 0;
  int entrants = 0;  ///< That have a place.
  bool operator==(const Standing&) const = default;
};

/// A row of the rubric that differs from the base's beyond its tie and beyond noise.
struct MovedRow {
  std::string title;
  std::string before;  ///< Values as tables print them. Hostile text.
  std::string after;
  bool is_better = false;
};

struct AssessedCell {
  const ChangedCell* cell = nullptr;
  std::string title;  ///< Of the challenge.
  std::optional<Verdict> before;
  std::optional<Verdict> after;
  std::optional<double> score_before;
  std::optional<double> score_after;
  std::optional<Standing> standing_before;
  std::optional<Standing> standing_after;
  std::vector<MovedRow> moved;
  std::vector<std::string> newly_failing;  ///< Gating cases, by name.
  std::vector<std::string> newly_passing;
  int uncompared_times = 0;    ///< Rows of times that cannot be compared.
  std::string why_uncompared;  ///< `timed on machines of different classes`
  std::string gate_failure;    ///< Why the gate fails; empty: it does not.
};

struct Assessment {
  std::vector<AssessedCell> cells;  ///< In the order of the change's; gate failures first.
  int graded = 0;
  int accepted = 0;
  int judge_errors = 0;
  int removed = 0;
  /// Of the one cell, or the one model over all challenges; nothing where the change is of more.
  std::optional<Standing> standing_before;
  std::optional<Standing> standing_after;
  bool gate_holds = true;
};

/// What came of `change`. `before` is all evidence of the base, `after` the same with what was
/// graded now in its place and what was removed left out; `challenges` are the judge's. The result
/// points into `change`.
[[nodiscard]] Assessment Assess(const Change& change, const Challenges& challenges,
                                const std::vector<Evidence>& before,
                                const std::vector<Evidence>& after, ChangeGate gate);

/// `accepted 3 of 3, 1 removed, rank 2 to 3 of 7, +1`.
[[nodiscard]] std::string VerdictLine(const Assessment& assessment);

/// `2 to 3 of 7, +1`; `4 of 7, new`; `—` without one.
[[nodiscard]] std::string StandingText(const std::optional<Standing>& before,
                                       const std::optional<Standing>& after);

}  // namespace assay

#endif  // ASSAY_PR_ASSESS_H_
