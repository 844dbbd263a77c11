// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "pr/cell_part.h"
#include "pr/cell_table.h"
#include "pr/inert.h"
#include "pr/result_set.h"
#include "report/markdown.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr PageBounds kComment{.page_bytes = kCommentLimit_bytes,
                              .names = 8,
                              .findings = 5,
                              .rows = 12,
                              .open_cells = 24,
                              .text_bytes = 1'500};
constexpr PageBounds kSummary{.page_bytes = kSummaryLimit_bytes,
                              .names = 40,
                              .findings = 40,
                              .rows = 60,
                              .open_cells = 100,
                              .text_bytes = 4'000};

/// Kept for what stands behind the parts of cells: what was cut, and the foot.
constexpr std::size_t kReserve_bytes = 6'000;
constexpr std::size_t kLongestNote_bytes = 480;
constexpr std::size_t kShortCommit = 10;

Markdown GateLines(const Change& change, const Assessment& assessment, const PageBounds& bounds) {
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
  if (assessment.gate_holds && assessment.judge_errors > 0) {
    return text + "**The gate is open:** it fails for no cell that was graded, but " +
           Counted(static_cast<std::size_t>(assessment.judge_errors), "cell was", "cells were") +
           " not, by our fault and not by the submission's. Grade again.\n\n";
  }
  if (assessment.gate_holds) {
    return text + "The gate holds.\n\n";
  }
  text += "**The gate fails:**\n\n";
  std::size_t shown = 0;
  for (const AssessedCell& assessed : assessment.cells) {
    if (!assessed.gate_failure.empty() && shown++ < bounds.names) {
      text += "- " + CellName(assessed) + " " +
              InertText(assessed.gate_failure, kLongestLine_bytes) + "\n";
    }
  }
  if (shown > bounds.names) {
    text += "- and " + Number(static_cast<long long>(shown - bounds.names)) + " more\n";
  }
  return text + "\n";
}

/// Cells that hand in what they did, graded by the base's judge.
Markdown JudgedByTheBase(const Change& change, const PageBounds& bounds) {
  std::vector<std::string> cells;
  for (const ChangedCell& cell : change.cells) {
    if (cell.change == CellChange::kJudged) {
      cells.push_back(ToString(cell.cell));
    }
  }
  if (cells.empty() || change.judge == JudgeOf::kChange) {
    return {};
  }
  return "\nThe change touches the challenge of " + Names(cells, bounds.names) +
         ", which hand in what they did. The base's suite graded them: these are its results, and "
         "the change moves none. `--judge=change` shows what it does to them.\n";
}

/// What the change touches and nobody graded, and why.
Markdown NotGraded(const Change& change, const PageBounds& bounds) {
  Markdown text = JudgedByTheBase(change, bounds);
  if (!change.reached.empty()) {
    std::vector<std::string> cells;
    cells.reserve(change.reached.size());
    for (const ReachedCell& reached : change.reached) {
      cells.push_back(ToString(reached.cell));
    }
    text += "\nThe change touches what judges " + Number(static_cast<long long>(cells.size())) +
            " more: " + Names(cells, bounds.names) + " (" +
            InertText(change.reached.front().why, kLongestLine_bytes) +
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
                  InertText(change.assay_version, kLongestLine_bytes);
  if (!change.sandbox_level.empty()) {
    text += ", sandbox level " + InertText(change.sandbox_level, kLongestLine_bytes) + ", seed " +
            Markdown::Text(std::to_string(change.seed));
  }
  return text + ".\n";
}

std::string RenderPage(const Change& change, const Assessment& assessment,
                       const PageBounds& bounds) {
  Markdown page = "<!-- assay:pr -->\n### Assay: " +
                  Markdown::Text(change.refusals.empty() ? VerdictLine(assessment) : "refused") +
                  "\n\n";
  page += GateLines(change, assessment, bounds);
  if (!assessment.cells.empty()) {
    page += WhatChanged(assessment) + CellTable(assessment, bounds) + "\n";
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
    // What follows matters less, and is left out too where it would still fit.
    if (!cut.empty() || page.text().size() + part.text().size() > room) {
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
