// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/challenge_words.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/review_key.h"
#include "cli/select_cells.h"
#include "cli/submission_draft.h"
#include "review/dossier.h"
#include "review/review_store.h"
#include "review/visible.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Error Configuration(const fs::path& where, std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = where.string(),
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

Status CheckNewOptions(const ReviewNewOptions& options) {
  if (!IsId(options.reviewer)) {
    return std::unexpected(
        Configuration({}, fmt::format("\"{}\" cannot be a reviewer's id", options.reviewer),
                      "use a to z, 0 to 9, \".\", \"_\" and \"-\", first a letter or digit"));
  }
  std::error_code failure;
  if (fs::exists(fs::symlink_status(options.folder, failure)) &&
      !fs::is_empty(options.folder, failure)) {
    return std::unexpected(
        Configuration(options.folder, "is there and not empty", "name another folder"));
  }
  return {};
}

/// What SelectCells takes for the models and challenges of `options`.
std::vector<std::string> Words(const ReviewNewOptions& options) {
  std::vector<std::string> words;
  const std::vector<std::string> any = {"*"};
  for (const std::string& model : options.models.empty() ? any : options.models) {
    for (const std::string& challenge : options.challenges.empty() ? any : options.challenges) {
      words.push_back(fmt::format("{}/{}", model, challenge));
    }
  }
  return words;
}

/// A dossier of what is read, and what was left out as the reviewer's own.
struct Draft {
  std::vector<DossierChallenge> challenges;
  std::vector<std::string> own_work;
};

Result<DossierChallenge> BeginChallenge(const Repository& repository, const ChallengeSpec& spec,
                                        const Rubric& rubric) {
  const Blinder blinder(repository.models);
  const auto shown = [&](const char* name) -> Result<std::string> {
    ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(spec.directory / name));
    return MakeVisible(blinder.Blind(text));
  };
  DossierChallenge challenge{
      .spec = &spec, .rubric = &rubric, .prompt = {}, .interface_header = {}, .submissions = {}};
  ASSAY_ASSIGN_OR_RETURN(challenge.prompt, shown("PROMPT.md"));
  ASSAY_ASSIGN_OR_RETURN(challenge.interface_header, shown("interface.h"));
  return challenge;
}

Result<Draft> MakeDraft(const Repository& repository, const std::vector<CellId>& cells,
                        const std::string& reviewer, const std::string& key) {
  Draft draft;
  for (const ChallengeSpec& spec : repository.challenges) {
    const Rubric* const rubric = FindRubric(repository, spec.id);
    if (rubric == nullptr || ReviewCriteria(*rubric).empty()) {
      continue;
    }
    ASSAY_ASSIGN_OR_RETURN(DossierChallenge challenge, BeginChallenge(repository, spec, *rubric));
    ASSAY_ASSIGN_OR_RETURN(ReviewRules rules, ReadRules(repository, spec.id));
    for (ReviewSubject& subject : rules.subjects) {
      const CellId cell{subject.model, spec.id};
      if (std::ranges::find(cells, cell) == cells.end()) {
        continue;
      }
      if (IsOwnWork({.id = reviewer, .person = {}, .model = {}, .version = {}}, subject)) {
        draft.own_work.push_back(ToString(cell));
        continue;
      }
      challenge.submissions.push_back({.label = LabelOf(key, reviewer, spec.id, subject.model),
                                       .digest = subject.digest,
                                       .files = std::move(subject.files)});
    }
    std::ranges::sort(challenge.submissions, {}, &DossierSubmission::label);
    if (!challenge.submissions.empty()) {
      draft.challenges.push_back(std::move(challenge));
    }
  }
  if (draft.challenges.empty()) {
    return std::unexpected(
        Configuration({}, "there is nothing to judge: no submission has rows of kind review",
                      "choose others; challenges/<challenge>/rubric.yaml has the rows"));
  }
  return draft;
}

Status WriteAll(const fs::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [path, content] : files) {
    ASSAY_RETURN_IF_ERROR(WriteFileAtomically(folder / path, content));
  }
  return {};
}

int WriteDossier(const ReviewNewOptions& options, const Workplace& place, Console& console) {
  const OutputFormat format = options.common.format;
  const LoadedRepository loaded = LoadRepository(place.root, place.installation.sources);
  const auto challenges = SelectChallenges(loaded, options.challenges);
  if (!challenges) {
    return Fail(console, format, place.root, challenges.error());
  }
  const auto cells = SelectCells(loaded, Words(options));
  if (!cells) {
    return Fail(console, format, place.root, cells.error());
  }
  const auto key = MakeReviewKey(place.root);
  if (!key) {
    return Fail(console, format, place.root, {key.error()});
  }
  const auto draft = MakeDraft(loaded.repository, *cells, options.reviewer, *key);
  if (!draft) {
    return Fail(console, format, place.root, {draft.error()});
  }
  const auto files = DossierFiles(options.reviewer, draft->challenges);
  if (const Status written = WriteAll(options.folder, files); !written) {
    return Fail(console, format, {}, {written.error()});
  }
  if (format == OutputFormat::kJson) {
    std::vector<std::string> paths;
    std::ranges::transform(files, std::back_inserter(paths),
                           [](const auto& file) { return file.first; });
    console.out << Dump({{"folder", options.folder.string()},
                         {"files", paths},
                         {"left_out_as_own_work", draft->own_work}});
    return static_cast<int>(ExitCode::kDone);
  }
  for (const std::string& cell : draft->own_work) {
    fmt::print(console.out, "left out {}: {} does not judge its own work\n", cell,
               options.reviewer);
  }
  fmt::print(console.out,
             "made {0}: {1} files; its README.md says what to do. When the forms are filled in:\n"
             "  assay review check {0}/*/*.yaml{2}\n  assay review collect {0}{2}\n",
             options.folder.string(), files.size(), RootArgument(options.common.root));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

int RunReviewNew(const ReviewNewOptions& options, Console& console) {
  if (const Status fine = CheckNewOptions(options); !fine) {
    return Fail(console, options.common.format, {}, {fine.error()});
  }
  return InLockedWorkplace(options.common, console, [&](const Workplace& place) {
    return WriteDossier(options, place, console);
  });
}

}  // namespace assay
