// SPDX-License-Identifier: Apache-2.0
#include "exec/git.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "process/executable.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLinkMode = "120000";
constexpr std::string_view kSubmoduleMode = "160000";
/// Of contents that are held in memory at a time.
constexpr std::size_t kBatch_bytes = std::size_t{64} << 20;
constexpr std::size_t kMostWritten_bytes = std::size_t{1} << 30;
constexpr std::size_t kLongestMessage_bytes = 300;

Error GitError(const fs::path& folder, std::string cause, std::string remedy) {
  return {.kind = ErrorKind::kConfiguration,
          .where = folder.string(),
          .cause = std::move(cause),
          .remedy = std::move(remedy)};
}

std::vector<std::string> Environment() {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it.
  return {fmt::format("PATH={}", path == nullptr ? "/usr/bin:/bin" : path),
          "HOME=/nonexistent",
          "LC_ALL=C",
          "GIT_CONFIG_NOSYSTEM=1",
          "GIT_CONFIG_GLOBAL=/dev/null",
          "GIT_ATTR_NOSYSTEM=1",
          "GIT_TERMINAL_PROMPT=0",
          "GIT_NO_REPLACE_OBJECTS=1",
          "GIT_NO_LAZY_FETCH=1",
          "GIT_OPTIONAL_LOCKS=0"};
}

// What was cut off is no answer.
bool EndedWhole(const CommandResult& result) {
  return result.Succeeded() && !result.output_truncated;
}

// The first line that git wrote, fit for a terminal.
std::string WordsOf(const CommandResult& result) {
  std::string words = EscapeCodeBlock(result.errors.substr(0, result.errors.find('\n')));
  words.resize(std::min(words.size(), kLongestMessage_bytes));
  return words.empty() ? fmt::format("git ended with {}", result.exit.code_or_signal) : words;
}

// What stands before the next `end`, which is taken away with it; nothing when there is none.
std::optional<std::string_view> Take(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

GitEntry EntryOf(std::string_view mode, std::string_view object) {
  return {.kind = mode == kLinkMode        ? GitEntry::Kind::kSymbolicLink
                  : mode == kSubmoduleMode ? GitEntry::Kind::kSubmodule
                                           : GitEntry::Kind::kFile,
          .object = std::string(object)};
}

bool IsGitFolder(std::string_view name) {
  constexpr std::string_view kGit = ".git";
  return std::ranges::equal(name, kGit, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

std::string WhyNotWritten(const std::string& path, const GitEntry& entry) {
  if (!StaysInside(path)) {
    return "has a name that leads out of its folder";
  }
  if (entry.kind == GitEntry::Kind::kSymbolicLink) {
    return "is a symbolic link";
  }
  return entry.kind == GitEntry::Kind::kSubmodule ? "is a submodule" : "";
}

Status WriteOne(const fs::path& path, std::string_view content) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (failure || !file) {
    return std::unexpected(GitError(path, "cannot be written",
                                    "free disk space, or mend the commit that holds this path"));
  }
  return {};
}

}  // namespace

bool StaysInside(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || IsGitFolder(part)) {
      return false;
    }
    if (slash == std::string_view::npos) {
      return true;
    }
    path.remove_prefix(slash + 1);
  }
}

Result<CommandResult> GitReader::Run(std::vector<std::string> arguments, std::string input,
                                     std::size_t output_limit_bytes) const {
  std::vector<std::string> argv = {"git",
                                   "-C",
                                   folder_.string(),
                                   "--no-pager",
                                   "--literal-pathspecs",
                                   "-c",
                                   "core.hooksPath=/dev/null",
                                   "-c",
                                   "core.fsmonitor=false",
                                   "-c",
                                   "core.attributesFile=/dev/null",
                                   "-c",
                                   "core.quotePath=false",
                                   "-c",
                                   "protocol.allow=never",
                                   "-c",
                                   "submodule.recurse=false"};
  argv.insert(argv.end(), std::make_move_iterator(arguments.begin()),
              std::make_move_iterator(arguments.end()));
  return RunToCompletion({.argv = std::move(argv),
                          .environment = Environment(),
                          .working_directory = {},
                          .input = std::move(input),
                          .time_limit = std::chrono::minutes(5),
                          .output_limit_bytes = output_limit_bytes,
                          .on_output = {}});
}

Result<std::string> GitReader::Output(std::vector<std::string> arguments) const {
  const std::string command = arguments.front();
  ASSAY_ASSIGN_OR_RETURN(CommandResult result, Run(std::move(arguments)));
  if (!EndedWhole(result)) {
    return std::unexpected(GitError(folder_,
                                    fmt::format("git {} fails: {}", command, WordsOf(result)),
                                    "mend the repository until this command works"));
  }
  return std::move(result.output);
}

