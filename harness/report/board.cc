// SPDX-License-Identifier: Apache-2.0
#include "report/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "score/on_all_cores.h"

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
    const bool is_of_the_cells = std::ranges::any_of(cells, [&](const Evidence* cell) {
      return cell->digests.challenge == anchor.digests.challenge &&
             cell->digests.reference == anchor.digests.reference;
    });
    anchors.push_back({.card = ScoreWithUncertainty(view, anchor),
                       .version = is_of_the_cells ? AnchorCard::Version::kOfTheCells
                                                  : AnchorCard::Version::kAnother});
  }
  return anchors;
}

/// One challenge before its cards and draws are the board's.
struct ScoredChallenge {
  ChallengeBoard board;
  std::vector<Scorecard> cards;
  std::vector<CellDraws> draws;
};

/// Cells, cards and draws are in the order of their ranking.
ScoredChallenge ScoreChallenge(const ChallengeView& view, std::span<const Evidence* const> cells) {
  auto [cards, draws] = ScoreCells(view, cells);
  ScoredChallenge scored;
  ChallengeBoard& challenge = scored.board;
  challenge.view = &view;
  for (RankedPlace placement : RankChallenge(cards, draws)) {
    challenge.cells.push_back(cells[placement.index]);
    scored.cards.push_back(std::move(cards[placement.index]));
    scored.draws.push_back(std::move(draws[placement.index]));
    challenge.ranks.push_back(placement.rank);
    placement.index = challenge.places.size();
    challenge.places.push_back(placement);
    challenge.place_of.emplace(challenge.cells.back()->model, placement.index);
  }
  challenge.totals = RowTotals(scored.cards);
  challenge.unauthored_places.resize(challenge.cells.size());
  for (const RankedPlace& placement :
       RankChallenge(scored.cards, scored.draws, RowsCounted::kWithoutAuthored)) {
    challenge.unauthored_places[placement.index] = placement;
  }
  challenge.anchors = ScoreAnchors(view, challenge.cells);
  return scored;
}

void AddChallenge(ScoredChallenge scored, Board& board) {
  std::ranges::move(scored.cards, std::back_inserter(board.cards));
  std::ranges::move(scored.draws, std::back_inserter(board.draws));
  board.challenges.push_back(std::move(scored.board));
}

/// When all cards are there: they move no more.
void PointToCards(Board& board) {
  std::size_t first = 0;
  for (ChallengeBoard& challenge : board.challenges) {
    challenge.cards = std::span(board.cards).subspan(first, challenge.cells.size());
    challenge.draws = std::span(board.draws).subspan(first, challenge.cells.size());
    first += challenge.cells.size();
  }
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
  std::vector<CellPair> cells;
  for (const ModelPair& pair : pairs) {
    const auto a = FindPlace(challenge, pair.a);
    const auto b = FindPlace(challenge, pair.b);
    if (a && b) {
      cells.emplace_back(std::minmax(*a, *b));
    }
  }
  std::ranges::sort(cells);
  return cells;
}

void AddMatchups(const std::vector<ModelPair>& pairs, ChallengeBoard& challenge) {
  const std::vector<CellPair> cells = PairsIn(challenge, pairs);
  challenge.matchups =
      CompareAll(*challenge.view, challenge.cells, challenge.cards, challenge.draws, cells);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    challenge.matchup_of.emplace(cells[i], i);
  }
}

}  // namespace

Board MakeRanking(const std::vector<Evidence>& cells, const Challenges& challenges,
                  std::vector<UnsoundCell> unsound) {
  Board board;
  board.unsound = std::move(unsound);
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
  std::vector<ScoredChallenge> scored(by_challenge.size());
  OnAllCores(scored.size(), [&](std::size_t i) {
    const auto& [id, members] = *std::next(by_challenge.begin(), static_cast<std::ptrdiff_t>(i));
    scored[i] = ScoreChallenge(challenges.at(id), members);
  });
  for (ScoredChallenge& challenge : scored) {
    AddChallenge(std::move(challenge), board);
  }
  PointToCards(board);
  std::set<std::string> lacking;
  for (const UnsoundCell& cell : board.unsound) {
    lacking.insert(cell.model);
  }
  board.standings = RankModels(board.cards, board.draws, RowsCounted::kAll, lacking);
  board.unauthored_standings =
      RankModels(board.cards, board.draws, RowsCounted::kWithoutAuthored, lacking);
  return board;
}

Board MakeBoard(const std::vector<Evidence>& cells, const Challenges& challenges,
                const std::vector<ModelPair>& asked, std::vector<UnsoundCell> unsound) {
  Board board = MakeRanking(cells, challenges, std::move(unsound));
  board.pairs_shown = board.standings.size() <= kMostModelsPaired ? PairsShown::kAll
                                                                  : PairsShown::kNeighboursAndAsked;
  board.pairs = ChoosePairs(board.standings, asked, board.pairs_shown);
  OnAllCores(board.challenges.size(),
             [&](std::size_t i) { AddMatchups(board.pairs, board.challenges[i]); });
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

std::optional<std::size_t> FindPlace(const ChallengeBoard& challenge, std::string_view model) {
  const auto found = challenge.place_of.find(model);
  return found == challenge.place_of.end() ? std::nullopt : std::optional(found->second);
}

bool IsUnsound(const Board& board, std::string_view model, std::string_view challenge) {
  return std::ranges::any_of(board.unsound, [&](const UnsoundCell& cell) {
    return cell.model == model && cell.challenge == challenge;
  });
}

std::optional<Matchup> FindMatchup(const ChallengeBoard& challenge, std::string_view a,
                                   std::string_view b) {
  const auto place_a = FindPlace(challenge, a);
  const auto place_b = FindPlace(challenge, b);
  if (!place_a || !place_b) {
    return std::nullopt;
  }
  const auto found = challenge.matchup_of.find(std::minmax(*place_a, *place_b));
  if (found == challenge.matchup_of.end()) {
    return std::nullopt;
  }
  const Matchup& matchup = challenge.matchups[found->second];
  return *place_a < *place_b ? matchup : Mirrored(matchup);
}

std::vector<ModelPair> AllPairsOf(const Board& board) {
  return ChoosePairs(board.standings, {}, PairsShown::kAll);
}

std::optional<Matchup> FindOrMakeMatchup(const Board& board, const ChallengeBoard& challenge,
                                         std::string_view a, std::string_view b) {
  const auto place_a = FindPlace(challenge, a);
  const auto place_b = FindPlace(challenge, b);
  if (!place_a || !place_b || a == b) {
    return std::nullopt;
  }
  if (auto found = FindMatchup(challenge, a, b)) {
    return found;
  }
  const std::vector<ModelPair> asked = {{.a = std::string(a), .b = std::string(b)}};
  const std::vector<CellPair> beside =
      PairsIn(challenge, ChoosePairs(board.standings, asked, board.pairs_shown));
  const CellPair wanted = std::minmax(*place_a, *place_b);
  Matchup made = CompareSome(*challenge.view, challenge.cells, challenge.cards, challenge.draws,
                             beside, std::span(&wanted, 1))
                     .front();
  return *place_a < *place_b ? made : Mirrored(std::move(made));
}

}  // namespace assay
