// SPDX-License-Identifier: Apache-2.0
#include "cli/submission_draft.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ranges>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "cli/shell_word.h"
#include "exec/repository_lock.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// 0, or an error number.
int MoveOne(const Move& move) {
  if (::renameat2(AT_FDCWD, move.from.c_str(), AT_FDCWD, move.to.c_str(), RENAME_NOREPLACE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return errno;
  }
  // A file system that knows no such rename.
  std::error_code failure;
  const fs::file_type there = fs::symlink_status(move.to, failure).type();
  if (there != fs::file_type::not_found) {
    return there == fs::file_type::none ? failure.value() : EEXIST;
  }
  return ::rename(move.from.c_str(), move.to.c_str()) == 0 ? 0 : errno;
}

Error MoveError(const Move& move, int error_number) {
  if (error_number == EEXIST || error_number == ENOTEMPTY) {
    return {.kind = ErrorKind::kConfiguration,
            .where = move.to.string(),
            .cause = "is there already",
            .remedy = "move it elsewhere; nothing is overwritten"};
  }
  return {.kind = ErrorKind::kConfiguration,
          .where = move.to.string(),
          .cause = fmt::format("{} cannot be moved here: {}", move.from.string(),
                               std::strerror(error_number)),
          .remedy = "make both folders writable, on one file system; nothing was changed"};
}

}  // namespace

Status MakeFolders(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = folder.string(),
                                 .cause = "cannot be made: " + failure.message(),
                                 .remedy = "free disk space, or make its parent writable"});
  }
  return {};
}

Status MoveAll(const std::vector<Move>& moves) {
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (const int error_number = MoveOne(moves[i]); error_number != 0) {
      for (const Move& done : moves | std::views::take(i) | std::views::reverse) {
        static_cast<void>(MoveOne({.from = done.to, .to = done.from}));  // Where it just was.
      }
      return std::unexpected(MoveError(moves[i], error_number));
    }
  }
  return {};
}

Status CheckNoLinkOnTheWay(const fs::path& root, const fs::path& path) {
  fs::path at = root;
  for (const fs::path& name : path.lexically_relative(root).parent_path()) {
    at /= name;
    std::error_code failure;
    if (fs::is_symlink(fs::symlink_status(at, failure))) {
      return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                   .where = at.string(),
                                   .cause = "is a symbolic link",
                                   .remedy = "replace it by the directory that it points to"});
    }
  }
  return {};
}

Result<SubmissionDraft> SubmissionDraft::Begin(const fs::path& root, const std::string& model) {
  if (!IsId(model)) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = {},
              .cause = fmt::format("\"{}\" cannot be the name of a model's folder", model),
              .remedy = "use a to z, 0 to 9, \".\", \"_\" and \"-\", first a letter or digit; "
                        "model.yaml has the name that reports print"});
  }
  ASSAY_RETURN_IF_ERROR(CheckNoLinkOnTheWay(root, root / "submissions" / model / "model.yaml"));
  ASSAY_ASSIGN_OR_RETURN(TemporaryDirectory folder,
                         TemporaryDirectory::Create(TemporaryRoot(root), "submission"));
  return SubmissionDraft(root, model, std::move(folder));
}

Result<bool> SubmissionDraft::IsTaken(const std::string& challenge) const {
  return IsThere(root_ / "submissions" / model_ / challenge);
}

fs::path SubmissionDraft::Folder(const std::string& challenge) const {
  return folder_.path() / model_ / challenge;
}

Status SubmissionDraft::Add(const std::string& challenge, const FileContents& files) {
  challenges_.insert(challenge);
  for (const auto& [path, content] : files) {
    ASSAY_RETURN_IF_ERROR(WriteFileAtomically(Folder(challenge) / path, content));
  }
  return {};
}

Result<std::vector<std::string>> SubmissionDraft::Publish(std::string_view model_source) {
  const fs::path submissions = root_ / "submissions";
  const fs::path model = submissions / model_;
  const fs::path draft = folder_.path() / model_;
  std::vector<Move> moves;
  ASSAY_ASSIGN_OR_RETURN(const bool has_model_file, IsThere(model / "model.yaml"));
  if (!has_model_file) {
    ASSAY_RETURN_IF_ERROR(
        WriteFileAtomically(draft / "model.yaml", ModelYaml(model_, model_source)));
    moves.push_back({.from = draft / "model.yaml", .to = model / "model.yaml"});
  }
  for (const std::string& challenge : challenges_) {
    moves.push_back({.from = draft / challenge, .to = model / challenge});
  }
  std::vector<std::string> made;
  ASSAY_ASSIGN_OR_RETURN(const auto files, ListFiles(draft));
  for (const fs::path& file : files) {
    made.push_back(("submissions" / fs::path(model_) / file).string());
  }
  ASSAY_ASSIGN_OR_RETURN(const bool has_folder, IsThere(model));
  if (!has_folder) {
    moves = {{.from = draft, .to = model}};  // One step for all of a new model.
  }
  ASSAY_RETURN_IF_ERROR(MakeFolders(submissions));
  ASSAY_RETURN_IF_ERROR(MoveAll(moves));
  return made;
}

Error TakenError(const CellId& cell) {
  return {.kind = ErrorKind::kConfiguration,
          .where = "submissions/" + ToString(cell),
          .cause = "is there already, and nothing is overwritten",
          .remedy = fmt::format("edit it, or remove it first: assay rm {}", ToString(cell))};
}

std::string RootArgument(const fs::path& root_option) {
  return root_option.empty() ? "" : " --root " + ShellWord(root_option.string());
}

}  // namespace assay
