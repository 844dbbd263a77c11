// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EXEC_SCRATCH_GIT_H_
#define ASSAY_EXEC_SCRATCH_GIT_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/temporary.h"
#include "process/run.h"

namespace assay {

/// For tests: a repository of git, with nobody's configuration.
class ScratchGit {
 public:
  ScratchGit()
      : folder_(*TemporaryDirectory::Create(std::filesystem::temp_directory_path(), "git")),
        root_(folder_.path()) {
    Run("git init -q -b main");
  }
  /// In a folder that somebody else owns.
  explicit ScratchGit(std::filesystem::path root)
      : folder_(*TemporaryDirectory::Create(std::filesystem::temp_directory_path(), "git")),
        root_(std::move(root)) {
    Run("git init -q -b main");
  }

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  void Write(const std::string& path, std::string_view content) const {
    const auto written = WriteFileAtomically(root_ / path, content);
    ASSERT_TRUE(written) << ToString(written.error());
  }

  /// Commits all that is there; its name.
  std::string Commit() const {
    Run("git add -A && git commit -q --allow-empty -m message");
    std::string commit = Run("git rev-parse HEAD");
    commit.resize(commit.find('\n'));
    return commit;
  }

  /// A line of shell in the repository; what it prints. That it fails fails the test.
  std::string Run(const std::string& line) const {
    const auto result =
        RunToCompletion({.argv = {"sh", "-c", line},
                         .environment = {{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C",
                                          "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
                                          "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.c",
                                          "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.c"}},
                         .working_directory = root_,
                         .input = {},
                         .on_output = {}});
    EXPECT_TRUE(result && result->exit.code_or_signal == 0)
        << line << ": " << (result ? result->errors : ToString(result.error()));
    return result ? result->output : std::string();
  }

 private:
  TemporaryDirectory folder_;
  std::filesystem::path root_;
};

}  // namespace assay

#endif  // ASSAY_EXEC_SCRATCH_GIT_H_
