// SPDX-License-Identifier: Apache-2.0
#include "cli/pr_roots.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "pr/paths.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// The largest file of a base: evidence may have that much.
constexpr std::size_t kLargestFile_bytes = std::size_t{64} << 20;

constexpr std::string_view kEvidence = "reports/evidence/";

/// Of the base: what grading and comparing read.
bool IsOfBase(const std::string& path) {
  const PathKind kind = Classify(path).kind;
  return kind == PathKind::kSubmission || kind == PathKind::kModel || kind == PathKind::kJudge ||
         path.starts_with(kEvidence);
}

bool IsTaken(const std::string& path, JudgeOf judge) {
  const PathKind kind = Classify(path).kind;
  return kind == PathKind::kSubmission || kind == PathKind::kModel ||
         (kind == PathKind::kJudge && judge == JudgeOf::kChange);
}

GitTree BaseTree(const GitChange& change) {
  GitTree tree;
  for (const auto& [path, entry] : change.base) {
    if (IsOfBase(path)) {
      tree.emplace(path, entry);
    }
  }
  return tree;
}

GitTree With(GitTree tree, const GitChanges& changes, JudgeOf judge) {
  for (const std::string& path : changes.removed) {
    if (IsTaken(path, judge)) {
      tree.erase(path);
    }
  }
  for (const auto& [path, entry] : changes.set) {
    if (IsTaken(path, judge)) {
      tree[path] = entry;
    }
  }
  return tree;
}

Result<std::vector<LeftOut>> WriteRoot(const GitReader& git, const GitTree& tree,
                                       const fs::path& root) {
  std::error_code failure;
  fs::create_directories(root / "submissions", failure);
  if (failure) {
    return std::unexpected(SystemError("make " + root.string(), failure.value()));
  }
  return git.Write(tree, root, kLargestFile_bytes);
}

// The first file of `digests` that `root` has otherwise; a package knows what it was built from.
std::string FirstDifference(const FileDigests& digests, const fs::path& root) {
  for (const auto& [path, sha256] : digests) {
    const auto content = ReadFile(root / path);
    if (!content || Sha256(*content) != sha256) {
      return path + (content ? " is another" : " is not there");
    }
  }
  return "";
}

}  // namespace

Result<GitChange> ReadGitChange(const GitReader& git, const PrOptions& options) {
  GitChange change;
  ASSAY_ASSIGN_OR_RETURN(change.base_commit, git.ResolveCommit(options.base));
  ASSAY_ASSIGN_OR_RETURN(change.head_commit, git.ResolveCommit(options.head));
  ASSAY_ASSIGN_OR_RETURN(const std::string parted,
                         git.MergeBase(change.base_commit, change.head_commit));
  ASSAY_ASSIGN_OR_RETURN(change.base, git.ReadTree(change.base_commit));
  ASSAY_ASSIGN_OR_RETURN(change.changes, git.ReadChanges(parted, change.head_commit));
  return change;
}

std::vector<std::string> PathsOf(const GitChange& change) {
  std::vector<std::string> paths = change.changes.removed;
  for (const auto& [path, entry] : change.changes.set) {
    paths.push_back(path);
  }
  std::ranges::sort(paths);
  return paths;
}

Result<PrRoots> WriteRoots(const GitReader& git, const GitChange& change, JudgeOf judge,
                           const fs::path& temporary_root) {
  ASSAY_ASSIGN_OR_RETURN(TemporaryDirectory folder,
                         TemporaryDirectory::Create(temporary_root, "pr"));
  PrRoots roots{
      .folder = std::move(folder), .base = {}, .graded = {}, .merged = {}, .left_out = {}};
  roots.base = roots.folder.path() / "base";
  roots.graded = roots.folder.path() / "graded";
  roots.merged = judge == JudgeOf::kChange ? roots.graded : roots.folder.path() / "merged";
  const GitTree base = BaseTree(change);
  if (auto written = WriteRoot(git, base, roots.base); !written) {
    return std::unexpected(std::move(written).error());
  }
  ASSAY_ASSIGN_OR_RETURN(roots.left_out,
                         WriteRoot(git, With(base, change.changes, judge), roots.graded));
  if (roots.merged != roots.graded) {
    auto written = WriteRoot(git, With(base, change.changes, JudgeOf::kChange), roots.merged);
    if (!written) {
      return std::unexpected(std::move(written).error());
    }
  }
  return roots;
}

Status CheckJudge(const GradeServices& services, const Installation& installation,
                  const fs::path& root, const std::string& challenge, const std::string& whose) {
  ASSAY_RETURN_IF_ERROR(services.check_built(installation, challenge));
  InputReader reader(services.input_places(installation));
  std::string difference;
  if (const auto stamp = services.check_stamp(reader, challenge); !stamp) {
    difference = stamp.error().cause;
  }
  std::error_code ignored;
  if (difference.empty() && installation.kind == InstallationKind::kPackage &&
      fs::is_directory(root / "harness", ignored)) {
    ASSAY_ASSIGN_OR_RETURN(const FileDigests digests, reader.ReadChallenge(challenge));
    difference = FirstDifference(digests, root);
  }
  if (difference.empty()) {
    return {};
  }
  return std::unexpected(Error{
      .kind = ErrorKind::kConfiguration,
      .where = challenge,
      .cause = fmt::format("this assay was not built from {}: {}", whose, difference),
      .remedy = fmt::format("build {} in a clone of its own (scripts/grade does) and run its assay "
                            "here with --root",
                            whose)});
}

}  // namespace assay
