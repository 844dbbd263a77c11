// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_text.h"

#include <fmt/format.h>

#include "cli/table.h"
#include "report/board.h"
#include "report/lookup.h"
#include "report/plain_text.h"
#include "report/words.h"
#include "score/format.h"

namespace assay {
namespace {

/// So that a row fits a terminal: the rest is in `assay explain`.
constexpr std::size_t kLongestValue_bytes = 32;

std::string_view NameOf(RowEdge edge, const Matchup& matchup) {
  switch (edge) {
    case RowEdge::kA:
      return matchup.a.model_name;
    case RowEdge::kB:
      return matchup.b.model_name;
    case RowEdge::kTie:
      return "tie";
    case RowEdge::kSplit:
      return "split";
    case RowEdge::kUnresolved:
      return "?";
    case RowEdge::kNone:
      break;
  }
  return "-";
}

std::string ValueOf(const Criterion& criterion, const Scorecard& card) {
  return PlainLine(Shorten(FormatValue(criterion, FindCriterionScore(card, criterion.id)->value),
                           kLongestValue_bytes));
}

/// Whether authored rows carry their sign.
bool IsMarked(const Matchup& matchup) {
  return matchup.a.reconstruction || matchup.b.reconstruction;
}

std::string AuthoredSign(const Criterion& criterion, const Matchup& matchup) {
  return IsMarked(matchup) && IsAuthored(criterion.kind) ? std::string(kAuthoredSign) : "";
}

std::string WinnerLine(const Matchup& matchup) {
  std::string line;
  if (matchup.winner == RowEdge::kA || matchup.winner == RowEdge::kB) {
    line = fmt::format("{} wins by {:.1f} ± {:.1f}", NameOf(matchup.winner, matchup),
                       matchup.margin, matchup.margin_uncertainty);
  } else if (matchup.winner == RowEdge::kSplit) {
    line = fmt::format("split: {:.1f} apart, which is inside ± {:.1f}", matchup.margin,
                       matchup.margin_uncertainty);
  } else {
    line = "no winner: " + matchup.reason;
  }
  return PlainLine(fmt::format("{}; rows won {}-{}, {} tied, {} unresolved", line, matchup.won_a,
                               matchup.won_b, matchup.tied, matchup.unresolved)) +
         "\n";
}

std::string Section(const ChallengeView& view, const Matchup& matchup) {
  std::vector<std::vector<std::string>> rows = {
      {view.spec.title, matchup.a.model_name, matchup.b.model_name, "EDGE"},
      {"overall", FormatScore(matchup.a.overall, matchup.a.uncertainty),
       FormatScore(matchup.b.overall, matchup.b.uncertainty),
       std::string(NameOf(matchup.winner, matchup))}};
  for (const Dimension& dimension : view.rubric.dimensions) {
    rows.push_back({dimension.title,
                    FormatScore(FindDimensionScore(matchup.a, dimension.id)->score),
                    FormatScore(FindDimensionScore(matchup.b, dimension.id)->score)});
    for (std::size_t i = 0; i < view.rubric.criteria.size(); ++i) {
      const Criterion& criterion = view.rubric.criteria[i];
      if (criterion.dimension == dimension.id) {
        rows.push_back({"  " + criterion.title + AuthoredSign(criterion, matchup),
                        ValueOf(criterion, matchup.a), ValueOf(criterion, matchup.b),
                        std::string(NameOf(matchup.rows[i].edge, matchup))});
      }
    }
  }
  return FormatTable(rows) + WinnerLine(matchup) +
         (IsMarked(matchup) ? "‡ authored: of a reconstruction, written by this project\n" : "");
}

}  // namespace

Result<std::string> CompareText(const std::vector<Evidence>& cells, const Challenges& challenges,
                                std::string_view model_a, std::string_view model_b) {
  ASSAY_RETURN_IF_ERROR(CheckModels(cells, model_a, model_b));
  const Board board =
      MakeBoard(cells, challenges, {{.a = std::string(model_a), .b = std::string(model_b)}});
  std::string text;
  for (const ChallengeBoard& challenge : board.challenges) {
    if (const auto matchup = FindMatchup(challenge, model_a, model_b)) {
      text += (text.empty() ? "" : "\n") + Section(*challenge.view, *matchup);
    }
  }
  return text.empty() ? fmt::format("{} and {} have no challenge in common\n", model_a, model_b)
                      : text;
}

}  // namespace assay