Result<GitReader> GitReader::Open(const fs::path& folder) {
  if (!FindExecutable("git")) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "git",
                                 .cause = "is not there: what a change touches is read with it",
                                 .remedy = "install the package git"});
  }
  GitReader reader(folder);
  ASSAY_ASSIGN_OR_RETURN(const CommandResult result,
                         reader.Run({"rev-parse", "--is-inside-work-tree", "--show-prefix"}));
  if (!EndedWhole(result) || !result.output.starts_with("true\n")) {
    return std::unexpected(
        GitError(folder, "is in no working tree of git that can be read: " + WordsOf(result),
                 "run in a clone; where the clone belongs to somebody else, clone it as yourself"));
  }
  reader.prefix_ = result.output.substr(result.output.find('\n') + 1);
  reader.prefix_.resize(reader.prefix_.find('\n'));
  return reader;
}

Result<std::string> GitReader::ResolveCommit(const std::string& name) const {
  ASSAY_ASSIGN_OR_RETURN(CommandResult result, Run({"rev-parse", "--verify", "--quiet",
                                                    "--end-of-options", name + "^{commit}"}));
  if (!EndedWhole(result) || !result.output.ends_with('\n') || name.empty()) {
    return std::unexpected(GitError(
        folder_, fmt::format("there is no commit \"{}\" in this clone", EscapeCodeBlock(name)),
        "fetch it (git fetch origin REF), or name another; CI that checks out one commit needs "
        "fetch-depth: 0"));
  }
  result.output.pop_back();
  return std::move(result.output);
}

Result<std::string> GitReader::MergeBase(const std::string& a, const std::string& b) const {
  ASSAY_ASSIGN_OR_RETURN(CommandResult result, Run({"merge-base", a, b}));
  if (EndedWhole(result) && result.output.contains('\n')) {
    return result.output.substr(0, result.output.find('\n'));
  }
  ASSAY_ASSIGN_OR_RETURN(const std::string shallow,
                         Output({"rev-parse", "--is-shallow-repository"}));
  return std::unexpected(
      shallow.starts_with("true")
          ? GitError(folder_,
                     "this clone is shallow, and where the two left each other is not in it",
                     "run git fetch --unshallow, or check out with fetch-depth: 0")
          : GitError(folder_, fmt::format("{} and {} have no history in common", a, b),
                     "name another base"));
}

Result<GitTree> GitReader::ReadTree(const std::string& commit) const {
  ASSAY_ASSIGN_OR_RETURN(const std::string output,
                         Output({"ls-tree", "-r", "-z", "--full-tree", commit}));
  GitTree tree;
  std::string_view rest = output;
  // `<mode> <type> <object>\t<path>\0`
  while (!rest.empty()) {
    const auto mode = Take(rest, ' ');
    const auto type = Take(rest, ' ');
    const auto object = Take(rest, '\t');
    const auto path = Take(rest, '\0');
    if (!mode || !type || !object || !path) {
      return std::unexpected(
          GitError(folder_, "git ls-tree wrote what cannot be read", "use git 2.34 or later"));
    }
    if (path->starts_with(prefix_)) {
      tree.emplace(path->substr(prefix_.size()), EntryOf(*mode, *object));
    }
  }
  return tree;
}

Result<GitChanges> GitReader::ReadChanges(const std::string& from, const std::string& to) const {
  ASSAY_ASSIGN_OR_RETURN(const std::string output,
                         Output({"diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index",
                                 "--no-commit-id", from, to}));
  GitChanges changes;
  std::string_view rest = output;
  // `:<mode> <mode> <object> <object> <letter>\0<path>\0`
  while (!rest.empty()) {
    const auto mode_before = Take(rest, ' ');
    const auto mode = Take(rest, ' ');
    const auto object_before = Take(rest, ' ');
    const auto object = Take(rest, ' ');
    const auto letter = Take(rest, '\0');
    const auto path = Take(rest, '\0');
    if (!mode_before || !mode || !object_before || !object || !letter || !path) {
      return std::unexpected(
          GitError(folder_, "git diff-tree wrote what cannot be read", "use git 2.34 or later"));
    }
    if (!path->starts_with(prefix_)) {
      changes.elsewhere.emplace_back(*path);
    } else if (*letter == "D") {
      changes.removed.emplace_back(path->substr(prefix_.size()));
    } else {
      changes.set.emplace(path->substr(prefix_.size()), EntryOf(*mode, *object));
    }
  }
  std::ranges::sort(changes.removed);
  return changes;
}

