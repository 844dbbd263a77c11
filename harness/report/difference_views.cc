// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "report/difference.h"
#include "report/json_text.h"
#include "report/markdown.h"
#include "report/plain_text.h"
#include "report/words.h"
#include "score/format.h"

namespace assay {
namespace {

constexpr std::size_t kMostRows = 8;  ///< Of each cell; JSON has all.
constexpr double kLeastPoints = 0.05;
constexpr std::string_view kEntries = "<!-- Entries, the latest first -->\n";

std::string VerdictOf(const std::optional<PublishedNumbers>& numbers) {
  return numbers && numbers->verdict ? std::string(ToString(*numbers->verdict)) : "—";
}
std::string ScoreOf(const std::optional<PublishedNumbers>& numbers) {
  return numbers ? FormatScore(numbers->score, numbers->uncertainty) : "—";
}
std::string RanksOf(const std::optional<PublishedNumbers>& numbers) {
  return numbers && numbers->ranks ? FormatRanks(*numbers->ranks) : "—";
}

/// `1 -> 2`, or `1` where both are the same.
std::string Moved(const std::string& before, const std::string& after) {
  return before == after ? after : before + " -> " + after;
}

std::string CausesOf(const CellDifference& cell) {
  if (!cell.before || !cell.after) {
    return cell.after ? "graded for the first time" : "gone";
  }
  std::string text;
  for (const DifferenceCause cause : cell.causes) {
    text += (text.empty() ? "" : ", ") + std::string(ToString(cause));
  }
  return text;
}

std::string RowsText(const CellDifference& cell) {
  std::string text;
  std::size_t listed = 0;
  std::size_t left_out = 0;
  for (const RowDifference& row : cell.rows) {
    if (listed == kMostRows || std::abs(row.points) < kLeastPoints) {
      ++left_out;
      continue;
    }
    ++listed;
    text += fmt::format(
        "    {:+5.1f}  {}: {} -> {}{}\n", row.points, PlainLine(row.title),
        PlainLine(Shorten(row.before, kLongestCell_bytes)),
        PlainLine(Shorten(row.after, kLongestCell_bytes)),
        row.certainty == RowDifference::Certainty::kWithinNoise ? " (intervals overlap)" : "");
  }
  if (left_out > 0) {
    text += fmt::format("           and {} row{} that {} less; --json has all\n", left_out,
                        left_out == 1 ? "" : "s", left_out == 1 ? "moves" : "move");
  }
  return text;
}

nlohmann::json NumbersToJson(const std::optional<PublishedNumbers>& numbers) {
  if (!numbers) {
    return nullptr;
  }
  nlohmann::json json = {{"score", OrNull(numbers->score)},
                         {"uncertainty", OrNull(numbers->uncertainty)},
                         {"ranks", nullptr}};
  if (numbers->verdict) {
    json["verdict"] = ToString(*numbers->verdict);
  }
  if (numbers->ranks) {
    json["ranks"] = {numbers->ranks->best, numbers->ranks->worst};
  }
  return json;
}

Markdown MovedCell(const std::string& before, const std::string& after) {
  return before == after ? Markdown::Text(after)
                         : Markdown::Text(before) + " → " + Markdown::Bold(Markdown::Text(after));
}

Markdown Entry(const EvidenceDifference& difference, std::string_view when,
               std::string_view whose) {
  Markdown entry = "## " + Markdown::Text(when) + ", " + Markdown::Text(whose) + "\n\n";
  MarkdownTable cells({{.title = "Cell"},
                       {.title = "Verdict"},
                       {.title = "Overall"},
                       {.title = "Rank"},
                       {.title = "Moved by"}});
  for (const CellDifference& cell : difference.cells) {
    if (cell.before != cell.after) {
      cells.AddRow({Markdown::Text(cell.model_name) + ", " + Markdown::Text(cell.title),
                    MovedCell(VerdictOf(cell.before), VerdictOf(cell.after)),
                    MovedCell(ScoreOf(cell.before), ScoreOf(cell.after)),
                    MovedCell(RanksOf(cell.before), RanksOf(cell.after)),
                    Markdown::Text(CausesOf(cell))});
    }
  }
  MarkdownTable models({{.title = "Model"}, {.title = "Average"}, {.title = "Rank"}});
  for (const ModelDifference& model : difference.models) {
    models.AddRow({Markdown::Text(model.model_name),
                   MovedCell(ScoreOf(model.before), ScoreOf(model.after)),
                   MovedCell(RanksOf(model.before), RanksOf(model.after))});
  }
  if (!cells.empty()) {
    entry += cells.Render() + "\n";
  }
  if (!models.empty()) {
    entry += models.Render() + "\n";
  }
  return entry;
}

std::string NewPage() {
  return std::string(kChangesMark) +
         ", which adds an entry where a published number changes. -->\n"
         "# Changes of published numbers\n\n"
         "What each grading changed of verdicts, scores and ranks, and what moved it. Row by row, "
         "for any two commits: `assay diff OLD NEW`.\n\n" +
         std::string(kEntries) + "\n";
}

}  // namespace

std::string DifferenceText(const EvidenceDifference& difference) {
  std::string text;
  for (const ModelDifference& model : difference.models) {
    text += fmt::format("{}: average {}, rank {}\n", PlainLine(model.model_name),
                        Moved(ScoreOf(model.before), ScoreOf(model.after)),
                        Moved(RanksOf(model.before), RanksOf(model.after)));
  }
  for (const CellDifference& cell : difference.cells) {
    text += fmt::format("{}{}, {}: {}, {}, rank {}\n  moved by: {}\n", text.empty() ? "" : "\n",
                        PlainLine(cell.model_name), PlainLine(cell.title),
                        Moved(VerdictOf(cell.before), VerdictOf(cell.after)),
                        Moved(ScoreOf(cell.before), ScoreOf(cell.after)),
                        Moved(RanksOf(cell.before), RanksOf(cell.after)), CausesOf(cell));
    text += RowsText(cell);
  }
  return text + fmt::format("{}{} cell{} differ{}, {} {} the same\n", text.empty() ? "" : "\n",
                            difference.cells.size(), difference.cells.size() == 1 ? "" : "s",
                            difference.cells.size() == 1 ? "s" : "", difference.same,
                            difference.same == 1 ? "is" : "are");
}

std::string DifferenceJson(const EvidenceDifference& difference) {
  nlohmann::json cells = nlohmann::json::array();
  for (const CellDifference& cell : difference.cells) {
    nlohmann::json rows = nlohmann::json::array();
    for (const RowDifference& row : cell.rows) {
      rows.push_back({{"title", row.title},
                      {"before", row.before},
                      {"after", row.after},
                      {"points", row.points},
                      {"within_noise", row.certainty == RowDifference::Certainty::kWithinNoise}});
    }
    nlohmann::json causes = nlohmann::json::array();
    for (const DifferenceCause cause : cell.causes) {
      causes.push_back(ToString(cause));
    }
    cells.push_back({{"model", cell.model},
                     {"challenge", cell.challenge},
                     {"before", NumbersToJson(cell.before)},
                     {"after", NumbersToJson(cell.after)},
                     {"causes", std::move(causes)},
                     {"rows", std::move(rows)}});
  }
  nlohmann::json models = nlohmann::json::array();
  for (const ModelDifference& model : difference.models) {
    models.push_back({{"model", model.model},
                      {"before", NumbersToJson(model.before)},
                      {"after", NumbersToJson(model.after)}});
  }
  const nlohmann::json json = {
      {"cells", std::move(cells)}, {"models", std::move(models)}, {"same", difference.same}};
  return DumpDocument(json);
}

Result<std::string> WithChangesEntry(const std::optional<std::string>& existing,
                                     const EvidenceDifference& difference, std::string_view when,
                                     std::string_view whose) {
  std::string page = existing.value_or(NewPage());
  const std::size_t entries = page.find(kEntries);
  if (!page.starts_with(kChangesMark) || entries == std::string::npos) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = "reports/CHANGES.md",
              .cause = "is in the way of the log of changes, and was not written by Assay",
              .remedy = "move it elsewhere"});
  }
  page.insert(entries + kEntries.size(), "\n" + Entry(difference, when, whose).text());
  // One empty line between entries, and none at the end.
  while (page.ends_with("\n\n")) {
    page.pop_back();
  }
  return page;
}

}  // namespace assay
