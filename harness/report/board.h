// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_BOARD_H_
#define ASSAY_REPORT_BOARD_H_

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/evidence.h"
#include "report/report.h"
#include "score/challenge_view.h"
#include "score/highlights.h"
#include "score/matchup.h"
#include "score/ranking.h"
#include "score/robustness.h"
#include "score/scorecard.h"

namespace assay {

/// What an anchor of the challenge scores.
struct AnchorCard {
  Scorecard card;
  /// Whether it was graded by the version of challenge and reference that a cell was graded by.
  enum class Version { kOfTheCells, kAnother };
  Version version = Version::kOfTheCells;
};

/// All that is computed of one challenge. Cells are in the order of their ranking.
struct ChallengeBoard {
  const ChallengeView* view = nullptr;
  std::vector<const Evidence*> cells;
  std::span<const Scorecard> cards;            ///< One a cell; of the board's.
  std::span<const CellDraws> draws;            ///< One a cell; of the board's.
  RowTotals totals;                            ///< Of the cards.
  std::vector<std::optional<int>> ranks;       ///< One a cell.
  std::vector<RankedPlace> places;             ///< One a cell; in order.
  std::vector<RankedPlace> unauthored_places;  ///< One a cell: its place without authored rows.
  std::map<std::string_view, std::size_t> place_of;  ///< The cell of each model; see FindPlace.
  std::vector<Matchup> matchups;                     ///< Of the board's pairs, by their places.
  std::map<CellPair, std::size_t> matchup_of;        ///< By the two places, the better first.
  std::vector<AnchorCard> anchors;                   ///< By id.
};

/// A cell whose evidence does not hold. It is shown with why, and is in no ranking, average or
/// medal. Both names are ids; `cause` and `remedy` may have text of a submission.
struct UnsoundCell {
  std::string model;
  std::string challenge;
  std::string cause;
  std::string remedy;
};

/// Which matchups are computed. Every pair grows with the square of the models, and nobody reads
/// half a million pages.
enum class PairsShown {
  kAll,                 ///< Of at most kMostModelsPaired models.
  kNeighboursAndAsked,  ///< Neighbours in rank, over all challenges, and those asked for.
};
inline constexpr std::size_t kMostModelsPaired = 6;

/// All that reports show, computed once. Points into the evidence and challenges it was made from,
/// and into itself: it moves, and has no copies.
struct Board {
  Board() = default;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  Board(Board&&) = default;
  Board& operator=(Board&&) = default;
  ~Board() = default;

  std::vector<ChallengeBoard> challenges;           ///< By id; those with a cell.
  std::vector<Scorecard> cards;                     ///< Of all challenges, one after the other.
  std::vector<CellDraws> draws;                     ///< Of `cards`.
  std::vector<ModelStanding> standings;             ///< Points into `cards`.
  std::vector<ModelStanding> unauthored_standings;  ///< The same without authored rows.
  PairsShown pairs_shown = PairsShown::kAll;
  /// Those with a matchup, the better first, by its standing, then by the other's.
  std::vector<ModelPair> pairs;
  std::vector<std::string> left_out;  ///< Cells that cannot be shown, and why. Hostile text.
  std::vector<UnsoundCell> unsound;   ///< Of no challenge's cells.
};

/// `asked`: pairs of ids in any order, shown however many models there are; one of a model that has
/// no cell is nothing. `unsound` are none of `cells`.
[[nodiscard]] Board MakeBoard(const std::vector<Evidence>& cells, const Challenges& challenges,
                              const std::vector<ModelPair>& asked = {},
                              std::vector<UnsoundCell> unsound = {});

/// The same without pairs and matchups, for those who want scores and ranks.
[[nodiscard]] Board MakeRanking(const std::vector<Evidence>& cells, const Challenges& challenges,
                                std::vector<UnsoundCell> unsound = {});

/// RenderAll (report.h) of a board that is there.
[[nodiscard]] RenderedFiles RenderAll(const Board& board, const std::vector<OtherPage>& others);

/// How well the board's rankings hold.
[[nodiscard]] Robustness MeasureRobustness(const Board& board, int weight_draws = kWeightDraws);

/// Whether a cell of it is a reconstruction: then authored rows are marked.
[[nodiscard]] bool HasReconstruction(const ChallengeBoard& challenge);
[[nodiscard]] bool HasReconstruction(const Board& board);

/// Where the cell of a model is in the challenge; nothing where it did not enter.
[[nodiscard]] std::optional<std::size_t> FindPlace(const ChallengeBoard& challenge,
                                                   std::string_view model);

/// The same of a cell whose evidence does not hold.
[[nodiscard]] bool IsUnsound(const Board& board, std::string_view model,
                             std::string_view challenge);

/// The matchup of two models in a challenge, `a` first whatever the order of their cells; nothing
/// when one of them did not enter, or they are none of the board's pairs.
[[nodiscard]] std::optional<Matchup> FindMatchup(const ChallengeBoard& challenge,
                                                 std::string_view a, std::string_view b);

/// Every two models with a challenge in common, the better first, whichever have a matchup.
[[nodiscard]] std::vector<ModelPair> AllPairsOf(const Board& board);

/// FindMatchup of the challenge, which is the board's; of two models that are none of the board's
/// pairs the matchup that MakeBoard makes when it is asked for these two and for no others, as
/// `assay compare` does. Nothing when one of them did not enter.
[[nodiscard]] std::optional<Matchup> FindOrMakeMatchup(const Board& board,
                                                       const ChallengeBoard& challenge,
                                                       std::string_view a, std::string_view b);

}  // namespace assay

#endif  // ASSAY_REPORT_BOARD_H_
