// SPDX-License-Identifier: Apache-2.0
#include "exec/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "build/cuda_toolkit.h"
#include "build/staging.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 64;

bool IsSha256(std::string_view text) {
  return text.size() == kDigits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// A text may come with a pull request, and its paths are shown on terminals.

/// Whether only a cell with CUDA meets this file: the emulated GPU and the runtime in front of it.
bool IsOfDevice(std::string_view path) {
  const bool is_adapters = path.starts_with("harness/gpu/adapter/") && path.ends_with(".h");
  const bool is_before_it =
      path.starts_with("harness/gpu/") && !path.starts_with("harness/gpu/suite/") && !is_adapters;
  return is_before_it || path.starts_with("harness/emulator/") ||
         path.starts_with("harness/cudart/");
}

/// Of the layer that reads YAML, which grading links whole: how scores are made from evidence.
bool IsOfRubrics(std::string_view path) {
  return path.starts_with("harness/spec/rubric") ||
         path.starts_with("harness/spec/value_expression");
}

Error NotBuilt(const fs::path& place, std::string cause) {
  return {.kind = ErrorKind::kConfiguration,
          .where = place.string(),
          .cause = std::move(cause),
          .remedy = "run scripts/grade, which builds it, or build the target assay_all"};
}

enum class Device { kCounts, kLeftOut };

/// `digests` by the part of CellInputs that each path belongs to.
CellInputs Divide(const FileDigests& digests, Device device) {
  CellInputs inputs;
  for (const auto& [path, sha256] : digests) {
    if (path.starts_with("challenges/")) {
      inputs.challenge.emplace(path, sha256);
    } else if (path.starts_with("reference/")) {
      inputs.reference.emplace(path, sha256);
    } else if (device == Device::kCounts || !IsOfDevice(path)) {
      inputs.harness.emplace(path, sha256);
    }
  }
  return inputs;
}

}  // namespace

std::vector<std::string> NamedFiles(std::string_view source) {
  std::vector<std::string> names;
  while (!source.empty()) {
    const std::string_view line = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(line.size() + 1, source.size()));
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos || line[start] != '#') {
      continue;
    }
    const std::size_t open = line.find('"');
    const std::size_t close = open == std::string_view::npos ? open : line.find('"', open + 1);
    if (close != std::string_view::npos && close > open + 1) {
      names.emplace_back(line.substr(open + 1, close - open - 1));
    }
  }
  return names;
}

std::string ToText(const FileDigests& files) {
  std::string text;
  for (const auto& [path, sha256] : files) {
    text += fmt::format("{}  {}\n", sha256, path);
  }
  return text;
}

std::optional<FileDigests> ParseFileDigests(std::string_view text) {
  FileDigests files;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (end == std::string_view::npos || line.size() < kDigits + 3 ||
        !IsSha256(line.substr(0, kDigits)) || line.substr(kDigits, 2) != "  " ||
        !std::ranges::all_of(line, IsPrintableAscii)) {
      return std::nullopt;
    }
    files.emplace(line.substr(kDigits + 2), line.substr(0, kDigits));
    text.remove_prefix(end + 1);
  }
  return files;
}

Digests ToDigests(const CellInputs& inputs) {
  return {.submission = Sha256(ToText(inputs.submission)),
          .challenge = Sha256(ToText(inputs.challenge)),
          .reference = Sha256(ToText(inputs.reference)),
          .harness = Sha256(ToText(inputs.harness))};
}

Result<FileDigests> ReadSubmissionInputs(const fs::path& root, const SubmissionSpec& submission) {
  std::vector<std::string> names = AllFiles(submission);
  names.insert(names.end(), submission.documents.begin(), submission.documents.end());
  names.emplace_back("submission.yaml");
  if (submission.patch) {
    names.push_back(submission.patch->file);
  }
  FileDigests files;
  for (const std::string& name : names) {
    const fs::path path = submission.directory / name;
    ASSAY_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
    files.emplace(path.lexically_relative(root).generic_string(), Sha256(content));
  }
  return files;
}

Result<const InputReader::SourceFile*> InputReader::Load(const std::string& path) {
  const auto [entry, is_new] = files_.try_emplace(path);
  std::error_code failure;
  if (is_new && fs::is_regular_file(places_.sources / path, failure)) {
    ASSAY_ASSIGN_OR_RETURN(const std::string content, ReadFile(places_.sources / path));
    entry->second = SourceFile{.sha256 = Sha256(content), .named = NamedFiles(content)};
  }
  return entry->second ? &*entry->second : nullptr;
}

Result<FileDigests> InputReader::Close(std::string_view challenge,
                                       std::vector<std::string> sources) {
  const std::array<fs::path, 3> folders = {"harness", fs::path("challenges") / challenge,
                                           fs::path("reference") / challenge};
  FileDigests digests;
  while (!sources.empty()) {
    const std::string path = std::move(sources.back());
    sources.pop_back();
    if (digests.contains(path) || path.starts_with("..") || path.starts_with('/') ||
        IsOfRubrics(path)) {
      continue;
    }
    ASSAY_ASSIGN_OR_RETURN(const SourceFile* const file, Load(path));
    if (file == nullptr) {
      continue;
    }
    digests.emplace(path, file->sha256);
    // Of folders in which a compiler would look, all: which comes first differs by target.
    for (const std::string& name : file->named) {
      sources.push_back((fs::path(path).parent_path() / name).lexically_normal().generic_string());
      for (const fs::path& folder : folders) {
        sources.push_back((folder / name).lexically_normal().generic_string());
      }
    }
  }
  return digests;
}

Result<FileDigests> InputReader::ReadChallenge(const std::string& challenge) {
  if (const auto known = challenges_.find(challenge); known != challenges_.end()) {
    return known->second;
  }
  const fs::path listed = places_.folder / (challenge + ".sources");
  const fs::path built = places_.folder / (challenge + ".digests");
  FileDigests digests;
  std::error_code failure;
  if (fs::exists(listed, failure)) {
    ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(listed));
    ASSAY_ASSIGN_OR_RETURN(digests, Close(challenge, SplitLines(text)));
  } else if (fs::exists(built, failure)) {
    ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(built));
    auto read = ParseFileDigests(text);
    if (!read) {
      return std::unexpected(NotBuilt(built, "is no list of digests"));
    }
    digests = *std::move(read);
  } else {
    return std::unexpected(NotBuilt(built, "does not exist: the challenge is not built here"));
  }
  return challenges_[challenge] = std::move(digests);
}

Result<CellInputs> InputReader::Read(const fs::path& root, const SubmissionSpec& submission) {
  ASSAY_ASSIGN_OR_RETURN(const FileDigests digests, ReadChallenge(submission.challenge));
  CellInputs inputs = Divide(digests, NeedsNvcc(submission) ? Device::kCounts : Device::kLeftOut);
  ASSAY_ASSIGN_OR_RETURN(inputs.submission, ReadSubmissionInputs(root, submission));
  return inputs;
}

}  // namespace assay
