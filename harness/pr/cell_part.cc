// SPDX-License-Identifier: Apache-2.0
#include "pr/cell_part.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "pr/findings.h"
#include "pr/inert.h"
#include "pr/result_set.h"
#include "report/plain_text.h"
#include "report/words.h"

namespace assay {
namespace {

Markdown FirstFailure(const AssessedCell& assessed, const PageBounds& bounds) {
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

Markdown Compiler(const AssessedCell& assessed, const PageBounds& bounds) {
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

Markdown ToolFindings(const AssessedCell& assessed, const PageBounds& bounds) {
  std::vector<std::string> lines;
  for (const Finding& finding : FindingsOf(*assessed.cell, bounds.findings)) {
    if (finding.kind == Finding::Kind::kSanitizer || finding.kind == Finding::Kind::kDevice) {
      lines.push_back(Shorten(PlainLine(finding.message), bounds.text_bytes / 4));
    }
  }
  return lines.empty() ? Markdown()
                       : "\nFound while it ran:\n\n" + Markdown::CodeBlock(Join(lines, "\n"));
}

Markdown MovedRows(const AssessedCell& assessed, const PageBounds& bounds) {
  if (assessed.moved.empty()) {
    return {};
  }
  const bool is_built = assessed.cell->after->release.verdict == Verdict::kAccepted;
  if (!is_built) {
    return "\n" + Counted(assessed.moved.size(), "row", "rows") +
           " of the rubric lost, since nothing was built that could be measured.\n";
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
    text +=
        "\n" + Counted(assessed.moved.size() - bounds.rows, "more row", "more rows") + " moved.\n";
  }
  return text;
}

Markdown AgainstBase(const AssessedCell& assessed, const PageBounds& bounds) {
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
    text += "\n" +
            Counted(static_cast<std::size_t>(assessed.uncompared_times), "row of times is",
                    "rows of times are") +
            " not compared: " + Markdown::Text(assessed.why_uncompared) + "\n";
  }
  if (!assessed.cell->before_is_stale.empty()) {
    text += "\nThe base's evidence is not of the base as it is: " +
            InertText(assessed.cell->before_is_stale, kLongestLine_bytes) + "\n";
  }
  return text;
}

/// `add.cc changed, notes.h is new`.
Markdown ChangedFiles(const ChangedCell& cell, const PageBounds& bounds) {
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

}  // namespace

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

Markdown Counted(std::size_t count, const Markdown& one, const Markdown& several) {
  return Number(static_cast<long long>(count)) + " " + (count == 1 ? one : several);
}

Markdown CellName(const AssessedCell& assessed) { return InertName(ToString(assessed.cell->cell)); }

Markdown CellPart(const AssessedCell& assessed, const PageBounds& bounds) {
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

}  // namespace assay
