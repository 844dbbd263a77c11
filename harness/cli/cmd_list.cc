// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/table.h"
#include "exec/evidence_store.h"
#include "spec/repository.h"

namespace assay {
namespace {

// The verdict that is on record, whether or not it still holds: `grade` finds that out.
std::string VerdictOf(const std::filesystem::path& root, const SubmissionSpec& submission) {
  const auto evidence = LoadEvidence(root, {submission.model, submission.challenge});
  if (!evidence) {
    return "unreadable";
  }
  return *evidence ? std::string(ToString((*evidence)->verdict)) : "not graded";
}

std::string ListText(const Repository& repository) {
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
  std::vector<std::vector<std::string>> cells = {{"CELL", "VERDICT"}};
  for (const SubmissionSpec& submission : repository.submissions) {
    cells.push_back({ToString(CellId{submission.model, submission.challenge}),
                     VerdictOf(repository.root, submission)});
  }
  return FormatTable(challenges) + "\n" + FormatTable(models) + "\n" + FormatTable(cells);
}

nlohmann::json ListJson(const Repository& repository) {
  nlohmann::json list = {{"challenges", nlohmann::json::array()},
                         {"models", nlohmann::json::array()},
                         {"cells", nlohmann::json::array()}};
  for (const ChallengeSpec& challenge : repository.challenges) {
    list["challenges"].push_back(
        {{"id", challenge.id}, {"title", challenge.title}, {"languages", challenge.languages}});
  }
  for (const ModelSpec& model : repository.models) {
    list["models"].push_back(
        {{"id", model.id}, {"name", model.name}, {"reconstruction", model.reconstruction}});
  }
  for (const SubmissionSpec& submission : repository.submissions) {
    list["cells"].push_back({{"model", submission.model},
                             {"challenge", submission.challenge},
                             {"verdict", VerdictOf(repository.root, submission)}});
  }
  return list;
}

}  // namespace

int RunList(const ListOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto root = RootOf(options.common);
  if (!root) {
    return Fail(console, format, {}, {root.error()});
  }
  const LoadedRepository loaded = LoadRepository(*root);
  console.out << (format == OutputFormat::kJson ? Dump(ListJson(loaded.repository))
                                                : ListText(loaded.repository));
  if (!loaded.faults.empty() && format == OutputFormat::kText) {
    console.err << "Left out what is at fault; assay check says what.\n";
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
