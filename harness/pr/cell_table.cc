// SPDX-License-Identifier: Apache-2.0
#include "pr/cell_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "report/words.h"
#include "score/format.h"

namespace assay {
namespace {

Markdown VerdictCell(const AssessedCell& assessed) {
  const auto word = [](const std::optional<Verdict>& verdict) {
    return Markdown::Text(verdict ? ToString(*verdict) : "not graded");
  };
  if (assessed.cell->change == CellChange::kRemoved) {
    return assessed.before ? word(assessed.before) + " → **removed**" : Markdown("removed");
  }
  if (assessed.before && assessed.before != assessed.after) {
    return word(assessed.before) + " → " + Markdown::Bold(word(assessed.after));
  }
  return word(assessed.after) + (assessed.before ? Markdown() : Markdown(" (new)"));
}

Markdown ScoreCellText(const AssessedCell& assessed) {
  const std::string after = FormatScore(assessed.score_after);
  if (!assessed.score_before) {
    return Markdown::Text(after);
  }
  return Markdown::Text(
      assessed.score_after
          ? fmt::format("{} ({:+.1f})", after, *assessed.score_after - *assessed.score_before)
          : fmt::format("{} (was {})", after, FormatScore(assessed.score_before)));
}

Markdown GateCell(const AssessedCell& assessed) {
  if (assessed.after == Verdict::kJudgeError) {
    return "open";
  }
  return assessed.gate_failure.empty() ? Markdown("holds") : Markdown("**fails**");
}

Markdown CellRows(std::span<const AssessedCell> cells) {
  MarkdownTable table({{"Cell", Align::kLeft},
                       {"Verdict", Align::kLeft},
                       {"Score", Align::kRight},
                       {"Rank", Align::kLeft},
                       {"Gate", Align::kLeft}});
  for (const AssessedCell& assessed : cells) {
    table.AddRow({CellName(assessed), VerdictCell(assessed), ScoreCellText(assessed),
                  Markdown::Text(StandingText(assessed.standing_before, assessed.standing_after)),
                  GateCell(assessed)});
  }
  return table.Render();
}

}  // namespace

Markdown CellTable(const Assessment& assessment, const PageBounds& bounds) {
  const std::span<const AssessedCell> cells = assessment.cells;
  const std::size_t open = std::min(cells.size(), bounds.open_cells);
  Markdown text = CellRows(cells.first(open));
  const std::span<const AssessedCell> others = cells.subspan(open);
  std::size_t count = others.size();
  while (count > 0 && CellRows(others.first(count)).text().size() > bounds.page_bytes / 2) {
    count = count * 3 / 4;
  }
  if (count > 0) {
    text +=
        "\n" + Markdown::Details(count == 1 ? "1 more cell" : fmt::format("{} more cells", count),
                                 CellRows(others.first(count)));
  }
  if (count < others.size()) {
    text += "\nRows cut to fit: " + Counted(others.size() - count, "more cell", "more cells") +
            "; `results.jsonl` has all.\n";
  }
  return text;
}

Markdown WhatChanged(const Assessment& assessment) {
  const auto count_of_all = [&](auto is_so) {
    return std::ranges::count_if(assessment.cells, is_so);
  };
  const auto is_removed = [](const AssessedCell& one) {
    return one.cell->change == CellChange::kRemoved;
  };
  const auto is_graded = [](const AssessedCell& one) {
    return one.after && one.after != Verdict::kJudgeError;
  };
  const auto count = [&](auto is_so) {
    return count_of_all([&](const AssessedCell& one) { return is_graded(one) && is_so(one); });
  };
  const auto is_compared = [](const AssessedCell& one) {
    return one.score_before && one.score_after;
  };
  const std::pair<std::ptrdiff_t, std::string_view> parts[] = {
      {count([](const AssessedCell& one) {
         return one.before == Verdict::kAccepted && one.after != Verdict::kAccepted;
       }),
       "no longer accepted"},
      {count([](const AssessedCell& one) {
         return one.before && one.before != Verdict::kAccepted && one.after == Verdict::kAccepted;
       }),
       "newly accepted"},
      {count([](const AssessedCell& one) { return !one.before; }), "new"},
      {count([&](const AssessedCell& one) {
         return is_compared(one) && *one.score_after > *one.score_before;
       }),
       "with a higher score"},
      {count([&](const AssessedCell& one) {
         return is_compared(one) && *one.score_after < *one.score_before;
       }),
       "with a lower one"},
      {count_of_all(is_removed), "removed"},
      {count_of_all([&](const AssessedCell& one) { return !is_graded(one) && !is_removed(one); }),
       "that cannot be graded"}};
  std::vector<std::string> said;
  for (const auto& [number, what] : parts) {
    if (number > 0) {
      said.push_back(fmt::format("{} {}", number, what));
    }
  }
  return assessment.cells.size() < 2
             ? Markdown()
             : "Against the base: " +
                   Markdown::Text(said.empty() ? "nothing moved" : Join(said, ", ")) + ".\n\n";
}

}  // namespace assay
