// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/select_cells.h"
#include "exec/evidence_store.h"
#include "report/report.h"
#include "spec/nearest.h"
#include "spec/repository.h"

namespace assay {
namespace {

/// Those with evidence, whether it holds or not.
std::vector<CellId> GradedCells(const std::filesystem::path& root) {
  const StoredEvidence stored = LoadAllEvidence(root);
  std::vector<CellId> cells;
  cells.reserve(stored.cells.size() + stored.unsound.size());
  for (const Evidence& evidence : stored.cells) {
    cells.push_back({.model = evidence.model, .challenge = evidence.challenge});
  }
  for (const UnsoundEvidence& unsound : stored.unsound) {
    cells.push_back(unsound.cell);
  }
  return cells;
}

Error NoEvidence(const std::filesystem::path& root, const std::string& word) {
  std::vector<std::string> known;
  for (const CellId& cell : GradedCells(root)) {
    known.push_back(ToString(cell));
  }
  const auto nearest = Nearest(word, known);
  return {.kind = ErrorKind::kConfiguration,
          .where = {},
          .cause = fmt::format("there is no evidence of \"{}\"", word),
          .remedy = nearest ? fmt::format("did you mean \"{}\"?", *nearest)
                            : fmt::format("run assay grade {}, or assay list", word)};
}

// A word such as `glm-5` that names no challenge means the model's only cell, if it has just one.
Result<CellId> ResolveCell(const std::filesystem::path& root, const std::string& word) {
  CellId cell = ParseCell(word);
  if (!cell.challenge.empty()) {
    return cell;
  }
  for (const CellId& graded : GradedCells(root)) {
    if (graded.model == cell.model && !cell.challenge.empty()) {
      return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                   .where = {},
                                   .cause = fmt::format("\"{}\" has more than one cell", word),
                                   .remedy = "write MODEL/CHALLENGE"});
    }
    if (graded.model == cell.model) {
      cell.challenge = graded.challenge;
    }
  }
  return cell;
}

/// Evidence of a cell, which the other models' does not contradict; nothing where there is none.
Result<std::optional<Evidence>> LoadSoundEvidence(const std::filesystem::path& root,
                                                  const CellId& cell) {
  StoredEvidence stored = LoadChallengeEvidence(root, cell.challenge);
  for (UnsoundEvidence& unsound : stored.unsound) {
    if (unsound.cell == cell) {
      return std::unexpected(std::move(unsound.fault));
    }
  }
  const auto found = std::ranges::find(stored.cells, cell.model, &Evidence::model);
  return found == stored.cells.end() ? std::nullopt : std::optional(std::move(*found));
}

std::string NotGradedYet(const std::filesystem::path& root, const CellId& cell,
                         OutputFormat format) {
  const std::string grade = "assay grade " + ToString(cell);
  const std::filesystem::path folder =
      root / std::filesystem::path("submissions") / cell.model / cell.challenge;
  const std::string tries =
      "assay try " + folder.lexically_relative(std::filesystem::current_path()).string();
  if (format == OutputFormat::kJson) {
    return Dump({{"model", cell.model},
                 {"challenge", cell.challenge},
                 {"verdict", nullptr},
                 {"grade", grade},
                 {"try", tries}});
  }
  return fmt::format(
      "{} is not graded yet, so there is nothing to explain.\n"
      "  {}   grades it\n"
      "  {}   builds it and runs the most telling cases, in seconds\n",
      ToString(cell), grade, tries);
}

Result<std::string> Explain(const Workplace& place, const ExplainOptions& options) {
  const std::filesystem::path& root = place.root;
  ASSAY_ASSIGN_OR_RETURN(const CellId cell, ResolveCell(root, options.cell));
  const LoadedRepository loaded = LoadRepository(root, place.installation.sources);
  if (const Errors faults = ChallengeFaults(loaded); !faults.empty()) {
    return std::unexpected(faults.front());
  }
  ASSAY_ASSIGN_OR_RETURN(const Challenges challenges, ReadViews(loaded.repository));
  const auto view = challenges.find(cell.challenge);
  ASSAY_ASSIGN_OR_RETURN(const auto evidence, LoadSoundEvidence(root, cell));
  if (!evidence && FindSubmission(loaded.repository, cell) != nullptr) {
    return NotGradedYet(root, cell, options.common.format);
  }
  if (view == challenges.end() || !evidence) {
    return std::unexpected(NoEvidence(root, options.cell));
  }
  return options.common.format == OutputFormat::kJson
             ? ExplainJson(*evidence, view->second, options.criterion)
             : RenderExplain(*evidence, view->second, options.criterion, options.rows);
}

}  // namespace

int RunExplain(const ExplainOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  const auto text = Explain(*place, options);
  if (!text) {
    return Fail(console, format, place->root, {text.error()});
  }
  console.out << *text;
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
