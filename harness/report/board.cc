// SPDX-License-Identifier: Apache-2.0
#include "report/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
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

ChallengeBoard MakeChallengeBoard(const ChallengeView& view, std::vector<const Evidence*> cells) {
  std::vector<Scorecard> cards;
  cards.reserve(cells.size());
  for (const Evidence* cell : cells) {
    cards.push_back(ScoreCell(view, *cell));
  }
  ChallengeBoard board;
  board.view = &view;
  for (const Placement& placement : RankChallenge(cards)) {
    board.cells.push_back(cells[placement.card]);
    board.cards.push_back(cards[placement.card]);
    board.ranks.push_back(placement.rank);
  }
  board.matchups = CompareAll(view, board.cells);
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
  }
  return matchup;
}

}  // namespace

Board MakeBoard(const std::vector<Evidence>& cells, const Challenges& challenges) {
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
    const std::vector<Scorecard>& cards = board.challenges.back().cards;
    board.cards.insert(board.cards.end(), cards.begin(), cards.end());
  }
  board.standings = RankModels(board.cards);
  return board;
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
