// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "pr/findings.h"
#include "pr/inert.h"
#include "pr/result_set.h"
#include "report/markdown.h"
#include "report/plain_text.h"
#include "report/words.h"
#include "score/format.h"

namespace assay {
namespace {

/// How much of each thing one page shows.
struct Bounds {
  std::size_t page_bytes;
  std::size_t names;  ///< Of cases, files, paths.
  std::size_t findings;
  std::size_t rows;
  std::size_t text_bytes;  ///< Of a compiler's output or a case's detail.
};
constexpr Bounds kComment{
    .page_bytes = kCommentLimit_bytes, .names = 8, .findings = 5, .rows = 12, .text_bytes = 1'500};
constexpr Bounds kSummary{.page_bytes = kSummaryLimit_bytes,
                          .names = 40,
                          .findings = 40,
                          .rows = 60,
                          .text_bytes = 4'000};

/// Kept for what stands behind the parts of cells: what was cut, and the foot.
constexpr std::size_t kReserve_bytes = 6'000;
constexpr std::size_t kLongestNote_bytes = 480;
constexpr std::size_t kShortCommit = 10;

Markdown Names(const std::vector<std::string>& names, std::size_t most) {
  std::vector<Markdown> parts;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    parts.push_back(InertName(names[i]));
  }
  Markdown list = Markdown::Join(parts, ", ");
  if (names.size() > most) {
    list += " and " + Number(static_cast<long long>(names.size() - most)) + " more";
  }
  return list;
}

Markdown CellName(const AssessedCell& assessed) { return InertName(ToString(assessed.cell->cell)); }

Markdown VerdictCell(const AssessedCell& assessed) {
  const auto word = [](const std::optional<Verdict>& verdict) {
    return Markdown::Text(verdict ? ToString(*verdict) : "not graded");
  };
  if (assessed.cell->change == CellChange::kRemoved) {
    return "removed";
  }
  if (assessed.before && assessed.before != assessed.after) {
    return word(assessed.before) + " → " + Markdown::Bold(word(assessed.after));
  }
  return word(assessed.after) + (assessed.before ? Markdown() : Markdown(" (new)"));
}

Markdown ScoreCellText(const AssessedCell& assessed) {
  Markdown text = Markdown::Text(FormatScore(assessed.score_after));
  if (assessed.score_before && assessed.score_after) {
    text +=
        Markdown::Text(fmt::format(" ({:+.1f})", *assessed.score_after - *assessed.score_before));
  }
  return text;
}

/// One row a cell, as many as fit into half of the page.
Markdown CellTable(const Assessment& assessment, const Bounds& bounds) {
  const auto make = [&](std::size_t count) {
    MarkdownTable table({{"Cell", Align::kLeft},
                         {"Verdict", Align::kLeft},
                         {"Score", Align::kRight},
                         {"Rank", Align::kLeft},
                         {"Gate", Align::kLeft}});
    for (std::size_t i = 0; i < count; ++i) {
      const AssessedCell& assessed = assessment.cells[i];
      table.AddRow({CellName(assessed), VerdictCell(assessed), ScoreCellText(assessed),
                    Markdown::Text(StandingText(assessed.standing_before, assessed.standing_after)),
                    assessed.gate_failure.empty() ? Markdown("holds") : Markdown("**fails**")});
    }
    return table.Render();
  };
  std::size_t count = assessment.cells.size();
  while (count > 1 && make(count).text().size() > bounds.page_bytes / 2) {
    count = count * 3 / 4;
  }
  Markdown text = make(count);
  if (count < assessment.cells.size()) {
    text +=
        "\nRows cut to fit: " + Number(static_cast<long long>(assessment.cells.size() - count)) +
        " more cells; `results.jsonl` has all.\n";
  }
  return text;
}

Markdown FirstFailure(const AssessedCell& assessed, const Bounds& bounds) {
  const Evidence& after = *assessed.cell->after;
  const CaseEvidence* const failing = FirstFailingCase(after);
  if (failing == nullptr) {
    return after.verdict == Verdict::kAccepted || after.verdict_detail.empty()
               ? Markdown()
               : "Why:\n\n" + Markdown::CodeBlock(Shorten(after.verdict_detail, bounds.text_bytes));
  }
  Markdown text = "First failing case: " + InertName(failing->name) + ", " +
                  Markdown::Text(ToString(failing->verdict)) + "\n\n";
  text += Markdown::CodeBlock(Shorten(failing->detail, bounds.text_bytes));
  if (failing->reproduction) {
    text += "\nShortest calls that fail:\n\n" +
            Markdown::CodeBlock(Shorten(*failing->reproduction, bounds.text_bytes));
  }
  return text + "\nReproduce it:\n\n" +
         Markdown::CodeBlock(
             ReproduceCommand(assessed.cell->cell, failing->name, after.environment.seed));
}

Markdown Compiler(const AssessedCell& assessed, const Bounds& bounds) {
  const Evidence& after = *assessed.cell->after;
  for (const BuildEvidence* const build : {&after.release, &after.sanitized}) {
    if (build->verdict != Verdict::kAccepted && build->verdict != Verdict::kSkipped) {
      // A line behind the block would be HTML but for the empty one.
      return Markdown::Details(
                 build == &after.release ? "What the compiler said"
                                         : "What the sanitized build said",
                 Markdown::CodeBlock(Truncate(build->diagnostics, bounds.text_bytes))) +
             "\n";
    }
  }
  return {};
}

Markdown ToolFindings(const AssessedCell& assessed, const Bounds& bounds) {
  std::string lines;
  for (const Finding& finding : FindingsOf(*assessed.cell, bounds.findings)) {
    if (finding.kind == Finding::Kind::kSanitizer || finding.kind == Finding::Kind::kDevice) {
      lines += Shorten(PlainLine(finding.message), bounds.text_bytes / 4) + "\n";
    }
  }
  return lines.empty() ? Markdown() : "Found while it ran:\n\n" + Markdown::CodeBlock(lines);
}

Markdown MovedRows(const AssessedCell& assessed, const Bounds& bounds) {
  if (assessed.moved.empty()) {
    return {};
  }
  MarkdownTable table({{"Row that moved", Align::kLeft},
                       {"Base", Align::kRight},
                       {"Now", Align::kRight},
                       {"", Align::kLeft}});
  for (std::size_t i = 0; i < std::min(bounds.rows, assessed.moved.size()); ++i) {
    const MovedRow& row = assessed.moved[i];
    table.AddRow({InertText(row.title, kLongestCell_bytes),
                  InertText(row.before, kLongestCell_bytes),
                  InertText(row.after, kLongestCell_bytes),
                  row.is_better ? Markdown("better") : Markdown("worse")});
  }
  Markdown text = "\n" + table.Render();
  if (assessed.moved.size() > bounds.rows) {
    text += "\n" + Number(static_cast<long long>(assessed.moved.size() - bounds.rows)) +
            " more rows moved.\n";
  }
  return text;
}

Markdown AgainstBase(const AssessedCell& assessed, const Bounds& bounds) {
  Markdown text;
  const auto list = [&](const Markdown& what, const std::vector<std::string>& names) {
    if (!names.empty()) {
      text += "\n" + what + ": " + Names(names, bounds.names) + "\n";
    }
  };
  list("Cases that now fail", assessed.newly_failing);
  list("Cases that now pass", assessed.newly_passing);
  text += MovedRows(assessed, bounds);
  if (assessed.uncompared_times > 0) {
    text += "\n" + Number(assessed.uncompared_times) +
            " rows of times are not compared: " + Markdown::Text(assessed.why_uncompared) + "\n";
  }
  if (!assessed.cell->before_is_stale.empty()) {
    text += "\nThe base's evidence is not of the base as it is: " +
            InertText(assessed.cell->before_is_stale, kLongestCell_bytes) + "\n";
  }
  return text;
}

/// `add.cc changed, notes.h is new`.
Markdown ChangedFiles(const ChangedCell& cell, const Bounds& bounds) {
  const std::string folder =
      fmt::format("submissions/{}/{}/", cell.cell.model, cell.cell.challenge);
  std::vector<std::string> files;
  files.reserve(cell.changes.size());
  for (const std::string& change : cell.changes) {
    files.push_back(change.starts_with(folder) ? change.substr(folder.size()) : change);
  }
  return files.empty()
             ? Markdown()
             : "\nFiles: " + InertText(FirstOf(files, bounds.names), bounds.text_bytes) + "\n";
}

Markdown CellPart(const AssessedCell& assessed, const Bounds& bounds) {
  const ChangedCell& cell = *assessed.cell;
  Markdown text;
  for (std::size_t i = 0; i < std::min(bounds.findings, cell.faults.size()); ++i) {
    text += Markdown::CodeBlock(Shorten(ToString(cell.faults[i]), bounds.text_bytes));
  }
  if (cell.after) {
    text += FirstFailure(assessed, bounds) + Compiler(assessed, bounds) +
            ToolFindings(assessed, bounds) + AgainstBase(assessed, bounds);
  }
  return text + ChangedFiles(cell, bounds);
}

Markdown GateLines(const Change& change, const Assessment& assessment, const Bounds& bounds) {
  Markdown text;
  if (change.judge == JudgeOf::kChange) {
    text +=
        "Graded by the change's **own** harness and challenges: this shows what it does to "
        "them, and is no result.\n\n";
  }
  if (!change.refusals.empty()) {
    text += "**Refused; nothing was graded:**\n\n";
    for (std::size_t i = 0; i < std::min(bounds.names, change.refusals.size()); ++i) {
      text += "- " + InertText(change.refusals[i], kLongestNote_bytes) + "\n";
    }
    return text + "\n";
  }
  if (assessment.gate_holds) {
    return text + "The gate holds.\n\n";
  }
  text += "**The gate fails:**\n\n";
  std::size_t shown = 0;
  for (const AssessedCell& assessed : assessment.cells) {
    if (!assessed.gate_failure.empty() && shown++ < bounds.names) {
      text += "- " + CellName(assessed) + " " +
              InertText(assessed.gate_failure, kLongestCell_bytes) + "\n";
    }
  }
  if (shown > bounds.names) {
    text += "- and " + Number(static_cast<long long>(shown - bounds.names)) + " more\n";
  }
  return text + "\n";
}

/// What the change touches and nobody graded, and why.
Markdown NotGraded(const Change& change, const Bounds& bounds) {
  Markdown text;
  if (!change.reached.empty()) {
    std::vector<std::string> cells;
    cells.reserve(change.reached.size());
    for (const ReachedCell& reached : change.reached) {
      cells.push_back(ToString(reached.cell));
    }
    text += "\nThe change touches what judges " + Number(static_cast<long long>(cells.size())) +
            " more: " + Names(cells, bounds.names) + " (" +
            InertText(change.reached.front().why, kLongestCell_bytes) +
            "). The base's judge graded here, so their results are the base's; "
            "`--judge=change` shows what the change does to them.\n";
  }
  if (!change.evidence.empty()) {
    text += "\nIgnored, since evidence is made and never handed in: " +
            Names(change.evidence, bounds.names) + "\n";
  }
  if (!change.outside.empty()) {
    text += "\nChanged in no model's folder: " + Names(change.outside, bounds.names) + "\n";
  }
  if (change.models.size() > 1) {
    text +=
        "\nIt changes the folders of several models: " + Names(change.models, bounds.names) + "\n";
  }
  for (std::size_t i = 0; i < std::min(bounds.names, change.notes.size()); ++i) {
    text += "\n" + InertText(change.notes[i], kLongestNote_bytes) + "\n";
  }
  return text;
}

Markdown Foot(const Change& change) {
  Markdown text = "\n---\nBase " + InertName(change.base) + " (" +
                  InertName(change.base_commit.substr(0, kShortCommit)) + "), change " +
                  InertName(change.head) + " (" +
                  InertName(change.head_commit.substr(0, kShortCommit)) + "), Assay " +
                  InertText(change.assay_version, kLongestCell_bytes);
  if (!change.sandbox_level.empty()) {
    text += ", sandbox level " + InertText(change.sandbox_level, kLongestCell_bytes) + ", seed " +
            Markdown::Text(std::to_string(change.seed));
  }
  return text + ".\n";
}

std::string RenderPage(const Change& change, const Assessment& assessment, const Bounds& bounds) {
  Markdown page = "<!-- assay:pr -->\n### Assay: " +
                  Markdown::Text(change.refusals.empty() ? VerdictLine(assessment) : "refused") +
                  "\n\n";
  page += GateLines(change, assessment, bounds);
  if (!assessment.cells.empty()) {
    page += CellTable(assessment, bounds) + "\n";
  }
  const Markdown tail = NotGraded(change, bounds) + Foot(change);
  const std::size_t room = bounds.page_bytes - kReserve_bytes - tail.text().size();
  std::vector<std::string> cut;
  for (std::size_t i = 0; i < assessment.cells.size(); ++i) {
    const AssessedCell& assessed = assessment.cells[i];
    const Markdown body = CellPart(assessed, bounds);
    // The first is what its reader came for.
    const Markdown part = i == 0 ? "#### " + CellName(assessed) + "\n\n" + body
                                 : Markdown::Details(ToString(assessed.cell->cell), body);
    if (body.empty()) {
      continue;
    }
    if (page.text().size() + part.text().size() > room) {
      cut.push_back(ToString(assessed.cell->cell));
    } else {
      page += part + "\n";
    }
  }
  if (!cut.empty()) {
    page +=
        "Parts cut to fit: " + Names(cut, bounds.names) +
        (bounds.page_bytes == kCommentLimit_bytes ? Markdown("; `summary.md` has more.\n")
                                                  : Markdown("; `results.jsonl` has all cells.\n"));
  }
  return (page + tail).text();
}

}  // namespace

std::string CommentMarkdown(const Change& change, const Assessment& assessment) {
  return RenderPage(change, assessment, kComment);
}

std::string SummaryMarkdown(const Change& change, const Assessment& assessment) {
  return RenderPage(change, assessment, kSummary);
}

std::string ReproduceCommand(const CellId& cell, const std::string& case_name, std::uint64_t seed) {
  return fmt::format("assay try submissions/{}/{} --case '{}' --seed {}", cell.model,
                     cell.challenge, case_name, seed);
}

}  // namespace assay
