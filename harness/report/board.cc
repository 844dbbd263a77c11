// SPDX-License-Identifier: Apache-2.0
#include "report/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace assay {
namespace {

/// Why a cell cannot be shown; empty when it can. Ids become file names, so they are checked here
/// too: evidence may come from a pull request.
std::string WhyLeftOut(const Evidence& cell, const Challenges& challenges,
                       const std::set<std::pair<std::string, std::string>>& seen) {
  if (!IsId(cell.model) || !IsId(cell.challenge)) {
    return "the id of its model or challenge is no id";
  }
  if (!challenges.contains(cell.challenge)) {
    return "there is no such challenge";
  }
  return seen.contains({cell.challenge, cell.model}) ? "there is another of the same name" : "";
}

std::vector<AnchorCard> ScoreAnchors(const ChallengeView& view,
                                     const std::vector<const Evidence*>& cells) {
  std::vector<AnchorCard> anchors;
  for (const Evidence& anchor : view.anchors) {
    Scorecard card = ScoreCell(view, anchor);
    AddUncertainty(view, anchor, card);
    const bool is_of_the_cells = std::ranges::any_of(cells, [&](const Evidence* cell) {
      return cell->digests.challenge == anchor.digests.challenge &&
             cell->digests.reference == anchor.digests.reference;
    });
    anchors.push_back({.card = std::move(card),
                       .version = is_of_the_cells ? AnchorCard::Version::kOfTheCells
                                                  : AnchorCard::Version::kAnother});
  }
  return anchors;
}

ChallengeBoard MakeChallengeBoard(const ChallengeView& view, std::vector<const Evidence*> cells) {
  std::vector<Scorecard> cards;
  cards.reserve(cells.size());
  for (const Evidence* cell : cells) {
    cards.push_back(ScoreCell(view, *cell));
  }
  std::vector<CellDraws> draws = DrawScores(view, cells, cards);
  ChallengeBoard board;
  board.view = &view;
  for (RankedPlace placement : RankChallenge(cards, draws)) {
    board.cells.push_back(cells[placement.index]);
    board.cards.push_back(cards[placement.index]);
    board.draws.push_back(std::move(draws[placement.index]));
    board.ranks.push_back(placement.rank);
    placement.index = board.places.size();
    board.places.push_back(placement);
  }
  board.unauthored_places.resize(board.cells.size());
  for (const RankedPlace& placement :
       RankChallenge(board.cards, board.draws, RowsCounted::kWithoutAuthored)) {
    board.unauthored_places[placement.index] = placement;
  }
  board.anchors = ScoreAnchors(view, board.cells);
  return board;
}

RowEdge Mirrored(RowEdge edge) {
  return edge == RowEdge::kA ? RowEdge::kB : edge == RowEdge::kB ? RowEdge::kA : edge;
}

Matchup Mirrored(Matchup matchup) {
  std::swap(matchup.a, matchup.b);
  std::swap(matchup.won_a, matchup.won_b);
  matchup.winner = Mirrored(matchup.winner);
  for (MatchupRow& row : matchup.rows) {
    row.edge = Mirrored(row.edge);
    if (row.compared) {
      std::swap(row.compared->a, row.compared->b);
    }
  }
  return matchup;
}

/// Those with a challenge in common, without repetitions.
std::vector<ModelPair> ChoosePairs(const std::vector<ModelStanding>& standings,
                                   const std::vector<ModelPair>& asked, PairsShown shown) {
  std::map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    place.emplace(standings[i].model, i);
  }
  std::set<CellPair> chosen;
  if (shown == PairsShown::kAll) {
    for (const CellPair& pair : AllPairs(standings.size())) {
      chosen.insert(pair);
    }
  } else {
    for (std::size_t i = 0; i + 1 < standings.size(); ++i) {
      chosen.emplace(i, i + 1);
    }
  }
  for (const ModelPair& pair : asked) {
    const auto a = place.find(pair.a);
    const auto b = place.find(pair.b);
    if (a != place.end() && b != place.end() && a->second != b->second) {
      chosen.insert(std::minmax(a->second, b->second));
    }
  }
  std::vector<ModelPair> pairs;
  for (const auto& [i, j] : chosen) {
    const auto enters = [&](const auto& cell) { return standings[j].cells.contains(cell.first); };
    if (std::ranges::any_of(standings[i].cells, enters)) {
      pairs.push_back({.a = standings[i].model, .b = standings[j].model});
    }
  }
  return pairs;
}

