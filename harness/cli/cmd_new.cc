// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "cli/challenge_words.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/submission_draft.h"
#include "cli/submission_stub.h"

namespace assay {
namespace {

constexpr std::string_view kSource = "Not said yet.";

struct Made {
  std::vector<std::string> files;
  std::vector<ChallengeSpec> challenges;
  std::vector<CellId> kept;  ///< That were there already, when all challenges were asked for.
};

// The challenges to write for. One that was named and is there already is an error.
Checked<std::vector<const ChallengeSpec*>> ToWrite(const SubmissionDraft& draft,
                                                   const NewOptions& options,
                                                   const std::vector<const ChallengeSpec*>& wanted,
                                                   std::vector<CellId>& kept) {
  std::vector<const ChallengeSpec*> challenges;
  Errors errors;
  for (const ChallengeSpec* challenge : wanted) {
    const CellId cell{options.model, challenge->id};
    const auto is_taken = draft.IsTaken(challenge->id);
    if (!is_taken) {
      errors.push_back(is_taken.error());
    } else if (!*is_taken) {
      challenges.push_back(challenge);
    } else if (options.challenges.empty()) {
      kept.push_back(cell);
    } else {
      errors.push_back(TakenError(cell));
    }
  }
  if (challenges.empty() && errors.empty()) {
    errors.push_back({.kind = ErrorKind::kConfiguration,
                      .where = "submissions/" + options.model,
                      .cause = "has a submission to every challenge already",
                      .remedy = "edit those, or name another model; nothing is overwritten"});
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return challenges;
}

Status AddStub(SubmissionDraft& draft, const ChallengeSpec& challenge) {
  ASSAY_ASSIGN_OR_RETURN(const std::string header, ReadFile(challenge.directory / "interface.h"));
  ASSAY_ASSIGN_OR_RETURN(const FileContents files, MakeStub(challenge, header));
  return draft.Add(challenge.id, files);
}

Checked<Made> Make(const NewOptions& options, const Workplace& place) {
  const LoadedRepository loaded = LoadRepository(place.root, place.installation.sources);
  const auto wanted = SelectChallenges(loaded, options.challenges);
  if (!wanted) {
    return std::unexpected(wanted.error());
  }
  auto draft = SubmissionDraft::Begin(place.root, options.model);
  if (!draft) {
    return std::unexpected(Errors{draft.error()});
  }
  Made made;
  auto challenges = ToWrite(*draft, options, *wanted, made.kept);
  if (!challenges) {
    return std::unexpected(std::move(challenges).error());
  }
  for (const ChallengeSpec* challenge : *challenges) {
    if (const Status added = AddStub(*draft, *challenge); !added) {
      return std::unexpected(Errors{added.error()});
    }
    made.challenges.push_back(*challenge);
  }
  auto files = draft->Publish(kSource);
  if (!files) {
    return std::unexpected(Errors{std::move(files).error()});
  }
  made.files = std::move(*files);
  return made;
}

void PrintNext(const NewOptions& options, const Made& made, Console& console) {
  const std::string root = RootArgument(options.common.root);
  const ChallengeSpec& first = made.challenges.front();
  const std::string cell = options.model + "/" + first.id;
  const std::string folder = "submissions/" + cell;
  fmt::print(console.out, "\nNext{}:\n",
             made.challenges.size() == 1 ? "" : ", of each challenge as of " + first.id);
  const auto step = [&](const std::string& what, std::string_view why) {
    fmt::print(console.out, "  {}\n      {}\n", what, why);
  };
  step("read " + (first.directory / "PROMPT.md").string(),
       "what is asked; interface.h beside it is the contract");
  step(fmt::format("edit {}/{}", folder, StubSource(first)),
       "write the functions; optional ones are named at its top");
  step(fmt::format("edit {}/submission.yaml", folder),
       "answer its questions; every key is explained there");
  step(fmt::format("edit submissions/{}/model.yaml", options.model),
       "how reports call the model, and where it is from");
  step(fmt::format("assay try {}{}", folder, root), "compile it and run telling cases, in seconds");
  step(fmt::format("assay grade {}{}", cell, root), "grade it; the reports are rendered again");
  step(fmt::format("assay explain {}{}", cell, root), "where its points went");
  step("assay report" + root, "render the reports alone, after model.yaml changed");
}

int NewIn(const Workplace& place, const NewOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto made = Make(options, place);
  if (!made) {
    return Fail(console, format, place.root, made.error());
  }
  if (format == OutputFormat::kJson) {
    nlohmann::json kept = nlohmann::json::array();
    for (const CellId& cell : made->kept) {
      kept.push_back(ToString(cell));
    }
    console.out << Dump({{"made", made->files}, {"kept", std::move(kept)}});
    return static_cast<int>(ExitCode::kDone);
  }
  for (const CellId& cell : made->kept) {
    fmt::print(console.out, "kept submissions/{}, which was there already\n", ToString(cell));
  }
  for (const std::string& file : made->files) {
    fmt::print(console.out, "made {}\n", file);
  }
  PrintNext(options, *made, console);
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

int RunNew(const NewOptions& options, Console& console) {
  return InLockedWorkplace(options.common, console,
                           [&](const Workplace& place) { return NewIn(place, options, console); });
}

}  // namespace assay