Result<std::vector<std::string>> GitReader::UncommittedPaths() const {
  ASSAY_ASSIGN_OR_RETURN(const std::string output,
                         Output({"status", "--porcelain=v1", "-z", "--no-renames",
                                 "--untracked-files=all", "--ignore-submodules=all", "--", "."}));
  std::vector<std::string> paths;
  std::string_view rest = output;
  while (const auto entry = Take(rest, '\0')) {
    constexpr std::size_t kState = 3;  // Two letters and a space.
    const std::string_view path = entry->substr(std::min(kState, entry->size()));
    if (path.starts_with(prefix_)) {
      paths.emplace_back(path.substr(prefix_.size()));
    }
  }
  return paths;
}

Result<std::map<std::string, std::size_t>> GitReader::SizesOf(const GitTree& tree) const {
  std::set<std::string> objects;
  for (const auto& [path, entry] : tree) {
    if (entry.kind == GitEntry::Kind::kFile) {
      objects.insert(entry.object);
    }
  }
  std::string input;
  for (const std::string& object : objects) {
    input += object + "\n";
  }
  ASSAY_ASSIGN_OR_RETURN(
      const CommandResult result,
      Run({"cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"}, input));
  std::map<std::string, std::size_t> sizes;
  std::string_view rest = result.output;
  while (const auto line = Take(rest, '\n')) {
    std::string_view words = *line;
    const auto object = Take(words, ' ');
    const auto type = Take(words, ' ');
    std::size_t size_bytes = 0;
    const auto [end, failure] =
        std::from_chars(words.data(), words.data() + words.size(), size_bytes);
    if (object && type == "blob" && failure == std::errc()) {
      sizes.emplace(*object, size_bytes);
    }
  }
  if (!EndedWhole(result) || sizes.size() != objects.size()) {
    return std::unexpected(GitError(folder_, "objects of the commit are not in this clone",
                                    "fetch them: a partial clone lacks contents"));
  }
  return sizes;
}

Result<std::vector<LeftOut>> GitReader::Write(const GitTree& tree, const fs::path& folder,
                                              std::size_t largest_file_bytes) const {
  ASSAY_ASSIGN_OR_RETURN(const auto sizes, SizesOf(tree));
  std::vector<LeftOut> left_out;
  std::vector<std::pair<std::string, std::string>> wanted;  // Path, object.
  std::size_t total_bytes = 0;
  for (const auto& [path, entry] : tree) {
    std::string why = WhyNotWritten(path, entry);
    if (why.empty() && sizes.at(entry.object) > largest_file_bytes) {
      why = fmt::format("is larger than {} bytes", largest_file_bytes);
    }
    if (!why.empty()) {
      left_out.push_back({.path = path, .why = std::move(why)});
      continue;
    }
    total_bytes += sizes.at(entry.object);
    wanted.emplace_back(path, entry.object);
  }
  if (total_bytes > kMostWritten_bytes) {
    return std::unexpected(GitError(folder_, fmt::format("the commit holds {} bytes", total_bytes),
                                    "keep data out of the repository"));
  }
  for (std::size_t next = 0; next < wanted.size();) {
    std::string input;
    std::size_t batch_bytes = 0;
    std::size_t end = next;
    for (; end < wanted.size() && (end == next || batch_bytes < kBatch_bytes); ++end) {
      batch_bytes += sizes.at(wanted[end].second);
      input += wanted[end].second + "\n";
    }
    constexpr std::size_t kHeader_bytes = 128;
    ASSAY_ASSIGN_OR_RETURN(
        const CommandResult result,
        Run({"cat-file", "--batch"}, input, batch_bytes + (end - next) * kHeader_bytes));
    std::string_view rest = result.output;
    for (; next < end; ++next) {
      const auto& [path, object] = wanted[next];
      const std::size_t size_bytes = sizes.at(object);
      const auto header = Take(rest, '\n');
      if (!EndedWhole(result) || !header || !header->starts_with(object) ||
          rest.size() <= size_bytes) {
        return std::unexpected(GitError(folder_, "git cat-file fails: " + WordsOf(result),
                                        "check the clone with git fsck"));
      }
      ASSAY_RETURN_IF_ERROR(WriteOne(folder / path, rest.substr(0, size_bytes)));
      rest.remove_prefix(size_bytes + 1);
    }
  }
  return left_out;
}

}  // namespace assay
