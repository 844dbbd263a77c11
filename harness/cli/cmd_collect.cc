// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/answer_reader.h"
#include "cli/challenge_words.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/select_cells.h"
#include "cli/submission_draft.h"
#include "cli/submission_stub.h"
#include "exec/repository_lock.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

enum class YamlFrom { kAnswer, kFiles };

struct Collected {
  std::vector<std::string> files;
  std::vector<int> unnamed_lines;
  SubmissionFiles classified;
  YamlFrom yaml = YamlFrom::kAnswer;
};

// A copy of interface.h says nothing new; another would be found before the challenge's.
Status TakeOutInterface(FileContents& files, const ChallengeSpec& challenge,
                        const fs::path& answer) {
  ASSAY_ASSIGN_OR_RETURN(const std::string ours, ReadFile(challenge.directory / "interface.h"));
  for (auto file = files.begin(); file != files.end();) {
    if (fs::path(file->first).filename() != "interface.h") {
      ++file;
    } else if (file->second == ours) {
      file = files.erase(file);
    } else {
      return std::unexpected(
          Error{.kind = ErrorKind::kConfiguration,
                .where = answer.string(),
                .cause = fmt::format("holds \"{}\", which is not the interface.h of {}",
                                     file->first, challenge.id),
                .remedy = "take it out: the challenge's own is there when sources are compiled"});
    }
  }
  return {};
}

Status AddYaml(FileContents& files, const ChallengeSpec& challenge, const fs::path& answer,
               Collected& collected) {
  collected.classified = ClassifyFiles(files, challenge);
  if (files.contains("submission.yaml")) {
    return {};
  }
  if (collected.classified.sources.empty()) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = answer.string(),
              .cause = "holds no source: no .cc, .cpp, .cxx or .cu file without a main",
              .remedy = "hand in the functions of interface.h in a file of such a name"});
  }
  files["submission.yaml"] = SubmissionYaml(challenge, collected.classified);
  collected.yaml = YamlFrom::kFiles;
  return {};
}

// What the answer's own submission.yaml names, whatever its files look like.
SubmissionFiles NamedBy(const SubmissionSpec& submission) {
  SubmissionFiles named{.sources = submission.sources, .tests = submission.tests};
  for (const BenchmarkSpec& benchmark : submission.benchmarks) {
    named.benchmarks.push_back(benchmark.source);
  }
  return named;
}

// Faults of what was staged, with places as they will be.
Errors PlacedIn(const Errors& errors, const fs::path& staged, const fs::path& place) {
  Errors placed = errors;
  for (Error& error : placed) {
    if (error.where.starts_with(staged.string())) {
      error.where.replace(0, staged.string().size(), place.string());
    }
  }
  return placed;
}

Checked<Collected> CollectInto(SubmissionDraft& draft, const CollectOptions& options,
                               const ChallengeSpec& challenge, const CellId& cell,
                               const fs::path& root) {
  const auto failed = [](Error error) { return std::unexpected(Errors{std::move(error)}); };
  auto answer = ReadAnswer(options.answer, TemporaryRoot(root));
  if (!answer) {
    return failed(std::move(answer).error());
  }
  Collected collected;
  collected.unnamed_lines = std::move(answer->unnamed_lines);
  for (const Status& status : {TakeOutInterface(answer->files, challenge, options.answer),
                               AddYaml(answer->files, challenge, options.answer, collected),
                               draft.Add(challenge.id, answer->files)}) {
    if (!status) {
      return failed(status.error());
    }
  }
  const auto read = ReadSubmission(draft.Folder(challenge.id), challenge, cell.model);
  if (!read) {
    return std::unexpected(PlacedIn(read.error(), draft.Folder(challenge.id), options.answer));
  }
  if (collected.yaml == YamlFrom::kAnswer) {
    collected.classified = NamedBy(*read);
  }
  auto files = draft.Publish("Handed in as an answer, and not said from where yet.");
  if (!files) {
    return failed(std::move(files).error());
  }
  collected.files = std::move(*files);
  return collected;
}

Checked<Collected> Collect(const CollectOptions& options, const Workplace& place) {
  const CellId cell = ParseCell(options.cell);
  if (cell.challenge.empty()) {
    return std::unexpected(
        Errors{{.kind = ErrorKind::kConfiguration,
                .where = {},
                .cause = fmt::format("--as \"{}\" names no challenge", options.cell),
                .remedy = "write MODEL/CHALLENGE; assay list names the challenges"}});
  }
  const LoadedRepository loaded = LoadRepository(place.root, place.installation.sources);
  const auto challenges = SelectChallenges(loaded, {cell.challenge});
  if (!challenges) {
    return std::unexpected(challenges.error());
  }
  auto draft = SubmissionDraft::Begin(place.root, cell.model);
  if (!draft) {
    return std::unexpected(Errors{std::move(draft).error()});
  }
  const auto is_taken = draft->IsTaken(cell.challenge);
  if (!is_taken || *is_taken) {
    return std::unexpected(Errors{is_taken ? TakenError(cell) : is_taken.error()});
  }
  return CollectInto(*draft, options, *challenges->front(), cell, place.root);
}

void PrintCollected(const CollectOptions& options, const Collected& collected, Console& console) {
  for (const std::string& file : collected.files) {
    fmt::print(console.out, "made {}\n", file);
  }
  if (!collected.unnamed_lines.empty()) {
    fmt::print(console.out, "left out {} code block{} without a file name, of line {}\n",
               collected.unnamed_lines.size(), collected.unnamed_lines.size() == 1 ? "" : "s",
               fmt::join(collected.unnamed_lines, ", "));
  }
  if (collected.yaml == YamlFrom::kFiles) {
    const auto list = [](const std::vector<std::string>& names) {
      return names.empty() ? std::string("none") : Join(names, ", ");
    };
    fmt::print(console.out,
               "submission.yaml was not in the answer and names what was found:\n"
               "  sources: {}\n  tests: {}\n  benchmarks: {}\n",
               list(collected.classified.sources), list(collected.classified.tests),
               list(collected.classified.benchmarks));
  }
  const std::string root = RootArgument(options.common.root);
  fmt::print(console.out, "\nNext:\n  assay try submissions/{0}{1}\n  assay grade {0}{1}\n",
             options.cell, root);
}

int CollectInto(const Workplace& place, const CollectOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto collected = Collect(options, place);
  if (!collected) {
    return Fail(console, format, place.root, collected.error());
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"made", collected->files},
                         {"unnamed_lines", collected->unnamed_lines},
                         {"sources", collected->classified.sources},
                         {"tests", collected->classified.tests},
                         {"benchmarks", collected->classified.benchmarks}});
  } else {
    PrintCollected(options, *collected, console);
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

int RunCollect(const CollectOptions& options, Console& console) {
  return InLockedWorkplace(options.common, console, [&](const Workplace& place) {
    return CollectInto(place, options, console);
  });
}

}  // namespace assay
