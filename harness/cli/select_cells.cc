// SPDX-License-Identifier: Apache-2.0
#include "cli/select_cells.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <set>
#include <utility>

#include "exec/anchors.h"
#include "exec/mutant_homes.h"
#include "exec/signature_store.h"
#include "review/review_store.h"
#include "spec/nearest.h"

namespace assay {
namespace {

bool IsBelow(std::string_view where, std::string_view place) {
  return where.starts_with(place) &&
         (where.size() == place.size() || where[place.size()] == '/' || where[place.size()] == ':');
}

// A word of the command line: what a cell's model and challenge must be, as shells match names.
struct CellPattern {
  std::string model;
  std::string challenge;
};

bool IsPattern(std::string_view word) {
  return word.find_first_of("*?[") != std::string_view::npos;
}

bool Fits(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool Fits(const CellPattern& pattern, const CellId& cell) {
  return Fits(pattern.model, cell.model) && Fits(pattern.challenge, cell.challenge);
}

// The folder names of a fault's place: `submissions/a/kv_cache/x.cc:3` has four, the last without
// its line.
std::vector<std::string> NamesOfPlace(std::string_view where) {
  std::vector<std::string> names;
  for (const auto part : std::views::split(where, '/')) {
    const std::string_view name(part.begin(), part.end());
    names.emplace_back(name.substr(0, name.find(':')));
  }
  return names;
}

bool IsModelOf(const std::set<CellId>& cells, const std::string& model) {
  return std::ranges::any_of(cells, [&](const CellId& cell) { return cell.model == model; });
}

// Whether the fault is in a file that grading what fits `pattern`, which are `cells`, reads. A
// model.yaml that a pattern happens to fit stands in the way of that model's cells alone.
bool Concerns(const Error& fault, const CellPattern& pattern, const std::set<CellId>& cells) {
  const std::vector<std::string> names = NamesOfPlace(fault.where);
  if (names.size() < 2) {
    return false;
  }
  if (names[0] == "challenges") {
    return Fits(pattern.challenge, names[1]);
  }
  if (names[0] != "submissions" || !Fits(pattern.model, names[1])) {
    return false;
  }
  if (names.size() == 2 || names[2] == "model.yaml") {
    return !IsPattern(pattern.model) || IsModelOf(cells, names[1]);
  }
  return Fits(pattern.challenge, names[2]);
}

// Whether `challenge` is one, also where its files are at fault.
bool IsChallenge(const LoadedRepository& loaded, const std::string& challenge) {
  return FindChallenge(loaded.repository, challenge) != nullptr ||
         std::ranges::any_of(loaded.faults, [&](const Error& fault) {
           return IsBelow(fault.where, "challenges/" + challenge);
         });
}

bool IsModel(const LoadedRepository& loaded, const std::string& model) {
  return FindModel(loaded.repository, model) != nullptr ||
         std::ranges::any_of(loaded.faults, [&](const Error& fault) {
           return IsBelow(fault.where, "submissions/" + model);
         });
}

// A word without a slash is a model, or else a challenge.
CellPattern PatternOf(const LoadedRepository& loaded, const std::string& word) {
  const CellId cell = ParseCell(word);
  if (!cell.challenge.empty()) {
    return {.model = cell.model, .challenge = cell.challenge};
  }
  const bool fits_a_model = std::ranges::any_of(
      loaded.repository.submissions,
      [&](const SubmissionSpec& submission) { return Fits(word, submission.model); });
  const bool fits_a_challenge =
      std::ranges::any_of(loaded.repository.challenges,
                          [&](const ChallengeSpec& challenge) { return Fits(word, challenge.id); });
  if (!fits_a_model && !IsModel(loaded, word) && (fits_a_challenge || IsChallenge(loaded, word))) {
    return {.model = "*", .challenge = word};
  }
  return {.model = word, .challenge = "*"};
}

Error UnknownCell(const Repository& repository, const std::string& word) {
  if (IsPattern(word)) {
    return {
        .kind = ErrorKind::kConfiguration,
        .where = {},
        .cause = fmt::format("no submission fits \"{}\"", word),
        .remedy = "assay list names what there is; quote patterns, so that the shell leaves them"};
  }
  if (FindChallenge(repository, word) != nullptr) {
    return {.kind = ErrorKind::kConfiguration,
            .where = {},
            .cause = fmt::format("no model has a submission to \"{}\"", word),
            .remedy = fmt::format("assay new MODEL {} writes one to begin with", word)};
  }
  std::set<std::string> known;
  for (const SubmissionSpec& submission : repository.submissions) {
    known.insert(word.find('/') == std::string::npos
                     ? submission.model
                     : ToString(CellId{submission.model, submission.challenge}));
  }
  if (word.find('/') == std::string::npos) {
    for (const ChallengeSpec& challenge : repository.challenges) {
      known.insert(challenge.id);
    }
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
    const CellPattern pattern = PatternOf(loaded, word);
    std::set<CellId> fitting;
    for (const SubmissionSpec& submission : loaded.repository.submissions) {
      if (const CellId cell{submission.model, submission.challenge}; Fits(pattern, cell)) {
        fitting.insert(cell);
      }
    }
    const std::size_t errors_before = errors.size();
    std::ranges::copy_if(loaded.faults, std::back_inserter(errors),
                         [&](const Error& fault) { return Concerns(fault, pattern, fitting); });
    if (fitting.empty() && errors.size() == errors_before) {
      errors.push_back(UnknownCell(loaded.repository, word));
    }
    cells.merge(fitting);
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
  const auto records = ReadRecords(repository.root);
  if (!records) {
    return std::unexpected(records.error().front());
  }
  for (const ChallengeSpec& challenge : repository.challenges) {
    if (const Rubric* const rubric = FindRubric(repository, challenge.id)) {
      ASSAY_ASSIGN_OR_RETURN(auto signatures, LoadSignatures(repository.sources, challenge.id));
      auto homes = LoadMutantHomes(repository.sources, *rubric, signatures);
      if (!homes) {
        return std::unexpected(homes.error().front());
      }
      auto reviews = LoadReviews(repository, *records, challenge.id);
      if (!reviews) {
        return std::unexpected(reviews.error().front());
      }
      ASSAY_ASSIGN_OR_RETURN(auto anchors, LoadAnchors(repository.sources, challenge.id));
      views[challenge.id] = {.spec = challenge,
                             .rubric = *rubric,
                             .signatures = std::move(signatures),
                             .homes = *std::move(homes),
                             .reviews = *std::move(reviews),
                             .anchors = std::move(anchors)};
    }
  }
  return views;
}

}  // namespace assay
