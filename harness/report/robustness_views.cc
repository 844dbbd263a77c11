// SPDX-License-Identifier: Apache-2.0
#include "report/robustness_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/json_text.h"
#include "report/report.h"
#include "report/words.h"

namespace assay {
namespace {

using nlohmann::json;

const ChallengeView& ViewOf(const Board& board, std::string_view challenge) {
  return *std::ranges::find_if(board.challenges, [&](const ChallengeBoard& one) {
            return one.view->spec.id == challenge;
          })->view;
}

int WholePercent(double share) { return static_cast<int>(std::floor(share * 100 + 1e-9)); }

std::vector<MarkdownTable::Column> HeldColumns(std::vector<MarkdownTable::Column> first) {
  for (const Markdown& title :
       {Markdown("Weights ±50 %"), Markdown("Drawn again"), Markdown("One row left out")}) {
    first.push_back({.title = title, .align = Align::kRight});
  }
  return first;
}

std::vector<Markdown> HeldCells(std::vector<Markdown> first, const HeldUnder& held) {
  for (const Held* one : {&held.weights, &held.redrawn, &held.rows_out}) {
    first.push_back(Markdown::Text(HeldText(*one)));
  }
  return first;
}

/// All ranks of each ranking at once.
Markdown OrderTable(const Board& board, const Robustness& robustness) {
  MarkdownTable table(HeldColumns({{.title = "All ranks at once"}}));
  for (const RankingRobustness& ranking : robustness.rankings) {
    table.AddRow(HeldCells({Markdown::Text(TitleOfRanking(board, ranking))}, ranking.order));
  }
  return table.Render();
}

Markdown RankTable(const Board& board, const Robustness& robustness) {
  MarkdownTable table(HeldColumns({{.title = "Ranking"}, {.title = "Rank"}, {.title = "Model"}}));
  for (const RankingRobustness& ranking : robustness.rankings) {
    for (const RankHeld& rank : ranking.ranks) {
      table.AddRow(HeldCells({Markdown::Text(TitleOfRanking(board, ranking)), Number(rank.rank),
                              Markdown::Text(rank.model_name)},
                             rank.held));
    }
  }
  return table.Render();
}

Markdown DecidingRows(const Board& board, const Robustness& robustness) {
  Markdown list;
  for (const RankingRobustness& ranking : robustness.rankings) {
    for (const DecidingRow& row : ranking.deciding) {
      list += "- " + Markdown::Text(TitleOfRanking(board, ranking)) + ": without " +
              Markdown::Text(RowTitle(board, row.challenge, row.criterion)) + " another rank for " +
              CellText(FirstOf(row.models, 4)) + "\n";
    }
  }
  return list.empty() ? Markdown("Leaving out any one row changes no rank.\n")
                      : "Rows that decide a rank alone:\n\n" + list;
}

/// Scored rows that tell no two submissions apart, and why each has its weight all the same.
Markdown SilentRows(const Board& board, const Robustness& robustness) {
  Markdown list;
  for (const ChallengeBoard& challenge : board.challenges) {
    Markdown rows;
    for (const RowDiscrimination& row : robustness.rows) {
      if (row.challenge == challenge.view->spec.id && row.pairs > 0 && row.told_apart == 0 &&
          row.weight > 0) {
        rows += "  - " + Markdown::Text(RowTitle(board, row.challenge, row.criterion)) + ": " +
                CellText(row.why_equal) + "\n";
      }
    }
    if (!rows.empty()) {
      list += "- " + Markdown::Text(challenge.view->spec.title) + "\n" + rows;
    }
  }
  return list.empty() ? list
                      : "\n" + Markdown::Details(
                                   "Scored rows that tell no two of these submissions apart", list);
}

json HeldJson(const HeldUnder& held) {
  const auto range = [](const Held& one) { return json({one.least, one.most}); };
  return {{"weights", range(held.weights)},
          {"redrawn", range(held.redrawn)},
          {"rows_out", range(held.rows_out)}};
}

}  // namespace

std::string TitleOfRanking(const Board& board, const RankingRobustness& ranking) {
  return ranking.challenge.empty() ? "Over all" : ViewOf(board, ranking.challenge).spec.title;
}

std::string HeldText(const Held& held) {
  const int least = WholePercent(held.least);
  const int most = WholePercent(held.most);
  return least == most ? fmt::format("{} %", least) : fmt::format("{}-{} %", least, most);
}

std::string RowTitle(const Board& board, std::string_view challenge, std::string_view criterion) {
  return FindCriterion(ViewOf(board, challenge).rubric, criterion)->title;
}

Markdown RobustnessSection(const Board& board) {
  const bool is_ranked = std::ranges::any_of(
      board.challenges, [](const ChallengeBoard& one) { return !one.matchups.empty(); });
  if (!is_ranked) {
    return {};
  }
  const Robustness robustness = MeasureRobustness(board);
  return "## Robustness\n\nHow often the ranks above hold, from the seed in which they do least to "
         "that in which they do most, of " +
         Number(kSeeds) + ": under " + Number(robustness.weight_draws) +
         " draws of weights, each times 0.5 to 1.5; under " + Number(kDraws) +
         " draws of cases, planted bugs and times like these; and leaving out each scored row "
         "in its turn. `assay robustness` has every row.\n\n" +
         OrderTable(board, robustness) + "\n" + DecidingRows(board, robustness) +
         SilentRows(board, robustness) + "\n" +
         Markdown::Details("Rank by rank", RankTable(board, robustness)) + "\n";
}

std::string RobustnessJson(const std::vector<Evidence>& cells, const Challenges& challenges,
                           int weight_draws) {
  const Robustness robustness = MeasureRobustness(MakeBoard(cells, challenges), weight_draws);
  json document = {{"seeds", kSeeds},
                   {"weight_draws", robustness.weight_draws},
                   {"draws", kDraws},
                   {"rankings", json::array()},
                   {"rows", json::array()}};
  for (const RankingRobustness& ranking : robustness.rankings) {
    json entry = {
        {"challenge", ranking.challenge.empty() ? json(nullptr) : json(ranking.challenge)},
        {"order", HeldJson(ranking.order)},
        {"ranks", json::array()},
        {"deciding_rows", json::array()}};
    for (const RankHeld& rank : ranking.ranks) {
      entry["ranks"].push_back({{"model", rank.model},
                                {"model_name", rank.model_name},
                                {"rank", rank.rank},
                                {"held", HeldJson(rank.held)}});
    }
    for (const DecidingRow& row : ranking.deciding) {
      entry["deciding_rows"].push_back(
          {{"challenge", row.challenge}, {"criterion", row.criterion}, {"models", row.models}});
    }
    document["rankings"].push_back(std::move(entry));
  }
  for (const RowDiscrimination& row : robustness.rows) {
    document["rows"].push_back({{"challenge", row.challenge},
                                {"criterion", row.criterion},
                                {"weight", row.weight},
                                {"told_apart", row.told_apart},
                                {"pairs", row.pairs},
                                {"why_equal", row.why_equal}});
  }
  return DumpDocument(document);
}

}  // namespace assay
