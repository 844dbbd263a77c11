// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/text.h"
#include "report/plain_text.h"
#include "score/format.h"

namespace assay {

Markdown RankWithMedal(const std::optional<RankInterval>& ranks, Medal medal) {
  if (!ranks.has_value()) {
    return "—";
  }
  Markdown cell = Markdown::Text(FormatRanks(*ranks));
  switch (medal) {
    case Medal::kGold:
      return cell + " 🥇";
    case Medal::kSilver:
      return cell + " 🥈";
    case Medal::kBronze:
      return cell + " 🥉";
    case Medal::kNone:
      break;
  }
  return cell;
}

Markdown UnauthoredCell(const UncertainScore& score, const std::optional<RankInterval>& ranks) {
  Markdown cell = Markdown::Text(FormatScore(score.score, score.uncertainty));
  if (ranks.has_value()) {
    cell += Markdown::Text(fmt::format(" (rank {})", FormatRanks(*ranks)));
  }
  return cell;
}

void AddFirst(const std::string& name, const UncertainScore& score, FirstRank& first) {
  first.names.push_back(name);
  first.score = first.names.size() == 1 ? FormatScore(score.score, score.uncertainty)
                                        : FormatScore(score.score);
}

FirstRank FirstRankOf(std::span<const ModelStanding> standings) {
  FirstRank first;
  for (const ModelStanding& standing : standings) {
    if (standing.rank == 1) {
      AddFirst(standing.model_name,
               {.score = standing.average, .uncertainty = standing.uncertainty}, first);
    }
  }
  return first;
}

Markdown AreFirst(const FirstRank& first) {
  return Markdown::Bold(NamesInCell(first.names)) +
         (first.names.size() == 1 ? Markdown(" is first") : Markdown(" are first"));
}

Markdown TitleOf(const Criterion& criterion, AuthoredRows authored) {
  const bool marked = authored == AuthoredRows::kMarked && IsAuthored(criterion.kind);
  return Markdown::Text(criterion.title + std::string(marked ? kAuthoredSign : ""));
}

Markdown TitleOf(const Dimension& dimension, const Rubric& rubric, AuthoredRows authored) {
  const bool marked = authored == AuthoredRows::kMarked &&
                      std::ranges::any_of(rubric.criteria, [&](const Criterion& criterion) {
                        return criterion.dimension == dimension.id && criterion.weight > 0 &&
                               criterion.kind != CriterionKind::kReview &&
                               IsAuthored(criterion.kind);
                      });
  return Markdown::Text(dimension.title + std::string(marked ? kAuthoredSign : ""));
}

Markdown AuthoredNote(AuthoredRows authored) {
  if (authored == AuthoredRows::kPlain) {
    return {};
  }
  return "\n‡ Authored: for a reconstruction (†) this project wrote what these rows measure, to "
         "the "
         "published description.\n";
}

Markdown NameWithMarks(const Scorecard& card) {
  Markdown name = Markdown::Text(card.model_name);
  if (card.reconstruction) {
    name += " †";
  }
  if (card.repaired) {
    name += " (repaired)";
  }
  return name;
}

Markdown DimensionCell(const DimensionScore& score) {
  Markdown cell = Markdown::Text(FormatScore(score.score, score.uncertainty));
  if (score.score.has_value() && score.coverage < 1) {
    cell += " (" + PercentOf(score.coverage) + ")";
  }
  return cell;
}

Markdown PercentOf(double share) {
  // A sum of weights may come out as 0.99999…; without the allowance that would print as 99 %.
  return Markdown::Text(fmt::format("{:.0f} %", std::floor(share * 100 + 1e-9)));
}

Markdown EdgeCell(RowEdge edge, const Scorecard& a, const Scorecard& b) {
  switch (edge) {
    case RowEdge::kA:
      return Markdown::Bold(Markdown::Text(a.model_name));
    case RowEdge::kB:
      return Markdown::Bold(Markdown::Text(b.model_name));
    case RowEdge::kTie:
      return "Tie";
    case RowEdge::kSplit:
      return "split";
    case RowEdge::kUnresolved:
      return "?";
    case RowEdge::kNone:
      return "—";
  }
  return "—";
}

Markdown MutantNames(const std::vector<std::string>& mutants) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<Markdown> names;
  for (const std::string& mutant : mutants | std::views::take(kMostNamed)) {
    names.push_back(Markdown::Code(mutant));
  }
  Markdown text = Markdown::Join(names, " or ");
  if (mutants.size() > kMostNamed) {
    text += " or " + Number(static_cast<long long>(mutants.size() - kMostNamed)) + " more";
  }
  return text;
}

Markdown Number(long long number) { return Markdown::Text(std::to_string(number)); }

std::string CountOf(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string CountOfCases(int count) { return CountOf(static_cast<std::size_t>(count), "case"); }

std::string FirstOf(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) {
    return Join(names, ", ");
  }
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(most));
  return fmt::format("{} and {} more", Join(first, ", "), names.size() - most);
}

Markdown NamesInCell(const std::vector<std::string>& names) {
  std::size_t shown = 0;
  std::size_t length_bytes = 0;
  for (; shown < names.size(); ++shown) {
    length_bytes += names[shown].size();
    if (shown > 0 && length_bytes > kLongestCell_bytes / 2) {
      break;
    }
  }
  return CellText(FirstOf(names, shown));
}

std::string FirstErrorOf(std::string_view diagnostics) {
  const std::vector<std::string> lines = SplitLines(diagnostics);
  // As g++ and nvcc write it, and as ptxas and nvcc itself do.
  const auto error = std::ranges::find_if(lines, [](const std::string& line) {
    return line.find("error: ") != std::string::npos ||
           line.find("error   : ") != std::string::npos ||
           line.find("fatal   : ") != std::string::npos;
  });
  return error != lines.end() ? *error : lines.empty() ? "" : lines.front();
}

Markdown CellText(std::string_view text) {
  return Markdown::Text(text.size() <= kLongestCell_bytes
                            ? std::string(text)
                            : Shorten(text, kLongestCell_bytes - 1));  // And the sign of the cut.
}

Markdown CellLines(std::string_view text) {
  std::vector<Markdown> lines;
  while (text.size() > kLongestCell_bytes) {
    const std::size_t space = text.rfind(' ', kLongestCell_bytes);
    if (space == std::string_view::npos) {
      break;
    }
    lines.push_back(Markdown::Text(text.substr(0, space)));
    text.remove_prefix(space + 1);
  }
  lines.push_back(CellText(text));
  return Markdown::Join(lines, "<br>");
}

Markdown ValueText(const Criterion& criterion, const CriterionValue& value) {
  return CellLines(Shorten(FormatValue(criterion, value), 2 * kLongestCell_bytes));
}

Markdown LineText(std::string_view text) {
  return Markdown::Text(Shorten(text, kLongestLine_bytes));
}

std::string MatchupPath(std::string_view a, std::string_view b) {
  return fmt::format("matchups/{}_vs_{}.md", std::min(a, b), std::max(a, b));
}

std::string RoundPath(std::string_view a, std::string_view b) {
  return fmt::format("rounds/{}_vs_{}.md", std::min(a, b), std::max(a, b));
}

std::string ModelPath(std::string_view model) { return fmt::format("models/{}.md", model); }

Markdown GeneratedNote() {
  return "<!-- Generated by `assay report` from evidence. Do not edit: the next run overwrites "
         "it. -->\n";
}

}  // namespace assay
