// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_GIT_H_
#define ASSAY_EXEC_GIT_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "process/run.h"

namespace assay {

/// What stands at a path of a commit.
struct GitEntry {
  enum class Kind { kFile, kSymbolicLink, kSubmodule };
  Kind kind = Kind::kFile;
  std::string object;  ///< Its name: hexadecimal digits.
  bool operator==(const GitEntry&) const = default;
};
/// By path relative to the folder that was opened. Hostile text: any bytes but NUL.
using GitTree = std::map<std::string, GitEntry>;

/// How a commit differs from another.
struct GitChanges {
  GitTree set;                         ///< What is new, or another, and what it is now.
  std::vector<std::string> removed;    ///< Paths, sorted.
  std::vector<std::string> elsewhere;  ///< Paths from the top, outside of the folder opened.
};

/// Whether `path` can be written below a folder and stays in it: relative, no component empty, `.`
/// or `..`, none that git would take for its own (`.git`, in any case).
[[nodiscard]] bool StaysInside(std::string_view path);

/// What could not be written, and why.
struct LeftOut {
  std::string path;
  std::string why;  ///< `is a symbolic link`
};

/// Reads commits of a repository, which may hold anything: names are taken as NUL-separated bytes,
/// contents come from the object store as they are (no filters, attributes or hooks run, no
/// submodule is entered, nothing is fetched), and git is started with a fixed environment, so that
/// no configuration but the repository's own counts. Errors are of kind kConfiguration and carry
/// git's own words.
class GitReader {
 public:
  /// `folder` is the top of a working tree, or below it.
  [[nodiscard]] static Result<GitReader> Open(const std::filesystem::path& folder);

  /// The commit that `name` (a branch, a tag, HEAD, digits) means.
  [[nodiscard]] Result<std::string> ResolveCommit(const std::string& name) const;
  /// Where the history of `b` left that of `a`.
  [[nodiscard]] Result<std::string> MergeBase(const std::string& a, const std::string& b) const;
  /// All that is in a commit below the folder opened.
  [[nodiscard]] Result<GitTree> ReadTree(const std::string& commit) const;
  /// What leads from one commit to the other. A rename is a path that is gone and one that is new.
  [[nodiscard]] Result<GitChanges> ReadChanges(const std::string& from,
                                               const std::string& to) const;
  /// Paths of the working tree, below the folder opened, that differ from `commit`, and that git
  /// does not know and does not ignore.
  [[nodiscard]] Result<std::vector<std::string>> UncommittedPaths() const;

  /// Writes the files of `tree` below `folder`. What is no regular file, has a name that leads out
  /// of it, or is larger than `largest_file_bytes` is left out and named. No link is ever made.
  [[nodiscard]] Result<std::vector<LeftOut>> Write(const GitTree& tree,
                                                   const std::filesystem::path& folder,
                                                   std::size_t largest_file_bytes) const;

 private:
  explicit GitReader(std::filesystem::path folder) : folder_(std::move(folder)) {}
  [[nodiscard]] Result<CommandResult> Run(std::vector<std::string> arguments,
                                          std::string input = {},
                                          std::size_t output_limit_bytes = std::size_t{64}
                                                                           << 20) const;
  [[nodiscard]] Result<std::string> Output(std::vector<std::string> arguments) const;
  [[nodiscard]] Result<std::map<std::string, std::size_t>> SizesOf(const GitTree& tree) const;

  std::filesystem::path folder_;
  std::string prefix_;  ///< From the top to the folder: empty, or ending in `/`.
};

}  // namespace assay

#endif  // ASSAY_EXEC_GIT_H_
