// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/select_cells.h"
#include "cli/table.h"
#include "exec/evidence_store.h"
#include "exec/input_changes.h"
#include "score/format.h"
#include "score/scorecard.h"
#include "spec/repository.h"

namespace assay {
namespace {

constexpr const char* kNotGraded = "not graded";
constexpr const char* kUnsound = "unsound";

// One cell as it is on record, and what `grade` would do with it.
struct ListedCell {
  CellId cell;
  std::string verdict;
  std::optional<double> score;  ///< Overall; nothing where there is none.
  /// Whether the evidence holds: nothing where that cannot be told, or there is no evidence.
  std::optional<bool> holds;
  std::string reason;                ///< Why it does not hold, or why that cannot be told.
  std::vector<std::string> changes;  ///< One entry a file.
};

/// By cell, so that each is found at once.
struct EvidenceByCell {
  std::map<CellId, Evidence> cells;
  std::map<CellId, Error> unsound;
};

Result<EvidenceByCell> LoadByCell(const std::filesystem::path& root) {
  ASSAY_ASSIGN_OR_RETURN(StoredEvidence stored, LoadAllEvidence(root));
  EvidenceByCell by_cell;
  for (Evidence& evidence : stored.cells) {
    const CellId cell{.model = evidence.model, .challenge = evidence.challenge};
    by_cell.cells.emplace(cell, std::move(evidence));
  }
  for (UnsoundEvidence& one : stored.unsound) {
    by_cell.unsound.emplace(one.cell, RelativeTo(root, {std::move(one.fault)}).front());
  }
  return by_cell;
}

// What grading would have; an error where this machine cannot grade.
Result<Environment> EnvironmentNow(const GradeServices& services) {
  ASSAY_ASSIGN_OR_RETURN(const SandboxLevel level,
                         ChooseLevel(services.detect_capabilities(), {}, {}));
  return services.describe_environment(level, 0);
}

/// A cell with evidence and without a submission that could be read. Only one whose folder is not
/// there may be called gone: assay rm would remove the folder too.
ListedCell WithoutSubmission(const std::filesystem::path& root, const CellId& cell) {
  ListedCell listed;
  listed.cell = cell;
  if (!IsThere(root / "submissions" / cell.model / cell.challenge).value_or(true)) {
    listed.holds = false;
    listed.reason =
        fmt::format("its submission is gone; assay rm {} removes the evidence", ToString(cell));
  } else {
    listed.reason = "it, or its challenge, is at fault; assay check says how";
  }
  return listed;
}

/// Cells that reports still show, and whose submission is at fault, or was taken away by other
/// means than assay rm.
void AddThoseWithoutSubmission(const Repository& repository, const Result<Challenges>& views,
                               const EvidenceByCell& stored, std::vector<ListedCell>& cells) {
  for (const auto& [cell, evidence] : stored.cells) {
    if (FindSubmission(repository, cell) != nullptr) {
      continue;
    }
    ListedCell& listed = cells.emplace_back(WithoutSubmission(repository.root, cell));
    listed.verdict = ToString(evidence.verdict);
    if (views && views->contains(cell.challenge)) {
      listed.score = ScoreCell(views->at(cell.challenge), evidence).overall;
    }
  }
  for (const auto& [cell, fault] : stored.unsound) {
    if (FindSubmission(repository, cell) != nullptr) {
      continue;
    }
    ListedCell& listed = cells.emplace_back(WithoutSubmission(repository.root, cell));
    listed.verdict = kUnsound;
    if (!listed.holds) {
      listed.holds = false;
      listed.reason = ToString(fault);
    }
  }
}

Result<std::vector<ListedCell>> ListCells(const Repository& repository,
                                          const Installation& installation,
                                          const GradeServices& services) {
  InputReader reader(services.input_places(installation));
  const auto views = ReadViews(repository);
  const auto now = EnvironmentNow(services);
  ASSAY_ASSIGN_OR_RETURN(const EvidenceByCell stored, LoadByCell(repository.root));
  std::vector<ListedCell> cells;
  for (const SubmissionSpec& submission : repository.submissions) {
    ListedCell& listed = cells.emplace_back();
    listed.cell = {submission.model, submission.challenge};
    if (const auto fault = stored.unsound.find(listed.cell); fault != stored.unsound.end()) {
      listed.verdict = kUnsound;
      listed.holds = false;
      listed.reason = ToString(fault->second);
      continue;
    }
    const auto found = stored.cells.find(listed.cell);
    if (found == stored.cells.end()) {
      listed.verdict = kNotGraded;
      continue;
    }
    const Evidence& evidence = found->second;
    listed.verdict = ToString(evidence.verdict);
    if (views && views->contains(submission.challenge)) {
      listed.score = ScoreCell(views->at(submission.challenge), evidence).overall;
    }
    const auto inputs = reader.Read(repository.root, submission);
    if (!inputs) {
      listed.reason = ToString(inputs.error());
      continue;
    }
    listed.changes = ChangesSince(repository.root, evidence, *inputs);
    const Environment& then = evidence.environment;
    const auto why = WhyStale(evidence, listed.changes,
                              now ? EnvironmentFor(submission, *now) : then, std::nullopt);
    listed.holds = !why;
    listed.reason = why.value_or("");
  }
  AddThoseWithoutSubmission(repository, views, stored, cells);
  return cells;
}

std::string StateOf(const ListedCell& cell) {
  if (!cell.holds) {
    return cell.reason.empty() ? "" : "cannot be checked: " + cell.reason;
  }
  if (*cell.holds) {
    return "holds";
  }
  return (cell.verdict == kUnsound ? "does not hold: " : "stale: ") + cell.reason;
}

/// A verdict is good or bad; evidence that no longer holds steps back.
std::optional<Tone> ToneOf(const std::vector<std::string>& row, std::size_t column) {
  constexpr std::size_t kVerdict = 1;
  constexpr std::size_t kEvidence = 3;
  if (column == kVerdict && row[column] != "VERDICT" && row[column] != kNotGraded) {
    return row[column] == ToString(Verdict::kAccepted) ? Tone::kGood : Tone::kBad;
  }
  return column == kEvidence && row[column].starts_with("stale") ? std::optional(Tone::kFaint)
                                                                 : std::nullopt;
}

std::string ListText(const Repository& repository, const std::vector<ListedCell>& listed,
                     Colour colour) {
  std::vector<std::vector<std::string>> challenges = {{"CHALLENGE", "TITLE", "LANGUAGES"}};
  for (const ChallengeSpec& challenge : repository.challenges) {
    std::string languages;
    for (const std::string& language : challenge.languages) {
      languages += (languages.empty() ? "" : ", ") + language;
    }
    challenges.push_back({challenge.id, challenge.title, languages});
  }
  std::vector<std::vector<std::string>> models = {{"MODEL", "NAME", ""}};
  for (const ModelSpec& model : repository.models) {
    models.push_back({model.id, model.name, model.reconstruction ? "reconstruction" : ""});
  }
  std::vector<std::vector<std::string>> cells = {{"CELL", "VERDICT", "SCORE", "EVIDENCE"}};
  for (const ListedCell& cell : listed) {
    cells.push_back({ToString(cell.cell), cell.verdict, cell.score ? FormatScore(cell.score) : "-",
                     StateOf(cell)});
  }
  return FormatTable(challenges) + "\n" + FormatTable(models) + "\n" +
         FormatTable(cells, colour, &ToneOf);
}

nlohmann::json ListJson(const Repository& repository, const std::vector<ListedCell>& listed,
                        const Errors& faults) {
  nlohmann::json list = {{"challenges", nlohmann::json::array()},
                         {"models", nlohmann::json::array()},
                         {"cells", nlohmann::json::array()},
                         {"errors", ErrorsToJson(faults)}};
  for (const ChallengeSpec& challenge : repository.challenges) {
    list["challenges"].push_back(
        {{"id", challenge.id}, {"title", challenge.title}, {"languages", challenge.languages}});
  }
  for (const ModelSpec& model : repository.models) {
    list["models"].push_back(
        {{"id", model.id}, {"name", model.name}, {"reconstruction", model.reconstruction}});
  }
  for (const ListedCell& cell : listed) {
    list["cells"].push_back({{"model", cell.cell.model},
                             {"challenge", cell.cell.challenge},
                             {"verdict", cell.verdict},
                             {"score", cell.score ? nlohmann::json(*cell.score) : nullptr},
                             {"holds", cell.holds ? nlohmann::json(*cell.holds) : nullptr},
                             {"reason", cell.reason},
                             {"changes", cell.changes}});
  }
  return list;
}

}  // namespace

int RunList(const ListOptions& options, const GradeServices& services, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  const LoadedRepository loaded = LoadRepository(place->root, place->installation.sources);
  const auto cells = ListCells(loaded.repository, place->installation, services);
  if (!cells) {
    return Fail(console, format, place->root, {cells.error()});
  }
  console.out << (format == OutputFormat::kJson
                      ? Dump(ListJson(loaded.repository, *cells, loaded.faults))
                      : ListText(loaded.repository, *cells, console.colour));
  if (!loaded.faults.empty() && format == OutputFormat::kText) {
    console.err << "Left out what is at fault; assay check says what.\n";
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
