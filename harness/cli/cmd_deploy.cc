// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "cli/challenge_words.h"
#include "cli/commands.h"
#include "cli/deploy_folder.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/submission_draft.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool IsAtOrBelow(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::ranges::mismatch(folder, path);
  return end == folder.end();
}

// A model that works inside the repository could read what it must not.
Status CheckOutside(const fs::path& directory, const Workplace& place) {
  std::error_code failure;
  const fs::path real = fs::weakly_canonical(directory, failure);
  for (const fs::path& tree : {place.root, place.installation.sources}) {
    if (!failure && IsAtOrBelow(real, fs::weakly_canonical(tree, failure))) {
      return std::unexpected(
          Error{.kind = ErrorKind::kConfiguration,
                .where = directory.string(),
                .cause = fmt::format("lies in {}, where a model could read what it may not see",
                                     tree.string()),
                .remedy = "name a folder outside of it"});
    }
  }
  if (failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = directory.string(),
                                 .cause = "cannot be looked at: " + failure.message(),
                                 .remedy = "name a folder that you may write"});
  }
  return {};
}

Status CheckModel(const std::string& model) {
  if (IsId(model)) {
    return {};
  }
  return std::unexpected(
      Error{.kind = ErrorKind::kConfiguration,
            .where = {},
            .cause = fmt::format("\"{}\" cannot be the name of a model's folder", model),
            .remedy = "use a to z, 0 to 9, \".\", \"_\" and \"-\", first a letter or digit"});
}

Status LayOut(const ChallengeSpec& challenge, const std::string& model, const fs::path& folder) {
  ASSAY_ASSIGN_OR_RETURN(const std::string prompt, ReadFile(challenge.directory / "PROMPT.md"));
  ASSAY_ASSIGN_OR_RETURN(const std::string header, ReadFile(challenge.directory / "interface.h"));
  ASSAY_ASSIGN_OR_RETURN(const FileContents files, DeployedFiles(challenge, model, prompt, header));
  for (const auto& [path, content] : files) {
    ASSAY_RETURN_IF_ERROR(WriteFileAtomically(folder / path, content));
  }
  return {};
}

// All of `challenges` below `directory`, or none. The folders that were made.
Result<std::vector<std::string>> Deploy(const DeployOptions& options,
                                        const std::vector<const ChallengeSpec*>& challenges) {
  ASSAY_RETURN_IF_ERROR(MakeFolders(options.directory));
  ASSAY_ASSIGN_OR_RETURN(const TemporaryDirectory draft,
                         TemporaryDirectory::Create(options.directory, ".deploy"));
  std::vector<Move> moves;
  std::vector<std::string> made;
  for (const ChallengeSpec* challenge : challenges) {
    ASSAY_RETURN_IF_ERROR(LayOut(*challenge, options.model, draft.path() / challenge->id));
    moves.push_back(
        {.from = draft.path() / challenge->id, .to = options.directory / challenge->id});
    made.push_back(moves.back().to.string());
  }
  ASSAY_RETURN_IF_ERROR(MoveAll(moves));
  return made;
}

}  // namespace

int RunDeploy(const DeployOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  for (const Status& status :
       {CheckModel(options.model), CheckOutside(options.directory, *place)}) {
    if (!status) {
      return Fail(console, format, {}, {status.error()});
    }
  }
  const LoadedRepository loaded = LoadRepository(place->root, place->installation.sources);
  const auto challenges = SelectChallenges(loaded, options.challenges);
  if (!challenges) {
    return Fail(console, format, place->root, challenges.error());
  }
  const auto made = Deploy(options, *challenges);
  if (!made) {
    return Fail(console, format, {}, {made.error()});
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"made", *made}});
    return static_cast<int>(ExitCode::kDone);
  }
  for (const std::string& folder : *made) {
    fmt::print(console.out, "made {}\n", folder);
  }
  fmt::print(console.out,
             "\nGive {0} to {1}; its README.md says how the sample test is built.\n"
             "Then take in what became of it:\n"
             "  assay collect {0}/answer --as {1}/{2}{3}\n",
             made->front(), options.model, challenges->front()->id,
             RootArgument(options.common.root));
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
