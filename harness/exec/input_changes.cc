// SPDX-License-Identifier: Apache-2.0
#include "exec/input_changes.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path Folder(const fs::path& root) { return root / "reports" / "evidence" / "inputs"; }

fs::path PathOf(const fs::path& root, const std::string& digest) {
  return Folder(root) / (digest + ".txt");
}

/// The text kept under `digest`, if it is the one.
std::optional<std::string> Load(const fs::path& root, const std::string& digest) {
  std::error_code failure;
  if (!IsId(digest) || !fs::is_regular_file(fs::symlink_status(PathOf(root, digest), failure))) {
    return std::nullopt;
  }
  auto text = ReadFile(PathOf(root, digest));
  return text && Sha256(*text) == digest ? std::optional(*std::move(text)) : std::nullopt;
}

}  // namespace

std::vector<std::string> ChangesBetween(const FileDigests& then, const FileDigests& now) {
  std::map<std::string, std::string_view> what;
  for (const auto& [path, sha256] : then) {
    const auto found = now.find(path);
    if (found == now.end()) {
      what.emplace(path, "is gone");
    } else if (found->second != sha256) {
      what.emplace(path, "changed");
    }
  }
  for (const auto& [path, sha256] : now) {
    if (!then.contains(path)) {
      what.emplace(path, "is new");
    }
  }
  std::vector<std::string> changes;
  changes.reserve(what.size());
  for (const auto& [path, word] : what) {
    changes.push_back(fmt::format("{} {}", path, word));
  }
  return changes;
}

std::vector<std::string> ChangesBetween(const CellInputs& then, const CellInputs& now) {
  std::vector<std::string> changes;
  for (const auto part : {&CellInputs::submission, &CellInputs::challenge, &CellInputs::reference,
                          &CellInputs::harness}) {
    for (std::string& change : ChangesBetween(then.*part, now.*part)) {
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

std::string Summary(const std::vector<std::string>& changes) {
  const std::size_t others = changes.size() - 1;
  return others == 0 ? changes.front() : fmt::format("{}, and {} more", changes.front(), others);
}

Status SaveInputs(const fs::path& root, const CellInputs& inputs) {
  for (const FileDigests* const files :
       {&inputs.submission, &inputs.challenge, &inputs.reference, &inputs.harness}) {
    const std::string text = ToText(*files);
    const std::string digest = Sha256(text);
    if (!Load(root, digest)) {
      ASSAY_RETURN_IF_ERROR(WriteFileAtomically(PathOf(root, digest), text));
    }
  }
  return {};
}

Status RemoveUnusedInputs(const fs::path& root, const std::vector<Evidence>& cells) {
  std::set<std::string> used;
  for (const Evidence& cell : cells) {
    const Digests& digests = cell.digests;
    used.insert({digests.submission, digests.challenge, digests.reference, digests.harness});
  }
  std::error_code failure;
  std::vector<fs::path> unused;
  for (fs::directory_iterator it(Folder(root), failure), end; !failure && it != end;
       it.increment(failure)) {
    const std::string digest = it->path().stem().string();
    if (!used.contains(digest) && it->path() == PathOf(root, digest) && Load(root, digest)) {
      unused.push_back(it->path());
    }
  }
  for (const fs::path& path : unused) {
    if (!fs::remove(path, failure) && failure) {
      return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                   .where = path.string(),
                                   .cause = "cannot be removed: " + failure.message(),
                                   .remedy = "make the folder writable and run again"});
    }
  }
  return {};
}

std::vector<std::string> ChangesSince(const fs::path& root, const Evidence& evidence,
                                      const CellInputs& now) {
  struct Part {
    const std::string& digest_then;
    const FileDigests& files_now;
    std::string_view name;
  };
  const Digests& then = evidence.digests;
  const std::array<Part, 4> parts = {{{then.submission, now.submission, "the submission"},
                                      {then.challenge, now.challenge, "the challenge"},
                                      {then.reference, now.reference, "the reference"},
                                      {then.harness, now.harness, "the harness"}}};
  std::vector<std::string> changes;
  std::size_t unknown = 0;
  for (const Part& part : parts) {
    if (part.digest_then == Sha256(ToText(part.files_now))) {
      continue;
    }
    const auto text = Load(root, part.digest_then);
    const auto files = text ? ParseFileDigests(*text) : std::nullopt;
    if (!files) {
      changes.push_back(fmt::format("{} changed", part.name));
      ++unknown;
      continue;
    }
    for (std::string& change : ChangesBetween(*files, part.files_now)) {
      changes.push_back(std::move(change));
    }
  }
  // As of evidence from before lists were kept, whose digests were of something else.
  return unknown == parts.size()
             ? std::vector<std::string>{"what it was made from is not on record"}
             : changes;
}

}  // namespace assay