/// In the order of the challenge's own ranking, whatever the order over all challenges.
std::vector<CellPair> PairsIn(const ChallengeBoard& challenge,
                              const std::vector<ModelPair>& pairs) {
  std::map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < challenge.cells.size(); ++i) {
    place.emplace(challenge.cells[i]->model, i);
  }
  std::vector<CellPair> cells;
  for (const ModelPair& pair : pairs) {
    const auto a = place.find(pair.a);
    const auto b = place.find(pair.b);
    if (a != place.end() && b != place.end()) {
      cells.emplace_back(std::minmax(a->second, b->second));
    }
  }
  std::ranges::sort(cells);
  return cells;
}

}  // namespace

Board MakeBoard(const std::vector<Evidence>& cells, const Challenges& challenges,
                const std::vector<ModelPair>& asked) {
  Board board;
  std::vector<const Evidence*> sorted;
  sorted.reserve(cells.size());
  for (const Evidence& cell : cells) {
    sorted.push_back(&cell);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Evidence* a, const Evidence* b) {
    // Of two of one name the earlier stays: they lie in one vector.
    return std::tie(a->challenge, a->model, a) < std::tie(b->challenge, b->model, b);
  });
  std::map<std::string, std::vector<const Evidence*>> by_challenge;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Evidence* cell : sorted) {
    if (const std::string why = WhyLeftOut(*cell, challenges, seen); !why.empty()) {
      board.left_out.push_back(fmt::format("{}/{}: {}", cell->model, cell->challenge, why));
      continue;
    }
    seen.emplace(cell->challenge, cell->model);
    by_challenge[cell->challenge].push_back(cell);
  }
  for (auto& [id, members] : by_challenge) {
    board.challenges.push_back(MakeChallengeBoard(challenges.at(id), std::move(members)));
    const ChallengeBoard& challenge = board.challenges.back();
    board.cards.insert(board.cards.end(), challenge.cards.begin(), challenge.cards.end());
    board.draws.insert(board.draws.end(), challenge.draws.begin(), challenge.draws.end());
  }
  board.standings = RankModels(board.cards, board.draws);
  board.unauthored_standings = RankModels(board.cards, board.draws, RowsCounted::kWithoutAuthored);
  board.pairs_shown = board.standings.size() <= kMostModelsPaired ? PairsShown::kAll
                                                                  : PairsShown::kNeighboursAndAsked;
  board.pairs = ChoosePairs(board.standings, asked, board.pairs_shown);
  for (ChallengeBoard& challenge : board.challenges) {
    challenge.matchups = CompareAll(*challenge.view, challenge.cells, challenge.cards,
                                    challenge.draws, PairsIn(challenge, board.pairs));
  }
  return board;
}

Robustness MeasureRobustness(const Board& board, int weight_draws) {
  std::vector<RankedChallenge> challenges;
  challenges.reserve(board.challenges.size());
  for (const ChallengeBoard& challenge : board.challenges) {
    challenges.push_back({.view = challenge.view,
                          .cards = challenge.cards,
                          .draws = challenge.draws,
                          .matchups = challenge.matchups});
  }
  return MeasureRobustness(challenges, board.standings, weight_draws);
}

bool HasReconstruction(const ChallengeBoard& challenge) {
  return std::ranges::any_of(challenge.cards, &Scorecard::reconstruction);
}

bool HasReconstruction(const Board& board) {
  return std::ranges::any_of(board.cards, &Scorecard::reconstruction);
}

std::optional<Matchup> FindMatchup(const ChallengeBoard& challenge, std::string_view a,
                                   std::string_view b) {
  for (const Matchup& matchup : challenge.matchups) {
    if (matchup.a.model == a && matchup.b.model == b) {
      return matchup;
    }
    if (matchup.a.model == b && matchup.b.model == a) {
      return Mirrored(matchup);
    }
  }
  return std::nullopt;
}

}  // namespace assay
