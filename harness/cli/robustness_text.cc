// SPDX-License-Identifier: Apache-2.0
#include "cli/robustness_text.h"

#include <fmt/format.h>

#include "cli/table.h"
#include "report/board.h"
#include "report/plain_text.h"
#include "report/robustness_views.h"
#include "report/words.h"

namespace assay {
namespace {

/// Of the models whose rank a row decides, those that are named.
constexpr std::size_t kModelsNamed = 4;

std::vector<std::string> RowOf(std::string rank, std::string model, const HeldUnder& held) {
  return {std::move(rank), std::move(model), HeldText(held.weights), HeldText(held.redrawn),
          HeldText(held.rows_out)};
}

std::string RankingText(const Board& board, const RankingRobustness& ranking) {
  std::vector<std::vector<std::string>> rows = {
      {"RANK", TitleOfRanking(board, ranking), "WEIGHTS", "DRAWN AGAIN", "ROW OUT"}};
  for (const RankHeld& rank : ranking.ranks) {
    rows.push_back(RowOf(std::to_string(rank.rank), rank.model_name, rank.held));
  }
  rows.push_back(RowOf("", "all ranks at once", ranking.order));
  std::string text = FormatTable(rows);
  for (const DecidingRow& row : ranking.deciding) {
    text += PlainLine(fmt::format("without {} ({}): another rank for {}",
                                  RowTitle(board, row.challenge, row.criterion), row.challenge,
                                  FirstOf(row.models, kModelsNamed))) +
            "\n";
  }
  return text + "\n";
}

/// Rows with weight, those that tell most apart last.
std::string RowsText(const Board& board, const ChallengeBoard& challenge,
                     const Robustness& robustness) {
  std::vector<std::vector<std::string>> rows = {
      {"TELLS APART", challenge.view->spec.title, "WEIGHT", ""}};
  for (const RowDiscrimination& row : robustness.rows) {
    if (row.challenge == challenge.view->spec.id) {
      rows.push_back({row.told_apart == 0 ? fmt::format("none of {}", row.pairs)
                                          : fmt::format("{} of {}", row.told_apart, row.pairs),
                      RowTitle(board, row.challenge, row.criterion),
                      row.weight > 0 ? fmt::format("{:g}", row.weight) : "-",
                      PlainLine(row.why_equal)});
    }
  }
  return FormatTable(rows);
}

}  // namespace

std::string RobustnessText(const std::vector<Evidence>& cells, const Challenges& challenges,
                           int weight_draws) {
  const Board board = MakeBoard(cells, challenges);
  if (board.cards.empty()) {
    return "nothing is graded yet, so there is no ranking\n";
  }
  const Robustness robustness = MeasureRobustness(board, weight_draws);
  std::string text;
  for (const RankingRobustness& ranking : robustness.rankings) {
    text += RankingText(board, ranking);
  }
  std::vector<std::string> rows;
  rows.reserve(board.challenges.size());
  for (const ChallengeBoard& challenge : board.challenges) {
    rows.push_back(RowsText(board, challenge, robustness));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += (i == 0 ? "" : "\n") + rows[i];
  }
  return text;
}

}  // namespace assay
