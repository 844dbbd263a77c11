// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/select_cells.h"
#include "cli/submission_draft.h"
#include "exec/attestation.h"
#include "exec/evidence_store.h"
#include "exec/repository_lock.h"
#include "report/plain_text.h"
#include "spec/nearest.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Whether it can be a model or a submission: a folder, or a link in place of one. A README.md
// beside them is neither.
bool IsFolderOrLink(const fs::path& path) {
  std::error_code failure;
  const fs::file_type type = fs::symlink_status(path, failure).type();
  return type == fs::file_type::directory || type == fs::file_type::symlink;
}

std::vector<std::string> FoldersIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure)) {
    if (IsFolderOrLink(it->path())) {
      names.push_back(it->path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

// Whether the word stands for one folder below submissions/, or one in that.
bool IsOneFolder(const std::string& word) {
  const CellId cell = ParseCell(word);
  const auto is_name = [](const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
           name.find('\0') == std::string::npos;
  };
  return is_name(cell.model) && (word.find('/') == std::string::npos || is_name(cell.challenge));
}

// What goes, evidence first: killed in between, a submission is left that is not graded, which the
// same command removes.
Result<std::vector<fs::path>> WhatGoes(const fs::path& root, const CellId& cell) {
  std::vector<std::string> challenges = {cell.challenge};
  fs::path submission = root / "submissions" / cell.model / cell.challenge;
  if (cell.challenge.empty()) {
    challenges.clear();
    ASSAY_ASSIGN_OR_RETURN(const std::vector<fs::path> folders,
                           ListEvidenceFolder(root / "reports" / "evidence"));
    for (const fs::path& folder : folders) {
      challenges.push_back(folder.filename().string());
    }
    submission = root / "submissions" / cell.model;
  }
  std::vector<fs::path> paths;
  for (const std::string& challenge : challenges) {
    const fs::path evidence = EvidencePath(root, {cell.model, challenge});
    for (const fs::path& path : {AttestationPath(evidence), evidence}) {
      ASSAY_ASSIGN_OR_RETURN(const bool is_there, IsThere(path));
      if (is_there) {
        paths.push_back(path);
      }
    }
  }
  ASSAY_ASSIGN_OR_RETURN(const bool is_there, IsThere(submission));
  if (is_there && IsFolderOrLink(submission)) {
    paths.push_back(submission);
  }
  return paths;
}

// What could have been meant: models, or the cells of all models.
std::vector<std::string> KnownNames(const fs::path& root, const CellId& meant) {
  std::vector<std::string> known = FoldersIn(root / "submissions");
  if (meant.challenge.empty()) {
    return known;
  }
  std::vector<std::string> cells;
  for (const std::string& model : known) {
    for (std::string& name : FoldersIn(root / "submissions" / model)) {
      cells.push_back(ToString(CellId{.model = model, .challenge = std::move(name)}));
    }
  }
  return cells;
}

Error NothingThere(const fs::path& root, const std::string& word) {
  const std::vector<std::string> known = KnownNames(root, ParseCell(word));
  return {.kind = ErrorKind::kConfiguration,
          .where = {},
          .cause =
              fmt::format("there is no submission \"{}\", and no evidence of one", PlainLine(word)),
          .remedy = known.empty() ? "assay list names what there is"
                                  : PlainLine(SuggestOneOf(word, known))};
}

// As a person reads it: `submissions/a/kv_cache (4 files)`.
std::string Describe(const fs::path& root, const fs::path& path) {
  std::string name = PlainLine(path.lexically_relative(root).string());
  std::error_code failure;
  if (!fs::is_directory(fs::symlink_status(path, failure))) {
    return name;
  }
  const auto files = ListFiles(path);
  return files ? fmt::format("{} ({} file{})", name, files->size(), files->size() == 1 ? "" : "s")
               : name;
}

// Out of sight in one step, then away: killed in between, the next command that takes the lock
// removes the rest.
Status Remove(const fs::path& root, const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths) {
    ASSAY_RETURN_IF_ERROR(CheckNoLinkOnTheWay(root, path));
  }
  ASSAY_ASSIGN_OR_RETURN(const TemporaryDirectory folder,
                         TemporaryDirectory::Create(TemporaryRoot(root), "removed"));
  std::vector<Move> moves;
  moves.reserve(paths.size());
  for (const fs::path& path : paths) {
    moves.push_back({.from = path, .to = folder.path() / std::to_string(moves.size())});
  }
  return MoveAll(moves);
}

Result<std::vector<fs::path>> Find(const fs::path& root, const std::string& word) {
  if (!IsOneFolder(word)) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = {},
              .cause = fmt::format("\"{}\" is neither MODEL nor MODEL/CHALLENGE", PlainLine(word)),
              .remedy = "name one folder of submissions/, or one in that; assay list names them"});
  }
  ASSAY_ASSIGN_OR_RETURN(std::vector<fs::path> paths, WhatGoes(root, ParseCell(word)));
  if (paths.empty()) {
    return std::unexpected(NothingThere(root, word));
  }
  return paths;
}

// kYes, or why not: an exit code after what there is to say was said.
std::optional<int> Refusal(const RemoveOptions& options, const AskPerson& ask, Console& console) {
  if (options.confirmation == Confirmation::kGiven) {
    return std::nullopt;
  }
  switch (ask(console)) {
    case PersonsAnswer::kYes:
      return std::nullopt;
    case PersonsAnswer::kNo:
      console.err << "assay: nothing was removed\n";
      return static_cast<int>(ExitCode::kGateFailed);
    case PersonsAnswer::kNobodyThere:
      break;
  }
  return Fail(console, options.common.format, {},
              {{.kind = ErrorKind::kConfiguration,
                .where = {},
                .cause = "rm asks before it removes, and standard input is no terminal",
                .remedy = "say --yes; nothing was removed"}});
}

int RemoveFrom(const Workplace& place, const RemoveOptions& options, const AskPerson& ask,
               Console& console) {
  const OutputFormat format = options.common.format;
  const auto paths = Find(place.root, options.cell);
  if (!paths) {
    return Fail(console, format, place.root, {paths.error()});
  }
  nlohmann::json removed = nlohmann::json::array();
  for (const fs::path& path : *paths) {
    removed.push_back(path.lexically_relative(place.root).string());
    if (format == OutputFormat::kText) {
      fmt::print(console.out, "{} {}\n",
                 options.confirmation == Confirmation::kGiven ? "removing" : "would remove",
                 Describe(place.root, path));
    }
  }
  console.out.flush();
  if (const auto exit_code = Refusal(options, ask, console)) {
    return *exit_code;
  }
  if (const Status done = Remove(place.root, *paths); !done) {
    return Fail(console, format, place.root, {done.error()});
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"removed", std::move(removed)}});
  } else {
    fmt::print(console.out, "removed; assay report{} renders the reports without it\n",
               RootArgument(options.common.root));
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

AskPerson TerminalAnswer() {
  return [](Console& console) {
    if (::isatty(STDIN_FILENO) != 1) {
      return PersonsAnswer::kNobodyThere;
    }
    console.err << "Remove them? [y/N] " << std::flush;
    std::string line;
    std::getline(std::cin, line);
    return line == "y" || line == "Y" || line == "yes" ? PersonsAnswer::kYes : PersonsAnswer::kNo;
  };
}

int RunRemove(const RemoveOptions& options, const AskPerson& ask, Console& console) {
  return InLockedWorkplace(options.common, console, [&](const Workplace& place) {
    return RemoveFrom(place, options, ask, console);
  });
}

}  // namespace assay
