// SPDX-License-Identifier: Apache-2.0
#include "cli/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "cli/interface_functions.h"
#include "report/plain_text.h"
#include "spec/submission_spec.h"
#include "spec/submission_tree.h"
#include "spec/unicode.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 50;
constexpr std::size_t kLongestPath_bytes = 200;

// What tells a machine how to build or run something: we compile, and run nothing else.
bool IsBuildScript(std::string_view path) {
  constexpr std::array<std::string_view, 14> kNames = {
      "cmakelists.txt", "makefile",          "gnumakefile", "meson.build", "build",
      "build.bazel",    "workspace",         "dockerfile",  "configure",   "configure.ac",
      "sconstruct",     "cmakepresets.json", "justfile",    "module.bazel"};
  constexpr std::array<std::string_view, 17> kEndings = {
      ".cmake", ".mk",  ".ninja", ".sh",  ".bash", ".zsh", ".fish", ".py",    ".pl",
      ".rb",    ".lua", ".js",    ".bat", ".cmd",  ".ps1", ".bzl",  ".gradle"};
  const std::string name = ToLower(path.substr(path.rfind('/') + 1));
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

bool HasPart(std::string_view path, auto is_wanted) {
  return std::ranges::any_of(fs::path(path),
                             [&](const fs::path& part) { return is_wanted(part.string()); });
}

bool IsSource(const std::string& path, const ChallengeSpec& challenge) {
  const std::string ending = fs::path(path).extension().string();
  return ending == ".cc" || ending == ".cpp" || ending == ".cxx" ||
         (ending == ".cu" &&
          std::ranges::find(challenge.languages, "cuda") != challenge.languages.end());
}

// The name by which `path` is kept: `./a.cc` is a.cc.
std::string_view WithoutDot(std::string_view path) {
  while (path.starts_with("./")) {
    path.remove_prefix(2);
  }
  return path;
}

}  // namespace

std::size_t AnswerIntake::MostBytesOfAFile() { return kLargestSource_bytes + 1; }

void AnswerIntake::Add(std::string_view name, EntryKind kind, std::string content) {
  if (++entries_ > kLargestSubmission_files) {
    over_limit_ = fmt::format("holds more than {} files", kLargestSubmission_files);
    return;
  }
  size_bytes_ += content.size();
  if (size_bytes_ > kLargestSubmission_bytes) {
    over_limit_ = fmt::format("holds more than {} bytes", kLargestSubmission_bytes);
    return;
  }
  const std::string_view path = WithoutDot(name);
  if (kind != EntryKind::kFile) {
    Refuse(name, kind == EntryKind::kLink ? "a link" : "no regular file");
  } else if (const auto bad_name = RefusalOfName(path)) {
    Refuse(name, *bad_name);
  } else if (content.size() > kLargestSource_bytes) {
    Refuse(name, fmt::format("more than {} bytes", kLargestSource_bytes));
  } else if (const auto bad_content = RefusalOfContent(content)) {
    Refuse(name, *bad_content);
  } else if (!files_.emplace(path, std::move(content)).second) {
    Refuse(name, "there twice");
  }
}

void AnswerIntake::Refuse(std::string_view name, std::string_view reason) {
  refused_.push_back(
      {.name = PlainLine(name.substr(0, kLongestPath_bytes)), .reason = std::string(reason)});
}

Result<FileContents> AnswerIntake::Finish(const std::string& where) const {
  if (!over_limit_.empty()) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = where,
                                 .cause = over_limit_,
                                 .remedy = "hand in sources, tests and documents alone"});
  }
  std::vector<std::string> named;
  for (const Refusal& refusal : refused_) {
    if (named.size() == kMostNamed) {
      named.push_back(fmt::format("and {} more", refused_.size() - kMostNamed));
      break;
    }
    named.push_back(fmt::format("\"{}\" ({})", refusal.name, refusal.reason));
  }
  for (const auto& [path, content] : files_) {
    const auto below = files_.lower_bound(path + "/");
    if (below != files_.end() && below->first.starts_with(path + "/")) {
      named.push_back(fmt::format("\"{}\" (a file and a folder)", path));
    }
  }
  if (!named.empty()) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .where = where,
              .cause = fmt::format("holds what no submission may hold: {}", Join(named, ", ")),
              .remedy = "take these out of it; sources, headers, tests and documents are taken"});
  }
  return files_;
}

std::optional<std::string> RefusalOfName(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath_bytes) {
    return fmt::format("a name of none or more than {} bytes", kLongestPath_bytes);
  }
  if (path.starts_with('/') ||
      HasPart(path, [](const std::string& part) { return part == ".."; })) {
    return "leads out of the answer";
  }
  if (HasPart(path, [](const std::string& part) { return part.starts_with('.'); })) {
    return "hidden";
  }
  if (!IsPlainPath(path)) {
    return "a name that is not plain";
  }
  if (IsBuildScript(path)) {
    return "a build script";
  }
  return std::nullopt;
}

std::optional<std::string> RefusalOfContent(std::string_view content) {
  if (content.starts_with("#!")) {
    return "a script";
  }
  const bool has_control_bytes = std::ranges::any_of(content, [](char c) {
    return c >= 0 && c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f';
  });
  if (has_control_bytes) {
    return "a binary";
  }
  std::string text(content);
  std::erase_if(text, [](char c) { return c == '\r' || c == '\f'; });
  if (const auto bad = FindBadCharacter(text)) {
    return "has " + bad->what;
  }
  return std::nullopt;
}

FileContents WithoutCommonFolder(FileContents files) {
  if (files.empty()) {
    return files;
  }
  const std::string& first = files.begin()->first;
  const std::string folder = first.substr(0, first.find('/') + 1);
  if (folder.empty() || !std::ranges::all_of(files, [&](const auto& file) {
        return file.first.starts_with(folder);
      })) {
    return files;
  }
  FileContents inner;
  for (auto& [path, content] : files) {
    inner[path.substr(folder.size())] = std::move(content);
  }
  return inner;
}

SubmissionFiles ClassifyFiles(const FileContents& files, const ChallengeSpec& challenge) {
  SubmissionFiles classified;
  for (const auto& [path, content] : files) {
    const std::string lower = ToLower(path);
    if (lower.ends_with(".md") || lower.ends_with(".txt")) {
      classified.documents.push_back(path);
    } else if (!IsSource(path, challenge)) {
      continue;
    } else if (DefinesMain(content)) {
      (lower.find("bench") == std::string::npos ? classified.tests : classified.benchmarks)
          .push_back(path);
    } else if (!HasPart(lower, [](const std::string& part) {
                 return part == "test" || part == "tests" || part.starts_with("bench");
               })) {
      classified.sources.push_back(path);
    }
  }
  return classified;
}

}  // namespace assay
