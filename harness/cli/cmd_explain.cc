// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/attestations.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/reports.h"
#include "cli/select_cells.h"
#include "exec/evidence_store.h"
#include "published/calibration_text.h"
#include "report/board.h"
#include "report/explain.h"
#include "report/report.h"
#include "spec/nearest.h"
#include "spec/repository.h"

namespace assay {
namespace {

/// What names the figures of calibration.md.
constexpr std::string_view kCalibrationWord = "calibration";

/// Those with evidence, whether it holds or not.
Result<std::vector<CellId>> GradedCells(const std::filesystem::path& root) {
  ASSAY_ASSIGN_OR_RETURN(const StoredEvidence stored, LoadAllEvidence(root));
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
  const auto graded = GradedCells(root);
  if (!graded) {
    return graded.error();
  }
  std::vector<std::string> known;
  for (const CellId& cell : *graded) {
    known.push_back(ToString(cell));
  }
  const auto nearest = Nearest(word, known);
  return {.kind = ErrorKind::kConfiguration,
          .where = {},
          .cause = fmt::format("there is no evidence of \"{}\"", word),
          .remedy = nearest ? fmt::format("did you mean \"{}\"?", *nearest)
                            : fmt::format("run assay grade {}, or assay list", word)};
}

/// The cell that the word names; of a model that has just one cell, that. None where the word is
/// about several.
Result<std::optional<CellId>> ResolveCell(const std::filesystem::path& root,
                                          const std::string& word) {
  CellId cell = ParseCell(word);
  if (!cell.challenge.empty()) {
    return cell;
  }
  ASSAY_ASSIGN_OR_RETURN(const std::vector<CellId> cells, GradedCells(root));
  for (const CellId& graded : cells) {
    if (graded.model == cell.model && !cell.challenge.empty()) {
      return std::nullopt;
    }
    if (graded.model == cell.model) {
      cell.challenge = graded.challenge;
    }
  }
  return cell.challenge.empty() ? std::nullopt : std::optional(std::move(cell));
}

/// `a_vs_b`, as files of matchups and rounds are named.
std::optional<ModelPair> ParsePair(const std::string& word) {
  constexpr std::string_view kBetween = "_vs_";
  const std::size_t at = word.find(kBetween);
  return at == std::string::npos ? std::nullopt
                                 : std::optional(ModelPair{.a = word.substr(0, at),
                                                           .b = word.substr(at + kBetween.size())});
}

/// A model, a challenge, two models or the calibration: what more than one cell makes.
Result<std::string> ExplainSeveral(const Workplace& place, const ExplainOptions& options) {
  const std::string& word = options.cell;
  const std::optional<std::string_view> row = options.criterion;
  if (options.rows == ExplainedRows::kAll) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "--all",
                                 .cause = fmt::format("is for a cell, and \"{}\" is none", word),
                                 .remedy = "write MODEL/CHALLENGE, or leave --all out"});
  }
  auto inputs = ReadReportInputs(place, Unsound::kSetAside);
  if (!inputs) {
    return std::unexpected(inputs.error().front());
  }
  const auto pair = ParsePair(word);
  std::vector<ModelPair> asked = inputs->asked_pairs;
  if (pair && row) {
    return std::unexpected(Error{
        .kind = ErrorKind::kConfiguration,
        .where = {},
        .cause = fmt::format("two models are explained without a row, and \"{}\" is one", *row),
        .remedy =
            fmt::format("leave it out; assay compare {} {} has every row", pair->a, pair->b)});
  }
  if (pair) {
    asked.push_back(*pair);
  }
  const Board board = MakeBoard(inputs->cells, inputs->challenges, asked, UnsoundCellsOf(*inputs));
  const bool is_json = options.common.format == OutputFormat::kJson;
  if (word == kCalibrationWord) {
    ASSAY_ASSIGN_OR_RETURN(std::string text, ExplainCalibration(inputs->studies, board, row));
    return is_json ? Dump({{"text", std::move(text)}}) : std::move(text);
  }
  if (pair) {
    return is_json ? CompareJson(inputs->cells, inputs->challenges, pair->a, pair->b)
                   : ExplainPair(board, pair->a, pair->b);
  }
  if (inputs->challenges.contains(word)) {
    return is_json ? ExplainChallengeJson(board, word, row) : ExplainChallenge(board, word, row);
  }
  if (std::ranges::find(board.standings, word, &ModelStanding::model) == board.standings.end()) {
    return std::unexpected(NoEvidence(place.root, word));
  }
  if (row) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = {},
                                 .cause = fmt::format("\"{}\" has more than one cell", word),
                                 .remedy = "write MODEL/CHALLENGE"});
  }
  return is_json ? ExplainModelJson(board, word) : ExplainModel(board, word);
}

/// The anchor of the challenge by that name, which is graded as a cell is.
std::optional<Evidence> FindAnchor(const Challenges& challenges, const CellId& cell) {
  const auto view = challenges.find(cell.challenge);
  if (view == challenges.end()) {
    return std::nullopt;
  }
  const auto found = std::ranges::find(view->second.anchors, cell.model, &Evidence::model);
  return found == view->second.anchors.end() ? std::nullopt : std::optional(*found);
}

/// Evidence of a cell, which neither the other models' nor its signature contradicts; nothing where
/// there is none.
Result<std::optional<Evidence>> LoadSoundEvidence(const std::filesystem::path& root,
                                                  const CellId& cell) {
  ASSAY_ASSIGN_OR_RETURN(StoredEvidence stored, LoadChallengeEvidence(root, cell.challenge));
  for (UnsoundEvidence& unsound : stored.unsound) {
    if (unsound.cell == cell) {
      return std::unexpected(std::move(unsound.fault));
    }
  }
  const auto found = std::ranges::find(stored.cells, cell.model, &Evidence::model);
  if (found == stored.cells.end()) {
    return std::nullopt;
  }
  ASSAY_ASSIGN_OR_RETURN(const auto attestations, ReadAttestations(root, {*found}));
  if (Errors refused = RefusedSignatures(attestations); !refused.empty()) {
    return std::unexpected(std::move(refused.front()));
  }
  return std::move(*found);
}

std::string NotGradedYet(const std::filesystem::path& root, const CellId& cell,
                         OutputFormat format) {
  const std::string grade = "assay grade " + ToString(cell);
  const std::filesystem::path folder =
      root / std::filesystem::path("submissions") / cell.model / cell.challenge;
  // Where there is no working directory any more, by its whole name.
  std::error_code failure;
  const std::filesystem::path here = std::filesystem::current_path(failure);
  const std::string tries =
      "assay try " + (failure ? folder : folder.lexically_relative(here)).string();
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
  ASSAY_ASSIGN_OR_RETURN(const std::optional<CellId> resolved, ResolveCell(root, options.cell));
  if (!resolved) {
    return ExplainSeveral(place, options);
  }
  const CellId& cell = *resolved;
  const LoadedRepository loaded = LoadRepository(root, place.installation.sources);
  if (const Errors faults = ChallengeFaults(loaded); !faults.empty()) {
    return std::unexpected(faults.front());
  }
  ASSAY_ASSIGN_OR_RETURN(const Challenges challenges, ReadViews(loaded.repository));
  const auto view = challenges.find(cell.challenge);
  ASSAY_ASSIGN_OR_RETURN(auto evidence, LoadSoundEvidence(root, cell));
  if (!evidence && FindSubmission(loaded.repository, cell) != nullptr) {
    return NotGradedYet(root, cell, options.common.format);
  }
  if (!evidence) {
    evidence = FindAnchor(challenges, cell);
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
