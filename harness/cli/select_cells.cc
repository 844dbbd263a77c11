// SPDX-License-Identifier: Apache-2.0
#include "cli/select_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "exec/signature_store.h"
#include "spec/nearest.h"

namespace assay {
namespace {

bool Matches(const CellId& cell, const CellId& wanted) {
  return cell.model == wanted.model &&
         (wanted.challenge.empty() || cell.challenge == wanted.challenge);
}

bool IsBelow(std::string_view where, std::string_view place) {
  return where.starts_with(place) &&
         (where.size() == place.size() || where[place.size()] == '/' || where[place.size()] == ':');
}

// Whether the fault is in a file that grading `wanted` reads.
bool Concerns(const Error& fault, const CellId& wanted) {
  const std::string model = "submissions/" + wanted.model;
  if (wanted.challenge.empty()) {
    return IsBelow(fault.where, model) || IsBelow(fault.where, "challenges");
  }
  return IsBelow(fault.where, model + "/model.yaml") ||
         IsBelow(fault.where, model + "/" + wanted.challenge) ||
         IsBelow(fault.where, "challenges/" + wanted.challenge);
}

Error UnknownCell(const Repository& repository, const std::string& word) {
  std::set<std::string> known;
  for (const SubmissionSpec& submission : repository.submissions) {
    known.insert(word.find('/') == std::string::npos
                     ? submission.model
                     : ToString(CellId{submission.model, submission.challenge}));
  }
  return {.kind = ErrorKind::kConfiguration,
          .where = {},
          .cause = fmt::format("there is no submission \"{}\"", word),
          .remedy = SuggestOneOf(word, {known.begin(), known.end()})};
}

}  // namespace

CellId ParseCell(std::string_view word) {
  const std::size_t slash = word.find('/');
  CellId cell{.model = std::string(word.substr(0, slash)), .challenge = {}};
  if (slash != std::string_view::npos) {
    cell.challenge = word.substr(slash + 1);
  }
  return cell;
}

Checked<std::vector<CellId>> SelectCells(const LoadedRepository& loaded,
                                         const std::vector<std::string>& words) {
  std::set<CellId> cells;
  Errors errors;
  if (words.empty()) {
    errors = loaded.faults;
    for (const SubmissionSpec& submission : loaded.repository.submissions) {
      cells.insert({submission.model, submission.challenge});
    }
  }
  for (const std::string& word : words) {
    const CellId wanted = ParseCell(word);
    const std::size_t errors_before = errors.size();
    std::ranges::copy_if(loaded.faults, std::back_inserter(errors),
                         [&](const Error& fault) { return Concerns(fault, wanted); });
    const std::size_t cells_before = cells.size();
    bool found = false;
    for (const SubmissionSpec& submission : loaded.repository.submissions) {
      const CellId cell{submission.model, submission.challenge};
      if (Matches(cell, wanted)) {
        cells.insert(cell);
        found = true;
      }
    }
    if (!found && errors.size() == errors_before && cells.size() == cells_before) {
      errors.push_back(UnknownCell(loaded.repository, word));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return std::vector<CellId>(cells.begin(), cells.end());
}

Errors ChallengeFaults(const LoadedRepository& loaded) {
  Errors faults;
  std::ranges::copy_if(loaded.faults, std::back_inserter(faults),
                       [](const Error& fault) { return IsBelow(fault.where, "challenges"); });
  return faults;
}

Result<Challenges> ReadViews(const Repository& repository) {
  Challenges views;
  for (const ChallengeSpec& challenge : repository.challenges) {
    if (const Rubric* const rubric = FindRubric(repository, challenge.id)) {
      ASSAY_ASSIGN_OR_RETURN(auto signatures, LoadSignatures(repository.sources, challenge.id));
      views[challenge.id] = {
          .spec = challenge, .rubric = *rubric, .signatures = std::move(signatures)};
    }
  }
  return views;
}

}  // namespace assay
