// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_PUBLISHED_CALIBRATION_H_
#define ASSAY_PUBLISHED_CALIBRATION_H_

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "published/study.h"
#include "report/board.h"

namespace assay {

/// One criterion of a published row, as a measured matchup has it.
struct MeasuredCriterion {
  const Criterion* criterion = nullptr;
  RowEdge edge = RowEdge::kNone;  ///< As in the study's order of the two models.
  CriterionValue a;
  CriterionValue b;
};
/// Whether it has a say in the edge of its row: it is ahead, behind or a tie.
[[nodiscard]] bool HasEdge(const MeasuredCriterion& one);

/// A published row beside what is measured. Which criteria a row has was written down before their
/// edges were counted; nothing here changes a score.
struct CalibratedRow {
  const PublishedRow* row = nullptr;
  std::vector<MeasuredCriterion> criteria;  ///< Empty where a model has no cell.
  /// The side with more of the criteria that have an edge, kTie for as many; kNone where none has
  /// one.
  RowEdge measured = RowEdge::kNone;
  RowEdge measured_unauthored = RowEdge::kNone;  ///< The same of criteria not IsAuthored().
  const Disagreement* why = nullptr;             ///< What is written of it, needed or not.
};
/// Whether it has an edge, and another than the published one.
[[nodiscard]] bool Disagrees(const CalibratedRow& row);

struct CalibratedContest {
  const PublishedMatchup* matchup = nullptr;
  const PublishedContest* contest = nullptr;
  std::optional<Matchup> measured;  ///< In the study's order; none where a model has no cell.
  std::vector<CalibratedRow> rows;
  const Disagreement* why = nullptr;  ///< What is written of the winner, needed or not.
};
/// Whether it has a measured winner, or is split, and the published winner is another.
[[nodiscard]] bool Disagrees(const CalibratedContest& contest);
/// Whether it Disagrees, and the study's file has to say why. A split has its cause in itself: the
/// measured margin is inside its uncertainty, as it may be for times that a noisy machine hid.
[[nodiscard]] bool WantsCause(const CalibratedContest& contest);

/// Every contest of the study, in its order. Points into `study` and `board`.
[[nodiscard]] std::vector<CalibratedContest> Calibrate(const PublishedStudy& study,
                                                       const Board& board);

/// Whose edges of rows are counted.
enum class CountedCriteria { kAll, kUnauthored };

/// Whether a row of a contest is counted.
using IsCounted = std::function<bool(const CalibratedContest&, const CalibratedRow&)>;

/// A range that holds a number in 95 of 100 draws.
struct DrawnInterval {
  double low = 0;
  double high = 0;
};

/// How often measured edges are the published ones.
struct EdgeAgreement {
  int published = 0;  ///< Rows.
  int compared = 0;   ///< Those that have a measured edge.
  int same = 0;       ///< Those with the same one.
  /// [published][measured], each: for the one that the study has ahead in the matchup, tie, against
  /// it. (For `a` in a matchup without a winner.)
  std::array<std::array<int, 3>, 3> table = {};
  std::optional<double> kappa;           ///< CohenKappa of the table.
  std::optional<double> weighted_kappa;  ///< With linear weights: a tie lies between two edges.
  /// Of `kappa`, over 2,000 draws of as many rows with replacement (the percentile bootstrap of B.
  /// Efron, 1979); equal rows give equal draws. Nothing where more than one draw in 20 has none.
  std::optional<DrawnInterval> kappa_interval;
};

[[nodiscard]] EdgeAgreement CountAgreement(
    const std::vector<CalibratedContest>& contests, CountedCriteria counted,
    const IsCounted& includes = [](const auto&, const auto&) { return true; });

/// A fault, at its line, for each row that Disagrees and each winner that WantsCause of which the
/// study's file does not say why, or says that it is unmeasured.
[[nodiscard]] Errors CheckCalibration(const PublishedStudy& study, const Board& board);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_CALIBRATION_H_
